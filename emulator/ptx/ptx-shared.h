/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of a block's shared memory. Private to emulator/ptx; the result is in struct
 * ptx_function. */
#ifndef CGPU_EMULATOR_PTX_SHARED_H
#define CGPU_EMULATOR_PTX_SHARED_H

struct error;
struct ptx_module;

/* Give every .shared variable its offset and every kernel its list of arrays. ERROR_LIMIT when they
 * do not fit. */
int ptx_shared_lay_out(struct ptx_module *m, struct error *err);

#endif
