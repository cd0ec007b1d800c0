/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the text of a cell to a unit: as C (split, host text, declarations for later cells), and
 * what C does not take as CUDA C++ (compile-cpp.h). Nothing of a refused cell is kept.
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
	bool is_cpp; /* cells are C++, whatever they begin with */
	struct session session;
	struct options options;
	struct local_includes includes;
	char *cflags; /* of the last cell, for what is asked between cells; owned, NULL: none */
	unsigned sm;  /* of the session's device; 0: not known yet */
	bool ahead;   /* what C++ cells need first has been looked at, see compiler_rest() */
	struct unit_cache cache;
	struct session_header header;
	struct cpp_header_watch cpp_header, device_header; /* of the last C++ cell */
	struct cpp_instances cpp_instances;
	bool has_cpp; /* a C++ cell without flags was compiled: the next one is begun ahead, too */
};

struct compile_request {
	uint32_t cell;
	const char *cell_name; /* "In[3]" */
	const char *text;
	const char *cflags;
	const char *nvflags;
	uint32_t sm;  /* 75 */
	bool checked; /* accesses to memory are checked, see common/protocol/compiler-protocol.h */
	bool functions_only; /* of the cell; the rest is taken from the session */
};

struct diagnostics;

struct compile_result {
	bool ok;
	struct buffer unit;       /* encoded, when ok */
	struct buffer first, all; /* else: first line of the first error, all diagnostics */
	uint32_t line, column;    /* of the first error; 0 if it has none */
	bool in_syntax,
		is_unknown; /* the first error is of the parser; about a name that means nothing */
	struct in_the_way in_the_way;
};

int compiler_init(struct compiler *c, struct error *err);
/*
 * Nothing is to be done: prepare for the next cell, in steps. The first time that `sm` is known,
 * also for the first one in C++. The next step is to be done after so many milliseconds of rest, 0:
 * at once; -1: there is none.
 */
int compiler_rest(struct compiler *c);
/* Is a cell C++ by what it begins with, or as all of the session? */
bool compiler_takes_for_cpp(const struct compiler *c, const char *text);
void compiler_release(struct compiler *c);

/* Fills ret (release it). -1 only when nothing can be said about the cell. */
int compiler_compile(struct compiler *c, const struct compile_request *request,
		     struct compile_result *ret, struct error *err);
/* The cell does not compile: the answer is what was found. */
void compile_result_refuse(struct compile_result *r, const struct diagnostics *d);
void compile_result_release(struct compile_result *r);

#endif
