/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the C view of a C++ cell: the types, extern "C" functions and variables that can be
 * declared in C. Clang decides: each is written as a C declaration, all are parsed as C behind the
 * session's declarations, and those with errors are left out. A refused variable still belongs to
 * the session, with its name, its C++ type and its size.
 */
#ifndef CGPU_COMPILER_CPP_NAMES_H
#define CGPU_COMPILER_CPP_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/code/unit.h"
#include "common/text/names.h"
#include "compiler/clang/job/clang-shim.h"

struct error;
struct mem_pool;
struct compiler_session;

struct cpp_name {
	enum clang_symbol_kind kind;
	const char *name;
	const char *declaration; /* C text without `;` */
	const char *otherwise;   /* a substitute if that is no C; NULL: none */
	const char *refused;     /* clang's error; NULL: it is valid C */
	const char *written;     /* its text in the cell, with the comment above */
	uint32_t line;           /* in the cell */
	bool is_thread_local;
	bool is_c;                       /* declared for C by the user */
	bool is_entry;                   /* a kernel's stub */
	bool is_on_device;               /* a device variable, which C cells cannot see */
	bool has_label;                  /* a function with another symbol name */
	const char *cpp_type, *cpp_code; /* the C++ spelling, also of the next one */
	uint64_t cpp_size;
	const char *type, *type_code; /* from the C parse, also the next two */
	uint64_t size, layout;
};

struct cpp_names {
	struct mem_pool *pool;
	struct cpp_name *at; /* owned; texts in the pool */
	size_t n, cap;
	struct names keys;       /* by index: the kind and the name of each */
	struct buffer functions; /* struct unit_symbol: functions whose symbols C cannot name */
	bool has_main;
	bool failed;
};

void cpp_names_init(struct cpp_names *l, struct mem_pool *pool);
void cpp_names_release(struct cpp_names *l);
/* Adds a symbol of the C++ cell, as clang reports it; written: as in cpp_pieces_add(). */
void cpp_names_add(struct cpp_names *l, const struct clang_symbol *s, const char *written);
/* Adds a function that only C++ cells know by its symbol: its type is kept, since callers depend on
 * the type of the result. */
void cpp_names_add_function(struct cpp_names *l, const char *symbol, const char *type,
			    uint32_t line);
/* Checks the names with clang and the options of C cells. -1: ERROR_MEMORY. */
int cpp_names_check(struct cpp_names *l, struct compiler_session *session,
		    const struct clang_options *options, struct error *err);
/* Adds declarations and symbols to the unit, and to `notes` a line for each extern "C" that C cells
 * cannot see. */
int cpp_names_finish(const struct cpp_names *l, struct unit *u, struct buffer *notes,
		     struct error *err);

#endif
