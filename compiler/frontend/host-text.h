/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The translation unit of a cell of C: what it needs of the session, and its own text, in which
 * statements stand among declarations (compiler/clang/clang-turns.hh). Clang's answers may change a
 * few places of it.
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
	struct edit_list wanted; /* by clang's answers */
	struct edit_list edits;
	struct session_mask *masks; /* names that the cell defines */
	uint32_t n_masks;
	uint32_t *own; /* name tokens of the headers' names that the cell defines */
	uint32_t n_own;
	uint32_t *
		taken; /* name tokens of the headers' names that the cell declares in its own way */
	uint32_t n_taken;
	uint32_t *left; /* name tokens that are the headers' all the same */
	uint32_t n_left;
	char run[40]; /* "cgpu_cell_3" */
	struct unit_text unit;
};

/* text must outlive h. -1: ERROR_MEMORY. */
int host_text_init(struct host_text *h, const char *text, size_t len, uint32_t cell,
		   const char *cell_name, struct session *session, struct mem_pool *pool,
		   struct error *err);
void host_text_release(struct host_text *h);

/* Fill h->unit. */
int host_text_write(struct host_text *h, struct session *session, struct error *err);

/* Next time this text, which is copied, stands in front of this byte of the cell. False: it does
 * already. */
bool host_text_insert(struct host_text *h, uint32_t at, const char *text);
/* `double area(double x);` of a definition up to its body, bytes [first, end) of the cell; in the
 * pool. NULL: no memory. */
const char *host_text_head(const struct host_text *h, uint32_t first, uint32_t end);

#endif
