/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a cell declares for later cells: directives and tags as the cell wrote them, variables,
 * functions and typedefs as clang understood them.
 */
#ifndef CGPU_COMPILER_DECLARE_H
#define CGPU_COMPILER_DECLARE_H

#include <stddef.h>

#include "common/unit.h"
#include "compiler/clang/clang-shim.h"
#include "compiler/frontend/host-text.h"
#include "compiler/session/pragma-state.h"

struct declare {
	struct mem_pool *pool;
	uint32_t cell;
	struct clang_symbol *symbols; /* owned; texts in the pool; those of the cell only */
	size_t n_symbols, cap_symbols;
	struct declaration *declarations; /* owned; texts in the pool */
	size_t n, cap;
	uint32_t *branches; /* owned: tokens of the #if directives whose branch was taken */
	size_t n_branches, cap_branches;
	struct name_source names;
	const struct session *session;
	struct pragma_state pragmas; /* as far as the items are gone through */
	int failed;
};

void declare_release(struct declare *d);
/* A clang callback's symbol; copied. */
void declare_symbol(struct declare *d, const struct clang_symbol *s);
/* Fill the declarations from the cell's items and the symbols. -1: ERROR_MEMORY. */
int declare_finish(struct declare *d, const struct host_text *h, const struct session *session, struct error *err);

#endif
