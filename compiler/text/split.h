/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell is split into its top-level items: directives, declarations, function definitions,
 * statements and the trailing expression. The one ambiguity of C at this level, whether a leading
 * name is a type, is answered by the caller's knowledge of names (session, headers) and by what the
 * cell has declared so far.
 */
#ifndef CGPU_COMPILER_SPLIT_H
#define CGPU_COMPILER_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/text/token.h"

struct mem_pool;
struct error;

enum item_kind {
	ITEM_DIRECTIVE,
	ITEM_DECLARATION, /* with its `;`, unless the text ends before it */
	ITEM_FUNCTION,	  /* a definition */
	ITEM_STATEMENT,
	ITEM_EXPRESSION, /* the last item, an expression without `;` */
};

struct item {
	enum item_kind kind;
	bool is_opaque;	     /* a declaration that a macro spells out: it has no parts to be seen */
	uint32_t first, end; /* tokens [first, end) */
	uint32_t body;	     /* ITEM_FUNCTION: the token `{` */
};

/* What a name means before the cell. */
enum name_class {
	NAME_UNKNOWN,
	NAME_TYPE,
	NAME_VALUE,	      /* variable, function, enum constant */
	NAME_MACRO_SPECIFIER, /* a macro whose body starts like a declaration */
	NAME_MACRO_EMPTY,     /* a macro with nothing in it, such as an export mark */
	NAME_MACRO,	      /* any other */
};

struct name_source {
	enum name_class (*classify)(void *context, const char *name, size_t len);
	/* What stands behind the name in the #define of an earlier cell; NULL when there is none. */
	const char *(*macro)(void *context, const char *name, size_t len);
	void *context;
};

struct split {
	struct token_list tokens;
	struct item *items; /* in the pool */
	uint32_t n_items;
};

/* text is borrowed and must outlive the split. -1 with ERROR_MEMORY. */
int split_init(struct split *s, const char *text, size_t len, const struct name_source *names,
	       struct mem_pool *pool, struct error *err);

/* A token that starts a declaration, or an identifier: a word of C++ is the one or the other by what stands behind it. */
bool split_at_specifier(const struct token_list *l, uint32_t i);
bool split_at_identifier(const struct token_list *l, uint32_t i);

/* `enum class` of C++: its constants are known as `tag::name`, in C as SCOPED_SEPARATOR joins the two. */
#define SCOPED_SEPARATOR "__"
bool split_is_scoped_enum(const struct token_list *l, uint32_t i);
/* Behind the tag that may follow `struct`, `union` or `enum` at i, attributes (also macros that stand for them) and an enum's
 * type skipped; *ret_name: the tag, or TOKEN_NONE. */
uint32_t split_tag(const struct token_list *l, uint32_t i, uint32_t *ret_name);

/* compiler/text/words.def */
enum word_class { WORD_NONE, WORD_TYPE, WORD_MARK, WORD_STATEMENT, WORD_OPERATOR };

enum word_class split_word_class(const char *word, size_t len);
/* Does this word start a declaration in C or CUDA C++: a type specifier, a qualifier, a storage
 * class? */
bool split_is_specifier(const char *word, size_t len);
/* A word of the language, never an identifier? */
bool split_is_keyword(const char *word, size_t len);

#endif
