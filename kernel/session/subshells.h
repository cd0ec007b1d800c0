/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The subshells of a session (Jupyter enhancement proposal 91): each has its own queue of cells,
 * and an error aborts what waits in that queue only. The parent is the subshell of requests that
 * name none; it is always there, and no id means it. There is one session, so cells of all
 * subshells run one at a time, and the subshells take turns.
 *
 * A zeroed struct has the parent alone. Pointers to a subshell hold until one is deleted.
 */
#ifndef CGPU_KERNEL_SESSION_SUBSHELLS_H
#define CGPU_KERNEL_SESSION_SUBSHELLS_H

#include <stddef.h>

#include <jansson.h>

#include "kernel/protocol/abort-window.h"

struct cell;
struct error;
struct message;

/* Without the parent. JupyterLab makes one for each kind of widget and each console. */
#define SUBSHELLS_MAX 64

struct subshell {
	char id[37];               /* a UUID, which no later subshell gets; "" for the parent */
	struct cell *first, *last; /* the queue */
	struct abort_window late;  /* decides which later cells are still aborted */
};

struct subshells {
	struct subshell list[1 + SUBSHELLS_MAX]; /* the parent, then in the order they were made */
	size_t n;                                /* without the parent */
	size_t served;                           /* the subshell whose cell was taken last */
};

/* Makes a subshell. NULL: there are SUBSHELLS_MAX already. */
struct subshell *subshells_create(struct subshells *all, struct error *err);
/* Deletes a subshell whose queue is empty, and which is not the parent. */
void subshells_delete(struct subshells *all, struct subshell *s);
/* Finds a subshell that was made by its id; NULL: there is none, with what the client can do. */
struct subshell *subshells_find(struct subshells *all, const json_t *id, struct error *err);
/* Finds the subshell that a request on shell is for; NULL: there is none, as before. */
struct subshell *subshells_of(struct subshells *all, const struct message *m, struct error *err);
/* Returns the id that a request was found by, also when its subshell was deleted since; NULL for
 * the parent. */
const char *subshells_id_of(const struct message *m);
/* Returns the ids, without the parent. */
json_t *subshells_ids(const struct subshells *all);

void subshells_add(struct subshell *s, struct cell *c);
/* Takes the first cell of one queue; NULL: it is empty. */
struct cell *subshells_take(struct subshell *s);
/* Takes the cell whose turn it is: the first one of the next subshell with any. NULL: none has. */
struct cell *subshells_take_next(struct subshells *all);

#endif
