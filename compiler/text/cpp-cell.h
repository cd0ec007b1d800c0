/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell whose first line of code is `%%cpp FLAGS`, as far as it can be analysed without clang. The
 * line itself is blanked, so that lines and columns of the rest stay valid.
 */
#ifndef CGPU_COMPILER_CPP_CELL_H
#define CGPU_COMPILER_CPP_CELL_H

#include <stdbool.h>

#include "common/base/buffer.h"
#include "compiler/text/token.h"

struct error;
struct mem_pool;

#define CPP_CELL "%%cpp"

struct cpp_cell {
	const char *text;  /* the C++ text, in the pool */
	const char *flags; /* for clang, in the pool; "" for none */
	struct token_list tokens;
	struct buffer includes; /* its leading `#include <...>` lines */
	bool has_main;
	/* The token that begins a construct of modules, which cells cannot have; TOKEN_NONE: there
	 * is none. */
	uint32_t module;
};

/* Tells whether it is a C++ cell. Blank lines and comments may precede the line. */
bool cpp_cell_is(const char *text);
/* Returns the line of a cell with another magic, at its first `%`; NULL if something else comes
 * first. */
const char *cpp_cell_line(const char *text, const char *magic);
/* Analyses a C++ cell whose line begins with `magic`, or one without such a line. -1:
 * ERROR_MEMORY. */
int cpp_cell_init(struct cpp_cell *c, const char *text, const char *magic, struct mem_pool *pool,
		  struct error *err);
void cpp_cell_release(struct cpp_cell *c);
/* Returns the next token at file scope behind i that is `struct`, `union`, `enum` or `class`,
 * followed by a name; tokens.n: none. Start with TOKEN_NONE. */
uint32_t cpp_cell_next_type(const struct cpp_cell *c, uint32_t i);

#endif
