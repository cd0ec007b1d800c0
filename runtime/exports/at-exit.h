/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of calls that are due at the end: handlers of atexit(), and destructors of the static
 * objects of C++ units. A session does not end, so a destructor runs when its object goes: another
 * takes its place, or its cell is run again. The list is session memory: it rolls back with the
 * objects, and a new worker finds it as it was.
 */
#ifndef CGPU_RUNTIME_EXPORTS_AT_EXIT_H
#define CGPU_RUNTIME_EXPORTS_AT_EXIT_H

#include <stdbool.h>
#include <stdint.h>

/* dso: any address in the unit's code. -1: META is full. */
int at_exit_add_destructor(void (*fn)(void *arg), void *arg, const void *dso);
int at_exit_add_handler(void (*fn)(void));

unsigned at_exit_count(void);
/* Call all beyond the first so many, the last one first. One may register another, or end the cell.
 */
void at_exit_run(unsigned first);
/* exit() in this cell: all handlers, and the destructors of the cell's own objects. */
void at_exit_run_cell(uint32_t cell);

/* The object in this range gives way to another one. */
void at_exit_mark(void *unused, uint64_t address, uint64_t size);
/* The cell of a notebook (struct unit_code, `owner`) is run again. Objects that units of other
 * cells reach live on. */
void at_exit_mark_owner(uint64_t owner);
/* The program is run again in the same place: all that is its own, and its handlers. */
struct unit_code;
void at_exit_mark_unit(const struct unit_code *u);
/* Is anything marked? */
bool at_exit_is_due(void);
/* Call what is marked, the last one first. As the cell: what it throws is the cell's. */
void at_exit_run_marked(void *unused);

#endif
