/* SPDX-License-Identifier: Apache-2.0 */
/* `evaluate`: a variable by its name, or an expression in a call that stands. */
#ifndef CGPU_KERNEL_DEBUGGER_DEBUG_EVALUATE_H
#define CGPU_KERNEL_DEBUGGER_DEBUG_EVALUATE_H

struct debug_call;
struct error;

int debug_evaluate(struct debug_call *c, struct error *err);

#endif
