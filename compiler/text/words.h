/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classifies the words of a cell's tokens in C and CUDA C++ (words.def), and sequences of them.
 * These are guesses: only clang knows whether a name is a type.
 */
#ifndef CGPU_COMPILER_WORDS_H
#define CGPU_COMPILER_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/text/token.h"

enum word_class { WORD_NONE, WORD_TYPE, WORD_MARK, WORD_STATEMENT, WORD_OPERATOR };

enum word_class word_class_of(const char *word, size_t len);
/* Tells whether a word is a keyword of the language, never an identifier. */
bool word_is_keyword(const char *word, size_t len);

/* Tell whether a token begins a declaration, or is an identifier: for a keyword of C++ that depends
 * on what follows it. */
bool words_at_specifier(const struct token_list *l, uint32_t i);
bool words_at_identifier(const struct token_list *l, uint32_t i);
/* Tells whether the text at the token looks like a declaration. */
bool words_declare(const struct token_list *l, uint32_t i);

/* Returns the position behind the tag that may follow `struct`, `union` or `enum` at i, with
 * attributes (also macros for them) and an enum's type skipped; *ret_name: the tag, or
 * TOKEN_NONE. */
uint32_t words_tag(const struct token_list *l, uint32_t i, uint32_t *ret_name);

#endif
