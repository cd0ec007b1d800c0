/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prepares a worker that replaces another before it runs a cell: it starts with the kernel's folder
 * and environment, and without the files, threads and handles of the old one. So the effects of %cd
 * and %env run again as C statements, and so do the cells marked %%on_restart.
 */
#ifndef CGPU_KERNEL_DECLARATIONS_SETUP_H
#define CGPU_KERNEL_DECLARATIONS_SETUP_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buffer.h"

struct error;
struct record;

struct setup_cell {
	char *id;   /* of the front end, "" for none */
	char *name; /* "In[3]" */
	char *code;
	bool failed; /* then it is not run again until the user runs it */
};

struct setup {
	struct buffer code; /* C statements; empty: nothing was changed */
	bool due;           /* the current worker has not run it */
	struct setup_cell *cells;
	size_t n_cells;
	size_t next;               /* the first cell that the current worker has not run */
	unsigned long long worker; /* the supervisor_worker() that `due` and `next` belong to */
};

void setup_release(struct setup *s);
/* Assumes that the worker may be another one: all must run again. */
void setup_again(struct setup *s);
/* Takes the number of the current worker: if it is new, all must run again. */
void setup_note_worker(struct setup *s, unsigned long long worker);
/* Adds a call of `function` with texts as arguments; `last` is appended verbatim ("" or ", 1"). */
void setup_add(struct setup *s, const char *function, const char *const *texts, const char *last);

/* Remembers a cell that the current worker has run; it replaces an earlier one with its id, or with
 * its text. */
int setup_remember(struct setup *s, const char *id, const char *name, const char *code,
		   struct error *err);
void setup_forget(struct setup *s);
/* Forgets the cell with this id of the front end, or with this name; false: there is none. */
bool setup_forget_cell(struct setup *s, const char *id);
bool setup_forget_name(struct setup *s, const char *name);
/* Returns the next cell to run again, except the one with this id, which the user is running; NULL:
 * none. */
struct setup_cell *setup_next(struct setup *s, const char *id);
/* Marks the cell as run or given up. */
void setup_done(struct setup *s, struct setup_cell *c, bool failed);

/* Encode and decode statements and cells for snapshots; decode() replaces both. */
void setup_encode(const struct setup *s, struct buffer *out);
int setup_decode(struct setup *s, struct record *r, struct error *err);

#endif
