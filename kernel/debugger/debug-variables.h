/* SPDX-License-Identifier: Apache-2.0 */
/* The session's variables as debuggers list them, with their parts and as pictures. Bounded, and
 * from committed state, so all of it is answered while a cell runs. */
#ifndef CGPU_KERNEL_DEBUGGER_DEBUG_VARIABLES_H
#define CGPU_KERNEL_DEBUGGER_DEBUG_VARIABLES_H

struct debug_call;
struct error;

int debug_variables_list(struct debug_call *c, struct error *err);
int debug_variables_parts(struct debug_call *c, struct error *err);
int debug_variables_rich(struct debug_call *c, struct error *err);
int debug_variables_evaluate(struct debug_call *c, struct error *err);

#endif
