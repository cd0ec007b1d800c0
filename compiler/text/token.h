/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokens of a cell with their exact places. Comments and white space are skipped, a
 * preprocessor directive is one token with all its continuation lines, and CUDA's <<< and >>> are
 * one token each (C has no use for them). Nothing is expanded and nothing is refused: what does not
 * lex is a token of kind TOKEN_OTHER for clang to complain about.
 */
#ifndef CGPU_COMPILER_TOKEN_H
#define CGPU_COMPILER_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mem_pool;
struct error;

enum token_kind {
	TOKEN_NAME,
	TOKEN_NUMBER,
	TOKEN_STRING,
	TOKEN_CHARACTER,
	TOKEN_PUNCTUATION,
	TOKEN_DIRECTIVE,
	TOKEN_OTHER
};

struct token {
	enum token_kind kind;
	uint32_t start, end; /* bytes of the text */
	uint32_t line;       /* from 1 */
	char bracket; /* for a macro that stands for `{` or `}`: that bracket; 0 for others */
	/* For a bracket: index of its partner; for others and unmatched ones: TOKEN_NONE. */
	uint32_t match;
};

#define TOKEN_NONE UINT32_MAX

struct token_list {
	const char *text; /* borrowed */
	size_t len;
	struct token *at; /* in the pool */
	uint32_t n;
	bool open_comment; /* the text ends inside a comment */
	bool open_string;  /* a string or character constant ends with its line */
	bool open_splice;  /* the text ends with a backslash */
	uint32_t unclosed; /* index of the last opening bracket without partner, TOKEN_NONE if none
			    */
	uint32_t unopened; /* index of the first closing bracket without partner, TOKEN_NONE if none
			    */
	/* Index of the opening bracket that stands between that one and its partner; TOKEN_NONE: it
	 * would have no partner without it either. */
	uint32_t between;
};

/* Splits the text, which is borrowed, into tokens. -1 with ERROR_MEMORY. */
int token_list_init(struct token_list *l, const char *text, size_t len, struct mem_pool *pool,
		    struct error *err);

/* Turns names that are macros for a bracket into brackets; stands_for() returns the bracket, 0 for
 * none. -1 with ERROR_MEMORY. */
int token_list_set_brackets(struct token_list *l, char (*stands_for)(void *data, uint32_t i),
			    void *data, struct error *err);

/* Tells whether token i is exactly this text. False behind the end. */
bool token_is(const struct token_list *l, uint32_t i, const char *text);
/* Tells whether there is such a token. */
bool token_list_has(const struct token_list *l, const char *text);
static inline bool token_is_name(const struct token_list *l, uint32_t i)
{
	return i < l->n && l->at[i].kind == TOKEN_NAME;
}

static inline size_t token_len(const struct token_list *l, uint32_t i)
{
	return l->at[i].end - l->at[i].start;
}

static inline const char *token_text(const struct token_list *l, uint32_t i)
{
	return l->text + l->at[i].start;
}

/* Returns the token behind the bracket pair that opens at i; the end of the list if it has no
 * partner. */
uint32_t token_behind(const struct token_list *l, uint32_t i);

/* Tells whether the token is the directive `#word`. */
bool token_directive_is(const struct token_list *l, uint32_t i, const char *word);
/* Returns the text behind the directive's word, to the end of the token, without leading blanks. */
const char *token_directive_rest(const struct token_list *l, uint32_t i, size_t *ret_len);
/* Returns the name in a #define or #undef: the first word behind it. */
const char *token_directive_name(const struct token_list *l, uint32_t i, size_t *ret_len);

/* Returns line and column (from 1, in bytes) of an offset. */
void text_position(const char *text, size_t len, size_t offset, uint32_t *ret_line,
		   uint32_t *ret_column);

#endif
