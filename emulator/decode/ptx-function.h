/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of PTX modules become programs when they are first needed. */
#ifndef CGPU_EMULATOR_PTX_FUNCTION_H
#define CGPU_EMULATOR_PTX_FUNCTION_H

struct error;
struct ptx_function;

/* Decode now. ERROR_UNSUPPORTED only for what cannot even be decoded; an unknown instruction faults
 * when reached. */
int ptx_function_prepare(struct ptx_function *f, struct error *err);

#endif
