/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The translation unit of a cell of C: what it needs of the session, and its own text, in which statements stand among
 * declarations (compiler/clang/clang-turns.hh). Its items are found by their tokens, for what the session gets of it.
 */
#ifndef CGPU_COMPILER_HOST_TEXT_H
#define CGPU_COMPILER_HOST_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/mem-pool.h"
#include "compiler/session/session.h"
#include "compiler/text/declarator.h"
#include "compiler/text/split.h"
#include "compiler/text/unit-text.h"

struct diagnostics;

struct host_text {
	uint32_t cell; /* execution count */
	const char *cell_name;
	struct mem_pool *pool;
	struct split split;
	struct declaration_parts *parts; /* by item; of items that declare something */
	struct edit_list edits;
	struct session_mask *masks; /* names that the cell defines */
	uint32_t n_masks;
	uint32_t *taken; /* name tokens of the headers' names that the cell declares in its own way */
	uint32_t n_taken;
	uint32_t *left; /* name tokens that are the headers' all the same */
	uint32_t n_left;
	struct host_text_early { /* a function of the cell that its statements use in front of its definition */
		uint32_t item, function; /* items: what uses it first, the definition */
	} *early;
	uint32_t n_early;
	bool functions_only; /* what else the cell holds is known to the session */
	char run[40]; /* "cgpu_cell_3" */
	struct unit_text unit;
};

/* Split and find all parts. text must outlive h. -1: ERROR_MEMORY. */
int host_text_init(struct host_text *h, const char *text, size_t len, uint32_t cell,
		   const char *cell_name, bool functions_only, struct session *session, struct mem_pool *pool,
		   struct error *err);
void host_text_release(struct host_text *h);

/* Fill h->unit. */
int host_text_write(struct host_text *h, struct session *session, struct error *err);

/*
 * What clang does not know at this byte of the cell may be a function that the cell defines behind it: it is declared there.
 * False: it is none, or declared already.
 */
bool host_text_declare_early(struct host_text *h, const char *name, long offset);
/* The text between two tokens [first, end) with edits, from the pool. */
char *host_text_piece(const struct host_text *h, uint32_t first, uint32_t end);

#endif
