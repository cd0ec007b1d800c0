/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completion at a place of a cell. Names of the session come from
 * its declarations; members, locals and names of headers come from clang, which parses the cell up
 * to that place. Text that does not compile is the normal case.
 */
#ifndef CGPU_COMPILER_COMPLETION_H
#define CGPU_COMPILER_COMPLETION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/mem-pool.h"

struct compiler;
struct error;

struct completion {
	const char *text, *kind, *type, *signature; /* in the pool */
	unsigned priority;                          /* smaller is better */
};

struct completion_list {
	struct mem_pool pool;
	uint32_t start, end;   /* bytes of the cell that a completion replaces */
	struct completion *at; /* owned, best first, each text once */
	uint32_t n, cap;
};

/* Makes the list for a cursor, in bytes. Release the list, also after an error. */
int completion_list_init(struct completion_list *l, struct compiler *c, const char *text,
			 uint32_t cursor, struct error *err);
void completion_list_release(struct completion_list *l);
/* Adds a copy to a list whose pool is initialised; beyond about 2000 it is left out. */
void completion_list_add(struct completion_list *l, const struct completion *c);
/* Sorts the list, the best first, and leaves each text once. */
void completion_list_sort(struct completion_list *l);

#endif
