/* SPDX-License-Identifier: Apache-2.0 */
/* The session's variables as debuggers list them, with their parts and as pictures. Bounded, and
 * from committed state, so all of it is answered while a cell runs. */
#ifndef CGPU_KERNEL_DEBUGGER_DEBUG_VARIABLES_H
#define CGPU_KERNEL_DEBUGGER_DEBUG_VARIABLES_H

#include <stdbool.h>

struct debug_call;
struct debug_reference;
struct error;

int debug_variables_list(struct debug_call *c, struct error *err);
int debug_variables_parts(struct debug_call *c, struct error *err);
int debug_variables_rich(struct debug_call *c, struct error *err);

/* Makes the answer to `evaluate` of a value: a variable of the session (is_whole), or another. */
void debug_variables_put(struct debug_call *c, const struct debug_reference *what, bool is_whole);
/* Makes it of the variable of the session with this name. 1: done; 0: there is none. */
int debug_variables_tell(struct debug_call *c, const char *name, struct error *err);

#endif
