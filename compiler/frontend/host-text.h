/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a split cell to the C text that clang compiles: the session's declarations, the cell's
 * file-scope items, and a function that runs its statements and the initialisers that are not
 * constant, in the order of the cell.
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
	uint32_t *forced; /* declarators, by name token, whose initialisers clang found not to be
			     constant */
	uint32_t n_forced;
	uint32_t *taken; /* name tokens of the headers' names that the cell declares in its own way */
	uint32_t n_taken;
	uint32_t *left; /* name tokens that are the headers' all the same */
	uint32_t n_left;
	uint32_t *changing; /* directives that change a macro which the cell also has with another
			       meaning */
	uint32_t n_changing;
	uint32_t code; /* token where the cell's code begins; TOKEN_NONE: it only declares */

	uint32_t open_branches; /* of #if, while the run function is written */
	uint32_t n_anonymous; /* tags given to unnamed structures */
	bool has_run, display;
	char run[40]; /* "cgpu_cell_3" */
	struct unit_text unit;
	bool probe; /* write for a parse that only finds the types of host_text_probed() */
	struct host_text_type {
		uint32_t name;	  /* token */
		const char *type; /* in the pool; NULL until the probe has told */
	} * probed; /* arrays that take their size, or variables their type, from a runtime
		       initialiser */
	uint32_t n_probed;
};

/* Split and find all parts. text must outlive h. functions_only: what else the cell holds is known to the session.
 * -1: ERROR_MEMORY. */
int host_text_init(struct host_text *h, const char *text, size_t len, uint32_t cell,
		   const char *cell_name, bool functions_only, struct session *session, struct mem_pool *pool,
		   struct error *err);
void host_text_release(struct host_text *h);

/* Fill h->unit. */
int host_text_write(struct host_text *h, struct session *session, struct error *err);

/* Does the declarator's initialiser need to run? */
bool host_text_is_runtime(const struct host_text *h, const struct session *session,
			  const struct declaration_parts *p, const struct declarator *d);
/* Clang says that the initialiser around this byte of the cell is not constant: run it. False when
 * it runs already. */
bool host_text_force(struct host_text *h, const struct session *session, long offset);
/* The text between two tokens [first, end) with edits, from the pool. */
char *host_text_piece(const struct host_text *h, uint32_t first, uint32_t end);

#endif
