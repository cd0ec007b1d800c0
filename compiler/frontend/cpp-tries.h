/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tries of compiling a C++ cell: compile-cpp.c makes a unit of it; this file handles clang's
 * diagnostics of a try, and decides what changes in the next one.
 */
#ifndef CGPU_COMPILER_CPP_TRIES_H
#define CGPU_COMPILER_CPP_TRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/mem-pool.h"
#include "common/code/unit.h"
#include "compiler/clang/job/clang-shim.h"
#include "compiler/frontend/cpp-diagnostics.h"
#include "compiler/frontend/device-half.h"
#include "compiler/frontend/diagnostics.h"
#include "compiler/session/cpp-dependents.h"
#include "compiler/session/cpp-names.h"
#include "compiler/session/cpp-own.h"
#include "compiler/session/cpp-pieces.h"
#include "compiler/session/pragma-state.h"
#include "compiler/text/cpp-cell.h"
#include "compiler/text/unit-text.h"
#include "compiler/units/instances.h"

struct compile_request;
struct compiler;

struct cpp_unit {
	struct compiler *compiler;
	const struct compile_request *request;
	const struct clang_options *options;
	struct mem_pool pool;
	struct cpp_cell cell;
	struct buffer header; /* path */
	/* The same header, or the one chained to it with instances of its templates. */
	struct buffer with_instances;
	bool no_instances;      /* the instances conflict with declarations of the cell */
	struct buffer includes; /* the source of the header */
	struct unit_text text;
	struct edit_list edits; /* for lambdas that use variables of the session */
	struct diagnostics diagnostics;
	struct cpp_diagnostics filter;
	struct cpp_names names;
	struct cpp_pieces pieces;
	struct cpp_own own;
	struct pragma_state before, pragmas; /* at the beginning of the cell, and so far */
	struct buffer own_variables;         /* symbols, each with its NUL */
	struct instances instances;
	struct buffer unused; /* struct clang_diagnostic: about unused results */
	struct clang_result object;
	struct buffer behind;  /* kernels that are recompiled */
	struct buffer kernels; /* struct unit_kernel */
	struct clang_job job;  /* of this try */
	struct device_half half;
	char *ptx; /* owned; NULL: no device code */
	size_t ptx_len;
	/* By the session's entry: a kernel that is recompiled, see cpp_pieces_follow(). */
	bool *anew;
	/* By the session's entry: a kernel that does not compile with the new definitions, and
	 * keeps its code. */
	bool *stays;
	const char *stays_why;   /* the first error */
	const char **anew_names; /* names of their places in diagnostics */
	size_t n_anew;
	uint8_t *dropped; /* enum cpp_drop, by the session's entry */
	struct cpp_dependents dependents;
	const char **why; /* clang's errors, for those that are no C++ */
	uint32_t n_entries;
	bool again;        /* an entry was dropped in this try */
	bool last_clashed; /* the last error was about two meanings of a name */
	/* The entry that the error is in, unless its notes name another; UINT32_MAX: none. */
	uint32_t suspect;
	const char *suspect_why;
	long last_error; /* offset in the text; -1: it is elsewhere */
	/* The user's flags; the second text includes those for device code. */
	struct buffer flags, device_flags;
	enum clang_severity last_severity; /* of the device compilation */
	bool run_main, no_memory;
	char run[40];
	struct unit unit;
};

/* Callbacks of a try, for struct clang_job; the context is the unit. */
void cpp_tries_on_diagnostic(void *context, const struct clang_diagnostic *d);
void cpp_tries_on_edit(void *context, unsigned begin, unsigned end, const char *with);
void cpp_tries_on_launched(void *context, const char *file);

/* Returns the session's entry that a file name in diagnostics means; UINT32_MAX: none. */
uint32_t cpp_tries_entry_of(const char *file);
/* Tells whether a C++ cell has declared the entry. */
bool cpp_tries_is_piece(const struct cpp_unit *x, uint32_t entry);
/* Ends a try. Its results are in x->dropped, x->dependents and x->edits; x->again: another try is
 * needed. */
void cpp_tries_end(struct cpp_unit *x);

/* Names, behind the errors, declarations that the cell mentions but cannot see. */
void cpp_tries_tell_dropped(struct cpp_unit *x);
/* Names, in a note, kernels that keep an old definition. */
void cpp_tries_tell_stays(struct cpp_unit *x);

#endif
