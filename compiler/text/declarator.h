/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of one declaration: specifiers, then declarators with their initialisers. Only places
 * are found; types stay clang's business.
 */
#ifndef CGPU_COMPILER_DECLARATOR_H
#define CGPU_COMPILER_DECLARATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/text/split.h"

struct declarator {
	uint32_t first, end; /* tokens, without initialiser and separator */
	uint32_t name;	     /* the declared name; TOKEN_NONE if there is none */
	uint32_t equals;     /* `=`, TOKEN_NONE without initialiser */
	uint32_t init_end;   /* behind the initialiser: [equals + 1, init_end) */
	bool is_pointer;     /* a `*` before the name */
	bool is_function;    /* `name(`: a prototype */
	bool is_array;	     /* `name[` */
	bool is_unsized;     /* `name[]` */
};

struct declaration_parts {
	uint32_t first, specifiers_end;
	uint32_t body;	    /* `{` of a struct, union or enum among the specifiers; TOKEN_NONE */
	uint32_t tag;	    /* the keyword struct, union or enum; TOKEN_NONE */
	uint32_t tag_name;  /* TOKEN_NONE for none */
	uint32_t type_name; /* a typedef's name used as type; TOKEN_NONE */
	bool is_typedef, is_extern, is_static, is_inline, is_const, is_auto_type, is_thread_local, is_other;
	bool is_constexpr, is_shared; /* CUDA C++ */
	struct declarator *declarators; /* in the pool */
	uint32_t n;
};

/* is_other: static_assert and asm, which declare nothing. For a function definition the one
 * declarator ends at its body. */
int declaration_parts_init(struct declaration_parts *p, const struct token_list *l,
			   const struct item *item, struct mem_pool *pool, struct error *err);

/* The name that a parameter [first, end) declares; TOKEN_NONE when it has none. */
uint32_t declarator_parameter_name(const struct token_list *l, uint32_t first, uint32_t end);
/* The comma behind the parameter that begins at i, or `close`. */
uint32_t declarator_parameter_end(const struct token_list *l, uint32_t i, uint32_t close);

#endif
