/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a parser of PTX text, which all parser files share: the token stream, growing
 * tables, and the scalar types of PTX (chapter 5).
 */
#ifndef CGPU_EMULATOR_PTX_PARSER_H
#define CGPU_EMULATOR_PTX_PARSER_H

#include "common/cuda/ptx-lexer.h"
#include "emulator/ptx/ptx-syntax.h"

struct error;

struct ptx_range {
	const char *prefix;
	uint32_t len, count, first;
};

struct ptx_name {
	const char *text;
	uint32_t len;
	uint32_t index;
	bool is_variable; /* else a register */
};

/* A table that grows by doubling; `items` is malloc-ed. */
struct ptx_table {
	void *items;
	size_t count, cap;
};

struct ptx_parser {
	struct ptx_module *m;
	struct ptx_lexer lexer;
	struct ptx_token token; /* the next one, not consumed */
	struct error *err;
	/* of the body being parsed */
	struct ptx_table instructions, registers, variables, labels, scopes, names, ranges,
		target_lists;
	uint32_t scope;
	uint32_t loc;
	uint32_t local_bytes;
};

struct ptx_type {
	uint8_t size; /* bytes; 0 for .pred */
	uint8_t class;
	bool is_float;
};

int ptx_parser_error(struct ptx_parser *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void ptx_parser_advance(struct ptx_parser *p);
bool ptx_parser_at(const struct ptx_parser *p, char c);
bool ptx_parser_at_word(const struct ptx_parser *p, const char *word);
/* Consume the character or dotted word if it is next. */
bool ptx_parser_take(struct ptx_parser *p, char c);
bool ptx_parser_take_word(struct ptx_parser *p, const char *word);
int ptx_parser_expect(struct ptx_parser *p, char c);
/* An error at the next token, which is not what was wanted; -1. */
int ptx_parser_unexpected(struct ptx_parser *p, const char *wanted);
/* A signed integer constant; one of 32 bits without sign. */
int ptx_parser_integer(struct ptx_parser *p, int64_t *ret);
int ptx_parser_u32(struct ptx_parser *p, uint32_t *ret);
/* ".u32" and so on; false when the token is no fundamental type. */
bool ptx_parser_type(const struct ptx_token *t, struct ptx_type *ret);
/* A new zeroed element at the end; NULL and err when memory is out. */
void *ptx_parser_push(struct ptx_parser *p, struct ptx_table *t, size_t size);
/* Copy of the table's content in the module's pool. */
void *ptx_parser_keep(struct ptx_parser *p, const struct ptx_table *t, size_t size);
char *ptx_parser_text(struct ptx_parser *p, const struct ptx_token *t);

/*
 * `.space [.attribute(..)] [.align N] .type name[dims] [= init]` from after the space word up to
 * before the ';' or ','. ret->init and relocations are filled from the initialiser.
 */
int ptx_parse_variable(struct ptx_parser *p, enum ptx_space space, struct ptx_variable *ret);
bool ptx_space_of(const struct ptx_token *t, enum ptx_space *ret);
struct ptx_variable *ptx_module_add_variable(struct ptx_parser *p, const struct ptx_variable *v);
struct ptx_function *ptx_module_add_function(struct ptx_parser *p, const char *name);

/* '{' body '}' with the formal parameters already in p->variables and p->names. */
int ptx_parse_body(struct ptx_parser *p, struct ptx_function *f);

#endif
