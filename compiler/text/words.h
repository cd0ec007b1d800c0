/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the words of a cell's tokens are in C and CUDA C++ (words.def), and what they look like
 * together. These are guesses: a name may be a type or not, which clang alone knows.
 */
#ifndef CGPU_COMPILER_WORDS_H
#define CGPU_COMPILER_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/text/token.h"

enum word_class { WORD_NONE, WORD_TYPE, WORD_MARK, WORD_STATEMENT, WORD_OPERATOR };

enum word_class word_class_of(const char *word, size_t len);
/* A word of the language, never an identifier? */
bool word_is_keyword(const char *word, size_t len);

/* A token that starts a declaration, or an identifier: a word of C++ is the one or the other by
 * what stands behind it. */
bool words_at_specifier(const struct token_list *l, uint32_t i);
bool words_at_identifier(const struct token_list *l, uint32_t i);
/* Does what starts at the token look like a declaration? */
bool words_declare(const struct token_list *l, uint32_t i);

/* Behind the tag that may follow `struct`, `union` or `enum` at i, attributes (also macros that
 * stand for them) and an enum's type skipped; *ret_name: the tag, or TOKEN_NONE. */
uint32_t words_tag(const struct token_list *l, uint32_t i, uint32_t *ret_name);

#endif
