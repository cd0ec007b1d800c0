/* SPDX-License-Identifier: Apache-2.0 */
/* A place in a cell that a question is about. */
#ifndef CGPU_COMPILER_CURSOR_H
#define CGPU_COMPILER_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/frontend/compile-cpp.h"

struct buffer;
struct compiler;
struct error;

/* Stands for the word where there is none at the cursor. */
#define CURSOR_PLACEHOLDER "cgpu_cursor"

struct cursor {
	uint32_t start, end; /* bytes of the word around the cursor; equal: there is none */
};

/* Returns the word around a byte. whole: also what is behind it, else up to it. */
struct cursor cursor_at(const char *text, uint32_t at, bool whole);
/* Appends the text with a word at the cursor: the placeholder if there is none. */
void cursor_put_text(const struct cursor *k, const char *text, struct buffer *out);
/* Tells whether a word at this byte is a name in code, and not in a comment, a string or a
 * directive. */
bool cursor_is_in_code(const char *text, size_t len, uint32_t at);
/* Returns where the path of the #include starts, with its `<` or `"`, if the place is in one; 0: it
 * is not. */
uint32_t cursor_in_include(const char *text, uint32_t at);
/* Tells whether a word at this byte would be behind `.`, `->` or `::`. */
bool cursor_is_of_member(const char *text, uint32_t at);

/*
 * Asks with the job of the cell and the place in it of this byte of the text; not if the byte is in
 * no code that clang sees. -1: the unit could not be made.
 */
int cursor_ask(struct compiler *c, const char *text, uint32_t at, const struct cell_question *q,
	       struct error *err);
/*
 * Asks with a job that includes a path (`<thrust/de`) up to its end, which is the place. It
 * is a job of C++, whose folders have all headers: a cell that includes one of C++ is one of C++.
 */
int cursor_ask_path(struct compiler *c, const char *path, const struct cell_question *q,
		    struct error *err);

#endif
