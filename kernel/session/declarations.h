/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the committed cells have declared, in order. Entries are immutable and shared,
 * so a list that is kept to go back to (%undo) costs one array.
 *
 * A declaration replaces the one with the same (namespace, name):
 *	- with the same text, in its place;
 *	- a macro that later declarations use stays where it is, since their meaning must not change, and the new one is added;
 *	- a type takes along what was declared with it: those variables and functions still have the old layout, so reaching
 *	  them through the new one would be silently wrong. They are named in the notes;
 *	- anything else moves to the end. What uses it then stands before it; the compiler sorts by use.
 */
#ifndef CGPU_KERNEL_SESSION_DECLARATIONS_H
#define CGPU_KERNEL_SESSION_DECLARATIONS_H

#include <stddef.h>

#include "common/unit.h"

struct buffer;
struct error;
struct declaration_entry;

/* A list as it once was. A zeroed struct is an empty one. */
struct declarations_kept {
	struct declaration_entry **items;
	size_t n;
};

struct declarations {
	struct declaration_entry **items;
	size_t n, cap;
	size_t told;          /* how many the compiler has */
	size_t first_changed; /* all below this are as the compiler has them */
};

/* A zeroed struct is an empty list. */
void declarations_release(struct declarations *d);

/* Copies. Appends lines about what could not be kept to notes. On failure the list may miss some of them. */
int declarations_accept(struct declarations *d, const struct declaration *add, size_t n_add,
			struct buffer *notes, struct error *err);
int declarations_keep(const struct declarations *d, struct declarations_kept *ret, struct error *err);
void declarations_kept_release(struct declarations_kept *k);
/* Back to what was kept, which is used up. */
void declarations_return(struct declarations *d, struct declarations_kept *k);
void declarations_clear(struct declarations *d);

/* The last one with this name in the namespaces of variables, functions, types and macros; NULL if there is none. */
const struct declaration *declarations_find(const struct declarations *d, const char *name);

/*
 * What the compiler must be told: entries from *ret_first on, n of them in a malloc-ed array that borrows the texts.
 * Counts as told. Returns 1, 0 when nothing has changed (nothing is set then), -1 on error.
 */
int declarations_take_changes(struct declarations *d, size_t *ret_first, struct declaration **ret,
			      size_t *ret_n, struct error *err);

#endif
