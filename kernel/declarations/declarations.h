/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the committed cells have declared, and which cell declares what.
 *
 * A declaration replaces the one with the same (namespace, name):
 *	- with the same text, in its place;
 *	- a macro that later declarations use stays where it is, since their meaning must not
 *	  change, and the new one is added;
 *	- a type takes along what was declared with it: those variables and functions still have the
 *	  old layout, so reaching
 *	  them through the new one would be silently wrong. They are named in the notes;
 *	- anything else moves to the end. What uses it then stands before it; the compiler sorts by
 *	  use.
 *
 * A cell that its front end has given an id owns what it declares. Run again, it drops what its new
 * text no longer declares, and its new text must not use that either. What another cell has defined
 * since belongs to that one; what says the same in several cells (an include, a macro, a type) goes
 * with the last of them; a macro or a type that declarations of other cells need stays as long as
 * they do. What has gone leaves a reason, for the error message of who still uses it.
 */
#ifndef CGPU_KERNEL_DECLARATIONS_DECLARATIONS_H
#define CGPU_KERNEL_DECLARATIONS_DECLARATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/code/unit.h"
#include "common/text/names.h"
#include "kernel/declarations/declaration-list.h"

struct buffer;
struct error;
struct record;

/* The cell that declares something. */
struct declaration_source {
	const char *id; /* of the front end; NULL or "": none, and nothing is dropped when it runs
			   again */
	uint32_t cell;  /* execution count */
	bool whole;     /* it ran to its end: what it declared before and not now is dropped */
};

/* A list as it once was. A zeroed struct is none. */
struct declarations_kept {
	struct declarations *of;
	uint64_t mark;
};

struct declaration_slots {
	uint32_t *at;
	size_t n, cap;
};

struct declarations {
	struct declaration_list list;
	struct names
		ids; /* of cells; number + 1 is the owner in entries, 0 is a cell without an id */
	struct declaration_slots *owned; /* by owner: slots that it may own */
	size_t n_owned;
};

/* A zeroed struct is an empty list. */
void declarations_release(struct declarations *d);

/* Copies. Appends lines about what could not be kept to notes. On failure the list may miss some of
 * them. */
int declarations_accept(struct declarations *d, const struct declaration_source *from,
			const struct unit *unit, struct buffer *notes, struct error *err);
/* Drops what has one of these names, each with its NUL, in any namespace; `why` is the end of the
 * reason. */
int declarations_drop(struct declarations *d, const struct buffer *names, const char *why,
		      struct error *err);
/* Nothing of this unit has come about: its names that mean nothing leave a reason, of which `why`
 * is the end. */
int declarations_refuse(struct declarations *d, uint32_t cell, const struct unit *unit,
			const char *why, struct error *err);
/* d must stay where it is as long as something is kept; what is kept for long costs what changes
 * meanwhile. */
int declarations_keep(struct declarations *d, struct declarations_kept *ret, struct error *err);
void declarations_kept_release(struct declarations_kept *k);
/* Back to what was kept, which is used up; nothing happens when it is none. */
void declarations_return(struct declarations *d, struct declarations_kept *k);
/* For snapshots (declarations-state.c). */
void declarations_encode(const struct declarations *d, struct buffer *out);
/* None any more; what was kept can be returned to. On error some are left. */
int declarations_empty(struct declarations *d, struct error *err);
/* The list is what was encoded; what was kept can be returned to. On error it is a mixture. */
int declarations_decode(struct declarations *d, struct record *r, struct error *err);
/* What was kept is gone, too. */
void declarations_clear(struct declarations *d);

/* What is known by this name: an ordinary name before a tag and a macro; NULL for nothing. */
const struct declaration *declarations_find(const struct declarations *d, const char *name);

/* What only this cell declares, as indices of the list that the compiler has, ascending; malloc-ed,
 * NULL for none. */
int declarations_of_cell(struct declarations *d, const char *id, uint32_t **ret, size_t *ret_n,
			 struct error *err);
/*
 * Variables and functions that end with the run of this unit: dropped, or their name means
 * something else from then on. Names one after another, each with its NUL, appended to out.
 */
int declarations_leaving(struct declarations *d, const char *id, const struct unit *unit,
			 struct buffer *out, struct error *err);

/* See declaration_list_take_changes(). */
int declarations_take_changes(struct declarations *d, size_t *ret_total,
			      struct declaration_change **ret, size_t *ret_n, struct error *err);

#endif
