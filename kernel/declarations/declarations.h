/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The declarations of committed cells, and the cells that own them.
 *
 * A declaration replaces the one with the same (namespace, name):
 *	- with the same text, in its place;
 *	- a macro that later declarations use stays where it is, since their meaning must not
 *	  change, and the new one is added;
 *	- a type removes what was declared with it: those variables and functions still have the
 *	  old layout, so access through the new one would be silently wrong. They are named in the
 *	  notes;
 *	- anything else moves to the end. Its users are then in front of it; the compiler sorts by
 *	  use.
 *
 * A cell with an id of its front end owns its declarations. When it is run again, declarations
 * that its new text lacks are dropped, and the new text must not use them either. A declaration
 * that another cell has redefined since belongs to that cell; one that is equal in several cells
 * (an include, a macro, a type) is dropped with the last of them; a macro or a type that
 * declarations of other cells need stays as long as they do. A dropped declaration leaves a
 * reason, for the error message of code that still uses it.
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

/* The cell that contains a declaration. */
struct declaration_source {
	/* The front end's id; NULL or "": none, and then nothing is dropped when the cell runs
	 * again. */
	const char *id;
	uint32_t cell; /* execution count */
	/* The cell ran to its end, so earlier declarations of it that it lacks are dropped. */
	bool whole;
};

/* A saved state of a list. A zeroed struct saves none. */
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
	/* Ids of cells: the number + 1 is the owner in entries, 0 is a cell without an
	 * id. */
	struct names ids;
	struct declaration_slots *owned; /* by owner: slots that the cell may own */
	size_t n_owned;
};

/* Releases the list. A zeroed struct is an empty list. */
void declarations_release(struct declarations *d);

/* Adds copies of a unit's declarations. Appends lines about what could not be kept to notes. On
 * failure some of them may be missing. */
int declarations_accept(struct declarations *d, const struct declaration_source *from,
			const struct unit *unit, struct buffer *notes, struct error *err);
/* Drops all declarations with one of these names, each with its NUL, in any namespace; `why` is the
 * end of the reason. */
int declarations_drop(struct declarations *d, const struct buffer *names, const char *why,
		      struct error *err);
/* Records that this unit failed: each of its names that has no other meaning gets a reason, which
 * ends with `why`. */
int declarations_refuse(struct declarations *d, uint32_t cell, const struct unit *unit,
			const char *why, struct error *err);
/* Saves the state of the list. d must not move as long as one is saved; keeping it costs memory in
 * proportion to later changes. */
int declarations_keep(struct declarations *d, struct declarations_kept *ret, struct error *err);
void declarations_kept_release(struct declarations_kept *k);
/* Returns to a saved state, which is used up; nothing happens when there is none. */
void declarations_return(struct declarations *d, struct declarations_kept *k);
/* Encodes the list for snapshots (declarations-state.c). */
void declarations_encode(const struct declarations *d, struct buffer *out);
/* Removes all declarations; saved states can still be returned to. On error some are left. */
int declarations_empty(struct declarations *d, struct error *err);
/* Decodes the list; saved states can still be returned to. On error the list is a mixture. */
int declarations_decode(struct declarations *d, struct record *r, struct error *err);
/* Removes all declarations and saved states. */
void declarations_clear(struct declarations *d);

/* Finds the declaration of a name: an ordinary name before a tag and a macro; NULL for none. */
const struct declaration *declarations_find(const struct declarations *d, const char *name);

/* Finds the declarations of this cell alone, as ascending indices of the compiler's list;
 * malloc-ed, NULL for none. */
int declarations_of_cell(struct declarations *d, const char *id, uint32_t **ret, size_t *ret_n,
			 struct error *err);
/*
 * Appends the variables and functions that end with the run of this unit: they are dropped, or
 * their name gets another meaning. The names follow one another, each with its NUL.
 */
int declarations_leaving(struct declarations *d, const char *id, const struct unit *unit,
			 struct buffer *out, struct error *err);

/* Calls declaration_list_take_changes(). */
int declarations_take_changes(struct declarations *d, size_t *ret_total,
			      struct declaration_change **ret, size_t *ret_n, struct error *err);

#endif
