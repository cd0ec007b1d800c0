/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What C cells see of a C++ cell: the types, extern "C" functions and variables that C can spell.
 * Clang itself judges: each is written as a C declaration, all are parsed as C after what the
 * session knows, and what is refused is left out. A variable that is refused is one of the
 * session's all the same: its name, its type in C++ and its size.
 */
#ifndef CGPU_COMPILER_CPP_NAMES_H
#define CGPU_COMPILER_CPP_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/code/unit.h"
#include "compiler/clang/clang-shim.h"

struct error;
struct mem_pool;
struct session;

struct cpp_name {
	enum clang_symbol_kind kind;
	const char *name;
	const char *declaration; /* C text without `;` */
	const char *otherwise;   /* what to declare when that is no C; NULL: nothing */
	const char *refused;     /* clang's words; NULL: it is C */
	uint32_t line;           /* in the cell */
	bool is_thread_local;
	bool is_c;                       /* said to be for C */
	bool is_entry;                   /* a kernel's stub */
	bool is_on_device;               /* a variable that C cells see nothing of */
	bool has_label;                  /* a function of another symbol */
	const char *cpp_type, *cpp_code; /* as C++ has it, as the next one */
	uint64_t cpp_size;
	const char *type, *type_code; /* as the C parse says, as the next two */
	uint64_t size, layout;
};

struct cpp_names {
	struct mem_pool *pool;
	struct cpp_name *at; /* owned; texts in the pool */
	size_t n, cap;
	struct buffer functions; /* struct unit_symbol: those that C has no such symbol of */
	bool has_main;
	bool failed;
};

void cpp_names_release(struct cpp_names *l);
/* A symbol of the C++ cell, from clang. */
void cpp_names_add(struct cpp_names *l, const struct clang_symbol *s);
/* A function that C++ cells alone know by its symbol: callers were compiled for the type of its
 * result. */
void cpp_names_add_function(struct cpp_names *l, const char *symbol, const char *type,
			    uint32_t line);
/* Have the names judged by clang with the options of C cells. -1: ERROR_MEMORY. */
int cpp_names_check(struct cpp_names *l, struct session *session,
		    const struct clang_options *options, struct error *err);
/* Declarations and symbols of the unit; a line in `notes` for each extern "C" that C cells do not
 * see. */
int cpp_names_finish(const struct cpp_names *l, struct unit *u, struct buffer *notes,
		     struct error *err);

#endif
