/* SPDX-License-Identifier: Apache-2.0 */
/* Cells as a debugger names them: a path that the front end computes from the text of the cell,
 * too. No such file is written. */
#ifndef CGPU_KERNEL_DEBUGGER_DEBUG_CELLS_H
#define CGPU_KERNEL_DEBUGGER_DEBUG_CELLS_H

struct debug_call;
struct debugger;
struct error;

#define DEBUG_CELLS_SEED 0x9747b28cu
#define DEBUG_CELLS_PREFIX_SIZE 64

/* Writes how all paths begin: not as those of another kernel. */
void debug_cells_prefix(char ret[DEBUG_CELLS_PREFIX_SIZE]);

int debug_cells_dump(struct debug_call *c, struct error *err);
int debug_cells_source(struct debug_call *c, struct error *err);
int debug_cells_set_breakpoints(struct debug_call *c, struct error *err);
int debug_cells_set_exceptions(struct debug_call *c, struct error *err);

void debug_cells_release(struct debugger *d);

#endif
