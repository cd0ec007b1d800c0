/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokens of a cell of C, in which names of macros for a bracket (`#define BEGIN {`) are
 * brackets, and the items that stand at its top as the tokens look. Where they end clang knows.
 */
#ifndef CGPU_COMPILER_CELL_TOKENS_H
#define CGPU_COMPILER_CELL_TOKENS_H

#include "compiler/text/token.h"

struct error;
struct mem_pool;

/* What a cell knows of the macros of earlier ones. */
struct name_source {
	/* What stands behind the name in the #define; NULL when there is none. */
	const char *(*macro)(void *context, const char *name, size_t len);
	void *context;
};

/* text is borrowed. -1 with ERROR_MEMORY. */
int cell_tokens_init(struct token_list *l, const char *text, size_t len,
		     const struct name_source *names, struct mem_pool *pool, struct error *err);

/* A directive, a declaration, a definition or a statement. */
struct cell_item {
	uint32_t first, end; /* tokens [first, end) */
	uint32_t body;       /* `{` of a function's body; TOKEN_NONE: it is none */
	bool is_open;        /* the text ends in it */
};

/* The item that starts at the token, which there is. */
struct cell_item cell_item_at(const struct token_list *l, uint32_t first);

#endif
