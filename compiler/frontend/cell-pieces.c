/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clang reports pieces and unknown names while it compiles, in its own order, so both are only
 * stored then, and matched afterwards by byte offsets. An unknown name gets a declaration if a
 * piece that begins behind it defines a function of that name, and the piece that uses it is a
 * statement: the head of the definition is inserted in front of that statement, and the cell is
 * compiled again. A text that is at its place already counts as no change, which ends the
 * repetition.
 */
#include "compiler/frontend/cell-pieces.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/mem-pool.h"
#include "compiler/frontend/host-text.h"

void cell_pieces_begin(struct cell_pieces *p)
{
	p->n = p->n_unknown = 0;
}

void cell_pieces_release(struct cell_pieces *p)
{
	free(p->at);
	free(p->unknown);
	*p = (struct cell_pieces){ .pool = p->pool };
}

void cell_pieces_add(struct cell_pieces *p, uint32_t begin, uint32_t body, uint32_t end,
		     const char *function)
{
	const char *name = function ? mem_pool_strdup(p->pool, function) : NULL;

	if ((function && !name) || !ARRAY_ROOM(p->at, p->n, &p->cap))
		p->failed = true;
	else
		p->at[p->n++] = (struct cell_piece){ begin, body, end, name };
}

void cell_pieces_add_unknown(struct cell_pieces *p, uint32_t at, const char *name)
{
	name = mem_pool_strdup(p->pool, name);
	if (!name || !ARRAY_ROOM(p->unknown, p->n_unknown, &p->cap_unknown))
		p->failed = true;
	else
		p->unknown[p->n_unknown++] = (struct unknown_name){ at, name };
}

/* Finds the definition behind this byte; NULL: there is none. */
static const struct cell_piece *find_function(const struct cell_pieces *p,
					      const struct unknown_name *u)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->at[i].begin > u->at && p->at[i].function &&
		    !strcmp(p->at[i].function, u->name))
			return &p->at[i];
	return NULL;
}

/* Finds the statement that uses the name; NULL: it is a function, which needs a declaration as in
 * any file. */
static const struct cell_piece *find_user(const struct cell_pieces *p, const struct unknown_name *u)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->at[i].begin <= u->at && u->at < p->at[i].end)
			return p->at[i].function ? NULL : &p->at[i];
	return NULL;
}

bool cell_pieces_declare(struct cell_pieces *p, struct host_text *h)
{
	bool any = false;

	for (size_t i = 0; i < p->n_unknown; i++) {
		const struct cell_piece *f = find_function(p, &p->unknown[i]),
					*user = find_user(p, &p->unknown[i]);
		const char *head = f && user ? host_text_head(h, f->begin, f->body) : NULL;

		any |= head && host_text_insert(h, user->begin, head);
	}
	return any;
}
