/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warns when a cell is run again and has lost memory again: blocks of its earlier runs that are
 * live and that nothing points to. Cells with the same text are runs of one cell, and those that
 * the front end gives the same id.
 *
 * The search costs time in proportion to the heap, so it is made only when an earlier run still
 * holds something, at the second, third and fourth run, and from then on when the number of runs is
 * a power of two. `%mem` searches whenever asked.
 */
#ifndef CGPU_KERNEL_CELL_RUN_LEAK_WATCH_H
#define CGPU_KERNEL_CELL_RUN_LEAK_WATCH_H

#include <stddef.h>
#include <stdint.h>

struct buffer;
struct supervisor;

struct leak_run {
	uint32_t cell;
	uint64_t text; /* hash */
	uint64_t id;   /* the front end's id of the cell, 0 for none */
};

struct leak_watch {
	struct leak_run *runs; /* in order */
	size_t n, cap;
	uint64_t next_id;
};

void leak_watch_release(struct leak_watch *l);
/* Sets the front end's id of the next cell, "" for none. */
void leak_watch_identify(struct leak_watch *l, const char *id);
/* Notes that a cell starts; text may be NULL. */
void leak_watch_note(struct leak_watch *l, uint32_t cell, const char *text);
/* Appends a line to out if the cell noted last leaks. It is called when that cell is committed and
 * its worker idle. */
void leak_watch_look(struct supervisor *s, struct buffer *out);

#endif
