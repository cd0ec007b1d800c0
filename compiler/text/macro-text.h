/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a macro. */
#ifndef CGPU_COMPILER_MACRO_TEXT_H
#define CGPU_COMPILER_MACRO_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/text/token.h"

struct name_source;

struct macro_text {
	bool is_undefined;   /* the cell has undefined the name; nothing else is set */
	bool has_parameters; /* used as name(...) */
	const char *body;
	size_t len;
};

/* Finds the meaning of a word at token `before`: the last #define or #undef of the cell before it,
 * or else the session's. False when there is none. */
bool macro_text_find(const struct token_list *l, uint32_t before, const struct name_source *names,
		     const char *word, size_t len, struct macro_text *ret);
/* Tells whether the text of a macro makes names by `##`; `, ##__VA_ARGS__` does not. */
bool macro_text_pastes(const char *text, size_t len);

#endif
