/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokens of a C cell, in which names of macros for a bracket (`#define BEGIN {`) are brackets,
 * and its top-level items, as far as tokens show them. Only clang knows where items really end.
 */
#ifndef CGPU_COMPILER_CELL_TOKENS_H
#define CGPU_COMPILER_CELL_TOKENS_H

#include "compiler/text/token.h"

struct error;
struct mem_pool;

/* The source of macros of earlier cells. */
struct name_source {
	/* Returns the text behind the name in the #define; NULL when there is none. */
	const char *(*macro)(void *context, const char *name, size_t len);
	void *context;
};

/* Splits the text, which is borrowed. -1 with ERROR_MEMORY. */
int cell_tokens_init(struct token_list *l, const char *text, size_t len,
		     const struct name_source *names, struct mem_pool *pool, struct error *err);

/* A directive, a declaration, a definition or a statement. */
struct cell_item {
	uint32_t first, end; /* tokens [first, end) */
	uint32_t body;       /* `{` of a function's body; TOKEN_NONE: it is no function */
	bool is_open;        /* the text ends in it */
};

/* Returns the item that begins at this token, which must exist. */
struct cell_item cell_item_at(const struct token_list *l, uint32_t first);

#endif
