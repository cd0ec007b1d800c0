/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list behind struct declarations: slots in the order in which the compiler must see them,
 * found by key, with the way back over the last cells. A slot keeps its number while its
 * declaration lives, so a change costs what it changes and not the length of the session: what is
 * taken off leaves a slot of kind DECLARATION_DROPPED, and those go when half of all are.
 *
 * Entries are immutable and shared with the log of what they replaced.
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

/* Texts are copied, `prefix` goes in front of those that are not empty. NULL when memory is out. */
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
	uint32_t *heads, *chain; /* slot + 1: first of a bucket, and next in it by slot */
	size_t n_heads, n_chain;
	size_t n_free;                /* slots of kind DECLARATION_DROPPED */
	struct declaration_undo *log; /* from the oldest mark on */
	size_t n_log, cap_log;
	uint64_t log_start; /* how many have been in front of it */
	uint64_t *marks; /* places of the log, counted from the first ever, that can be returned to;
			    ascending */
	size_t n_marks, cap_marks;
	uint32_t *untold; /* slots that the compiler does not have as they are */
	size_t n_untold, cap_untold;
	size_t told;     /* how many slots the compiler has */
	bool tell_all;   /* none of them is as it has them */
	bool renumbered; /* slots have other numbers, or were put back, since this was last set to
			    false */
};

/* A zeroed struct is an empty list. */
void declaration_list_release(struct declaration_list *l);

/* The newest with this key: (namespace, name), and the text where there is no name. l->n if there
 * is none. */
size_t declaration_list_find(const struct declaration_list *l, const struct declaration *key);

/* The list as it is can be returned to until the mark is forgotten. */
int declaration_list_keep(struct declaration_list *l, uint64_t *ret_mark, struct error *err);
void declaration_list_forget(struct declaration_list *l, uint64_t mark);
/* Later marks are forgotten. */
void declaration_list_return(struct declaration_list *l, uint64_t mark);
/* Both take the entry over, also on failure. */
int declaration_list_append(struct declaration_list *l, struct declaration_entry *e,
			    struct error *err);
int declaration_list_set(struct declaration_list *l, size_t slot, struct declaration_entry *e,
			 struct error *err);
/* Throw all away, marks too; the compiler has to be told. */
void declaration_list_clear(struct declaration_list *l);

/* Gives free slots back when they are many. */
void declaration_list_compact(struct declaration_list *l);
/*
 * What the compiler must be told, in a malloc-ed array that borrows the texts, and how many slots
 * there are. Counts as told. 1, 0 when nothing has changed (nothing is set then), -1 on error.
 */
int declaration_list_take_changes(struct declaration_list *l, size_t *ret_total,
				  struct declaration_change **ret, size_t *ret_n,
				  struct error *err);

#endif
