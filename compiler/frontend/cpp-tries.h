/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A C++ cell while it is compiled, try after try: compile-cpp.c makes a unit of it, and here is
 * heard what clang says of a try, and decided what the next one is made of.
 */
#ifndef CGPU_COMPILER_CPP_TRIES_H
#define CGPU_COMPILER_CPP_TRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/mem-pool.h"
#include "common/code/unit.h"
#include "compiler/clang/clang-shim.h"
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
	struct buffer header;         /* path */
	struct buffer with_instances; /* the same, or the one behind it that has instances of its
					 templates */
	bool no_instances;            /* those are in the way of what the cell declares */
	struct buffer includes;       /* what it is made of */
	struct unit_text text;
	struct edit_list edits; /* lambdas that mean variables of the session */
	struct diagnostics diagnostics;
	struct cpp_diagnostics filter;
	struct cpp_names names;
	struct cpp_pieces pieces;
	struct cpp_own own;
	struct pragma_state before, pragmas; /* where the cell begins, and so far */
	struct buffer own_variables;         /* symbols, each with its NUL */
	struct instances instances;
	struct buffer unused; /* struct clang_diagnostic: about results that nobody takes */
	struct clang_result object;
	struct buffer behind;  /* the kernels that are compiled again */
	struct buffer entries; /* struct unit_entry */
	struct clang_job job;  /* of this try */
	struct device_half half;
	char *ptx; /* owned; NULL: no device code */
	size_t ptx_len;
	bool *anew;  /* by the session's entry: a kernel that is compiled again, see
			cpp_pieces_follow() */
	bool *stays; /* by the session's entry: a kernel that does not compile so, and keeps what it
			was made of */
	const char *stays_why;   /* the first error */
	const char **anew_names; /* of their places */
	size_t n_anew;
	uint8_t *dropped; /* enum cpp_drop, by the session's entry */
	struct cpp_dependents dependents;
	const char **why; /* clang's words, for those that are no C++ */
	uint32_t n_entries;
	bool again;        /* an entry was dropped in this try */
	bool last_clashed; /* the last error was about two meanings of a name */
	uint32_t suspect;  /* the entry that it is in, if its notes do not tell of another;
			      UINT32_MAX: none */
	const char *suspect_why;
	long last_error; /* where it is in the text; -1: not there */
	struct buffer flags,
		device_flags; /* the user's; the second has those for device code, too */
	enum clang_severity last_severity; /* of the device's half */
	bool run_main, no_memory;
	char run[40];
	struct unit unit;
};

/* Callbacks of a try, for struct clang_job; the context is the unit. */
void cpp_tries_on_diagnostic(void *context, const struct clang_diagnostic *d);
void cpp_tries_on_edit(void *context, unsigned begin, unsigned end, const char *with);
void cpp_tries_on_launched(void *context, const char *file);

/* The session's entry that a file of diagnostics means; UINT32_MAX: none. */
uint32_t cpp_tries_entry_of(const char *file);
/* Has a C++ cell declared it? */
bool cpp_tries_is_piece(const struct cpp_unit *x, uint32_t entry);
/* The try is over: what it has found stands in x->dropped, x->dependents and x->edits; x->again:
 * there is another one to make. */
void cpp_tries_end(struct cpp_unit *x);

/* What the cell names and does not see, behind its errors. */
void cpp_tries_tell_dropped(struct cpp_unit *x);
/* The kernels that go on with an old definition, as a note. */
void cpp_tries_tell_stays(struct cpp_unit *x);

#endif
