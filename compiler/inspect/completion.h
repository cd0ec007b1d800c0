/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can stand at a place of a cell, and what the word there is. Names of the session come from
 * its declarations; members, locals and what headers bring come from clang, which parses the cell
 * up to that place. Text that does not compile is the normal case.
 */
#ifndef CGPU_COMPILER_COMPLETION_H
#define CGPU_COMPILER_COMPLETION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/mem-pool.h"

struct buffer;
struct compiler;
struct error;

struct completion {
	const char *text, *kind, *type, *signature, *comment; /* in the pool */
	unsigned priority;                                    /* small is better */
};

struct completion_list {
	struct mem_pool pool;
	uint32_t start, end;   /* bytes of the cell that a completion replaces */
	struct completion *at; /* owned, best first, each text once */
	uint32_t n, cap;
	bool failed;
};

/* cursor: bytes. Release the list. */
int completion_list_init(struct completion_list *l, struct compiler *c, const char *text,
			 uint32_t cursor, struct error *err);
void completion_list_release(struct completion_list *l);

/* What the word at the cursor is, as plain text appended to out; false when nobody knows. */
bool inspect(struct compiler *c, const char *text, uint32_t cursor, struct buffer *out);

#endif
