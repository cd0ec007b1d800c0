/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiles the text of a cell to a unit: as C (split, host text, declarations for later cells), and
 * what C refuses as CUDA C++ (compile-cpp.h). Nothing of a refused cell is kept.
 */
#ifndef CGPU_COMPILER_COMPILE_H
#define CGPU_COMPILER_COMPILE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "compiler/session/cpp-instances.h"
#include "compiler/session/in-the-way.h"
#include "compiler/session/options.h"
#include "compiler/session/session-header.h"
#include "compiler/session/session.h"
#include "compiler/text/local-include.h"
#include "compiler/units/unit-cache.h"

struct compiler {
	bool is_cpp; /* all cells are C++ */
	struct compiler_session session;
	struct options options;
	struct local_includes includes;
	char *cflags; /* of the last cell, for questions between cells; owned, NULL: none */
	unsigned sm;  /* of the session's device; 0: not known yet */
	bool ahead;   /* the headers of the first C++ cell were considered, see compiler_rest() */
	struct unit_cache cache;
	struct session_header header;
	struct cpp_header_watch cpp_header, device_header; /* for the last C++ cell */
	struct cpp_instances cpp_instances;
	/* A C++ cell without flags was compiled, so the next one is prepared, too. */
	bool has_cpp;
};

struct compile_request {
	uint32_t cell;
	const char *cell_name; /* "In[3]" */
	const char *text;
	const char *written; /* what messages quote, line by line; NULL: the text */
	const char *cflags;
	const char *nvflags;
	uint32_t sm; /* 75 */
	/* See common/protocol/compiler-protocol.h: memory accesses are checked; the code is for a
	 * debugger. */
	bool checked, debugged;
	bool functions_only; /* compiles only the cell's functions; the rest is taken from the
				session */
};

struct diagnostics;

struct compile_result {
	bool ok;
	struct buffer unit;       /* encoded, when ok */
	struct buffer first, all; /* on failure: first line of the first error, all diagnostics */
	uint32_t line, column;    /* of the first error; 0 if it has none */
	/* The first error is the parser's; it is about an unknown name. */
	bool in_syntax, is_unknown;
	struct in_the_way in_the_way;
};

int compiler_init(struct compiler *c, struct error *err);
/*
 * Prepares for the next cell, in steps, while the compiler is idle; when `sm` becomes known, also
 * for the first C++ cell. Returns the idle time in milliseconds after which the next step is due,
 * 0: at once; -1: there is none.
 */
int compiler_rest(struct compiler *c);
/* Tells whether a cell is C++, by its first line or because the session is. */
bool compiler_takes_for_cpp(const struct compiler *c, const char *text);
void compiler_release(struct compiler *c);

/* Compiles a cell and fills ret (release it). -1 only when nothing can be said about the cell. */
int compiler_compile(struct compiler *c, const struct compile_request *request,
		     struct compile_result *ret, struct error *err);
/* Fills the result of a cell that does not compile from its diagnostics. */
void compile_result_refuse(struct compile_result *r, struct diagnostics *d);
void compile_result_release(struct compile_result *r);

#endif
