/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What clang and nvcc say, in the words of the cell: "In[3]:2:5: error: ...", the cell's own line
 * and a caret. Text of ours in the translation unit is never shown.
 */
#ifndef CGPU_COMPILER_DIAGNOSTICS_H
#define CGPU_COMPILER_DIAGNOSTICS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "compiler/clang/clang-shim.h"
#include "compiler/session/in-the-way.h"

struct mem_pool;
struct session;
struct unit_text;

struct diagnostics {
	const char *cell; /* borrowed */
	size_t cell_len;
	const char *cell_name;         /* borrowed */
	const struct session *session; /* knows dropped names; borrowed, may be NULL */
	const char *no_cuda; /* what to do about names that CUDA's headers have, when these are not
				there; borrowed, or NULL */
	struct buffer errors, warnings;    /* with their notes */
	struct buffer first;               /* first line of the first error */
	uint32_t first_line, first_column; /* its place in the cell; 0 if it is elsewhere */
	bool first_in_syntax,
		first_unknown; /* it is of clang's parser; about a name that means nothing */
	struct in_the_way in_the_way;
	unsigned n_errors;
	long unknown_at; /* the place of the last error, if it is about a name that means nothing,
			    or -1 */
	size_t unknown_start;     /* where its text begins */
	enum clang_severity last; /* where notes belong */
	bool last_shown;
};

void diagnostics_init(struct diagnostics *d, const char *cell, size_t cell_len,
		      const char *cell_name);
void diagnostics_release(struct diagnostics *d);

/* Its file: "signal.h" for "/usr/include/signal.h", "bits/stl_vector.h" for one of the C++ library,
 * "own.h" for "./own.h". */
const char *diagnostics_short_name(const struct clang_diagnostic *c);
/* A copy that outlives the callback, with its texts in the pool. False: there is no memory. */
bool diagnostics_keep(const struct clang_diagnostic *c, struct mem_pool *pool,
		      struct clang_diagnostic *ret);
/* One of clang's about a unit. */
void diagnostics_add_clang(struct diagnostics *d, const struct unit_text *unit,
			   const struct clang_diagnostic *c);
/* One at a place of the cell; line 0: about the whole cell; column 0: no caret. */
void diagnostics_add(struct diagnostics *d, enum clang_severity severity, uint32_t line,
		     uint32_t column, uint32_t width, const char *message);
/* What to do about the last one added. */
void diagnostics_hint(struct diagnostics *d, const char *hint);
/* The log of nvcc, whose lines are the cell's. */
void diagnostics_add_nvcc(struct diagnostics *d, const char *log);

#endif
