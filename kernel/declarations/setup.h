/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a worker needs before it runs a cell of this session when it replaces another: it starts
 * with the kernel's folder and environment, and has none of the files, threads and handles of the
 * one before it. What %cd and %env have changed runs again as C statements, and so do the cells
 * that are marked %%on_restart.
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
	bool failed; /* it is not run again until the user runs it */
};

struct setup {
	struct buffer code; /* empty: nothing was changed */
	bool due;           /* the worker at work has not run it */
	struct setup_cell *cells;
	size_t n_cells;
	size_t next;               /* the first cell that the worker at work has not run */
	unsigned long long worker; /* supervisor_worker() that this is about */
};

void setup_release(struct setup *s);
/* The worker may be another one from here on. */
void setup_again(struct setup *s);
/* It is when the number is another one than before. */
void setup_note_worker(struct setup *s, unsigned long long worker);
/* Adds a call of `function` with texts as arguments; `last` is added as it is ("" or ", 1"). */
void setup_add(struct setup *s, const char *function, const char *const *texts, const char *last);

/* A cell that the worker at work has run; it takes the place of an earlier one with its id, or its
 * text. */
int setup_remember(struct setup *s, const char *id, const char *name, const char *code,
		   struct error *err);
void setup_forget(struct setup *s);
/* That of a cell of the front end, or that of a name; false: there is none. */
bool setup_forget_cell(struct setup *s, const char *id);
bool setup_forget_name(struct setup *s, const char *name);
/* The next cell to run again but the one with this id, which is being run by the user; NULL: none.
 */
struct setup_cell *setup_next(struct setup *s, const char *id);
/* It has been run, or given up. */
void setup_done(struct setup *s, struct setup_cell *c, bool failed);

/* For snapshots: statements and cells. decode() replaces both. */
void setup_encode(const struct setup *s, struct buffer *out);
int setup_decode(struct setup *s, struct record *r, struct error *err);

#endif
