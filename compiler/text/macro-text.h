/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a name stands for that is a macro of the cell or of the session, as far as splitting needs to know it: the text of its
 * definition. Nothing is expanded; that is clang's.
 */
#ifndef CGPU_COMPILER_MACRO_TEXT_H
#define CGPU_COMPILER_MACRO_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/text/token.h"

struct name_source;

struct macro_text {
	bool is_undefined;	/* the cell has taken the name away again; nothing else is set */
	bool has_parameters;	/* used as name(...) */
	const char *parameters; /* what stands between the parentheses */
	size_t parameters_len;
	const char *body; /* without the _Pragma(...) that it may start and end with */
	size_t len;
	const char *all; /* with them */
	size_t all_len;
	const char *pragma; /* what the first of these has between its parentheses; NULL: there is none */
	size_t pragma_len;
};

/* What the word means at token `before`: the last #define or #undef of the cell before it, or else the session's. False when
 * neither knows. */
bool macro_text_find(const struct token_list *l, uint32_t before, const struct name_source *names, const char *word,
		     size_t len, struct macro_text *ret);
/* Behind the `_Pragma("...")` that starts at this byte, *ret_open: behind its parenthesis; 0 when there is none. */
size_t macro_text_pragma(const char *p, size_t n, size_t at, size_t *ret_open);
/* Which parameter the word is, from 0; -1 when it is none. */
int macro_text_parameter(const struct macro_text *m, const char *word, size_t len);
/* The body ends with `}` or `;`, so that a use of the macro needs no `;` of its own. */
bool macro_text_is_closed(const struct macro_text *m);
/* The last thing of the body when it is a word or `word(...)`; NULL when it is something else. */
const char *macro_text_last(const struct macro_text *m, size_t *ret_len);
/* Does the text of a macro make names by `##`? `, ##__VA_ARGS__` makes none. */
bool macro_text_pastes(const char *text, size_t len);
/* Bytes of the word that p starts with. */
size_t macro_text_word(const char *p, size_t n);

#endif
