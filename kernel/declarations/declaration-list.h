/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list behind struct declarations: slots in the order in which the compiler must see them,
 * found by key, with an undo log over the last cells. A slot keeps its number while its declaration
 * lives, so the cost of a change does not depend on the length of the session: a removed
 * declaration leaves a slot of kind DECLARATION_DROPPED, and these are removed when they are half
 * of all slots.
 *
 * Entries are immutable and shared with the undo log, by reference count.
 */
#ifndef CGPU_KERNEL_DECLARATIONS_DECLARATION_LIST_H
#define CGPU_KERNEL_DECLARATIONS_DECLARATION_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/code/unit.h"

struct error;

struct declaration_entry {
	struct declaration d; /* texts are in this block */
	unsigned refs;
	uint32_t hash;          /* of the key */
	uint32_t n_owners;      /* cells that declare it, by number */
	const uint32_t *owners; /* in this block */
};

/* Creates an entry with copies of the texts; `prefix` is put in front of those that are not empty.
 * NULL when memory is out. */
struct declaration_entry *declaration_entry_new(const struct declaration *d, const char *prefix,
						const uint32_t *owners, uint32_t n_owners);
void declaration_entry_drop(struct declaration_entry *e);

struct declaration_undo {
	size_t slot;
	struct declaration_entry *before; /* NULL: there was no such slot */
};

struct declaration_list {
	struct declaration_entry **items;
	size_t n, cap;
	uint32_t *heads, *chain; /* as slot + 1: first of a bucket; next in the bucket */
	size_t n_heads, n_chain;
	size_t n_free;                /* slots of kind DECLARATION_DROPPED */
	struct declaration_undo *log; /* from the oldest mark on */
	size_t n_log, cap_log;
	uint64_t log_start; /* number of entries that were in front of the log */
	/* Places of the log that can be returned to, counted from the first entry ever;
	 * ascending. */
	uint64_t *marks;
	size_t n_marks, cap_marks;
	uint32_t *untold; /* slots whose current content the compiler does not have */
	size_t n_untold, cap_untold;
	size_t told;   /* how many slots the compiler has */
	bool tell_all; /* the compiler's content is out of date in all slots */
	/* Slots were renumbered or restored since this was last set to false. */
	bool renumbered;
};

/* Releases the list. A zeroed struct is an empty list. */
void declaration_list_release(struct declaration_list *l);

/* Finds the newest slot with this key: (namespace, name), and the text where there is no name. l->n
 * if there is none. */
size_t declaration_list_find(const struct declaration_list *l, const struct declaration *key);

/* Sets a mark: the list can be returned to its current state until the mark is forgotten. */
int declaration_list_keep(struct declaration_list *l, uint64_t *ret_mark, struct error *err);
void declaration_list_forget(struct declaration_list *l, uint64_t mark);
/* Returns the list to a mark; later marks are forgotten. */
void declaration_list_return(struct declaration_list *l, uint64_t mark);
/* Append an entry, or replace that of a slot. Both take the entry over, also on failure. */
int declaration_list_append(struct declaration_list *l, struct declaration_entry *e,
			    struct error *err);
int declaration_list_set(struct declaration_list *l, size_t slot, struct declaration_entry *e,
			 struct error *err);
/* Removes all entries and marks; the compiler must be told. */
void declaration_list_clear(struct declaration_list *l);

/* Removes free slots when they are many. */
void declaration_list_compact(struct declaration_list *l);
/*
 * Collects what the compiler must be told: *ret is a malloc-ed array that borrows the texts,
 * *ret_total the number of slots. From then on it counts as told. 1; 0 when nothing has changed
 * (nothing is set then); -1 on error.
 */
int declaration_list_take_changes(struct declaration_list *l, size_t *ret_total,
				  struct declaration_change **ret, size_t *ret_n,
				  struct error *err);

#endif
