/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the declarations of a C cell for later cells: directives by its tokens, and the symbols
 * that clang reports (struct clang_symbol).
 */
#ifndef CGPU_COMPILER_DECLARE_H
#define CGPU_COMPILER_DECLARE_H

#include <stddef.h>

#include "common/code/unit.h"
#include "common/text/names.h"
#include "compiler/clang/job/clang-shim.h"
#include "compiler/frontend/host-text.h"
#include "compiler/session/pragma-state.h"

struct declare {
	struct mem_pool *pool;
	uint32_t cell;
	struct clang_symbol *symbols; /* owned; texts in the pool; those of the cell only */
	size_t n_symbols, cap_symbols;
	struct declaration *declarations; /* owned; texts in the pool */
	size_t n, cap;
	struct names keys; /* a declaration's number is its index: name space and name */
	struct skipped_range {
		uint32_t begin, end; /* of the cell's text */
	} *skipped;                  /* owned: branches of #if that are not taken */
	size_t n_skipped, cap_skipped;
	struct pragma_state pragmas; /* at the end of the cell, from pragma_state_add() */
	int failed;
};

void declare_begin(struct declare *d, struct mem_pool *pool,
		   const struct compiler_session *session);
void declare_release(struct declare *d);
/* Adds a copy of a symbol, from a clang callback. */
void declare_symbol(struct declare *d, const struct clang_symbol *s);
/* Marks bytes [begin, end) of the cell as being in a branch of #if that is not taken. */
void declare_skipped(struct declare *d, uint32_t begin, uint32_t end);
/* Makes the declarations from the cell's directives and the symbols. -1: ERROR_MEMORY. */
int declare_finish(struct declare *d, uint32_t cell, struct host_text *h,
		   const struct compiler_session *session, struct error *err);

#endif
