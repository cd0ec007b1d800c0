/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The translation unit of a C cell: the declarations of the session that it needs, and its own
 * text, in which statements and declarations are mixed (compiler/clang/cells/clang-turns.hh).
 * Clang's diagnostics may lead to edits in a few places.
 */
#ifndef CGPU_COMPILER_HOST_TEXT_H
#define CGPU_COMPILER_HOST_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem-pool.h"
#include "compiler/session/session.h"
#include "compiler/text/token.h"
#include "compiler/text/unit-text.h"

struct host_text {
	const char *cell_name;
	struct mem_pool *pool;
	struct token_list tokens;
	struct edit_list wanted; /* edits in reaction to clang's diagnostics */
	struct edit_list edits;
	struct session_mask *masks; /* names that the cell defines */
	uint32_t n_masks;
	uint32_t *own; /* name tokens with headers' names that the cell defines */
	uint32_t n_own;
	uint32_t *
		taken; /* name tokens of the headers' names that the cell declares in its own way */
	uint32_t n_taken;
	uint32_t *left; /* name tokens that mean the headers' all the same */
	uint32_t n_left;
	char run[40]; /* "cgpu_cell_3" */
	struct unit_text unit;
};

/* Analyses the cell. text must outlive h. -1: ERROR_MEMORY. */
int host_text_init(struct host_text *h, const char *text, size_t len, uint32_t cell,
		   const char *cell_name, struct compiler_session *session, struct mem_pool *pool,
		   struct error *err);
void host_text_release(struct host_text *h);

/* Writes h->unit. */
int host_text_write(struct host_text *h, struct compiler_session *session, struct error *err);

/* Inserts a copy of the text in front of this byte of the cell, from the next host_text_write() on.
 * False: it is there already. */
bool host_text_insert(struct host_text *h, uint32_t at, const char *text);
/* Returns the head of a definition, bytes [first, end) of the cell up to its body, as `double
 * area(double x);`, in the pool. NULL: no memory. */
const char *host_text_head(const struct host_text *h, uint32_t first, uint32_t end);

#endif
