/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diagnostics of clang and nvcc, in terms of the cell: "In[3]:2:5: error: ...", the cell's own line
 * and a caret. Generated text of the translation unit is never shown.
 */
#ifndef CGPU_COMPILER_DIAGNOSTICS_H
#define CGPU_COMPILER_DIAGNOSTICS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "compiler/clang/job/clang-shim.h"
#include "compiler/session/in-the-way.h"

struct compile_request;
struct mem_pool;
struct compiler_session;
struct unit_text;

#define DIAGNOSTICS_TOLD_MAX 200

struct diagnostics {
	const char *cell; /* borrowed */
	size_t cell_len;
	const char *cell_name;                  /* borrowed */
	const struct compiler_session *session; /* for dropped names; borrowed, may be NULL */
	/* A hint for names of CUDA's headers when these are missing; borrowed, or NULL. */
	const char *no_cuda;
	struct buffer errors, warnings;    /* with their notes */
	struct buffer first;               /* first line of the first error */
	uint32_t first_line, first_column; /* its place in the cell; 0 if it is elsewhere */
	/* It is from clang's parser; it is about an unknown name. */
	bool first_in_syntax, first_unknown;
	struct in_the_way in_the_way;
	unsigned n_errors, n_warnings; /* n_warnings: of clang, with those that are not shown */
	/* The place of the last error if it is about an unknown name, or -1. */
	long unknown_at;
	size_t unknown_start;     /* where its text begins */
	enum clang_severity last; /* decides where notes belong */
	bool last_shown;
	uint64_t told[DIAGNOSTICS_TOLD_MAX]; /* hashes of what was said about the cell */
	unsigned n_told;
};

/* cell: the text of the cell, borrowed; where the request has another for messages, that is taken.
 */
void diagnostics_init(struct diagnostics *d, const struct compile_request *request,
		      const char *cell);
void diagnostics_release(struct diagnostics *d);

/* Returns a short file name: "signal.h" for "/usr/include/signal.h", "bits/stl_vector.h" for one of
 * the C++ library, "own.h" for "./own.h". */
const char *diagnostics_short_name(const struct clang_diagnostic *c);
/* Copies a diagnostic, with its texts in the pool, so that it outlives the callback. False: there
 * is no memory. */
bool diagnostics_keep(const struct clang_diagnostic *c, struct mem_pool *pool,
		      struct clang_diagnostic *ret);
/* Adds a diagnostic of clang about a unit. */
void diagnostics_add_clang(struct diagnostics *d, const struct unit_text *unit,
			   const struct clang_diagnostic *c);
/* Adds a diagnostic at a place of the cell; line 0: about the whole cell; column 0: no caret. */
void diagnostics_add(struct diagnostics *d, enum clang_severity severity, uint32_t line,
		     uint32_t column, uint32_t width, const char *message);
/* Adds a hint to the last diagnostic. */
void diagnostics_hint(struct diagnostics *d, const char *hint);
/* Adds how many warnings were left out, if any were, and returns the text of all. */
const char *diagnostics_finish_warnings(struct diagnostics *d);
/* Adds the log of nvcc, whose lines are the cell's. */
void diagnostics_add_nvcc(struct diagnostics *d, const char *log);

#endif
