/* SPDX-License-Identifier: Apache-2.0 */
/* Cells as a debugger names them, and their breakpoints: a path that the front end computes from
 * the text of the cell, too. No such file is written. */
#ifndef CGPU_KERNEL_DEBUGGER_DEBUG_CELLS_H
#define CGPU_KERNEL_DEBUGGER_DEBUG_CELLS_H

#include <stdint.h>

#include <jansson.h>

struct debug_call;
struct debugger;
struct error;
struct session;

#define DEBUG_CELLS_SEED 0x9747b28cu
#define DEBUG_CELLS_PREFIX_SIZE 64

/* Writes how all paths begin: not as those of another notebook. */
void debug_cells_prefix(const struct session *s, char ret[DEBUG_CELLS_PREFIX_SIZE]);

int debug_cells_dump(struct debug_call *c, struct error *err);
int debug_cells_source(struct debug_call *c, struct error *err);
int debug_cells_set_breakpoints(struct debug_call *c, struct error *err);
int debug_cells_set_exceptions(struct debug_call *c, struct error *err);

/* A cell with this text is about to be run: breakpoints of its path are those of its lines. */
void debug_cells_note_run(struct session *s, uint32_t number, const char *text);
/* Returns the path of "In[3]", or that name for a cell that is not known. */
const char *debug_cells_path(const struct debugger *d, const char *name);
/* Returns all breakpoints, as debugInfo tells them. */
json_t *debug_cells_breakpoints(const struct debugger *d);

void debug_cells_release(struct debugger *d);

#endif
