/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/frontend/cell-pieces.h"

#include <stdlib.h>
#include <string.h>

#include "common/mem-pool.h"
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

/* Room for one more; NULL: there is none, and the array stays. */
static void *grown(struct cell_pieces *p, void *array, size_t n, size_t *cap, size_t size)
{
	void *more = n < *cap ? array : realloc(array, (*cap ? 2 * *cap : 32) * size);

	p->failed |= !more;
	if (more && n == *cap)
		*cap = *cap ? 2 * *cap : 32;
	return more;
}

void cell_pieces_add(struct cell_pieces *p, uint32_t begin, uint32_t body, uint32_t end, const char *function)
{
	struct cell_piece *at = grown(p, p->at, p->n, &p->cap, sizeof(*at));

	if (!at)
		return;
	p->at = at;
	at[p->n] = (struct cell_piece){ begin, body, end, function ? mem_pool_strdup(p->pool, function) : NULL };
	p->failed |= function && !at[p->n].function;
	p->n++;
}

void cell_pieces_add_unknown(struct cell_pieces *p, uint32_t at, const char *name)
{
	struct unknown_name *unknown = grown(p, p->unknown, p->n_unknown, &p->cap_unknown, sizeof(*unknown));

	name = mem_pool_strdup(p->pool, name);
	p->failed |= !name;
	if (!unknown || !name)
		return;
	p->unknown = unknown;
	unknown[p->n_unknown++] = (struct unknown_name){ at, name };
}

/* The definition behind this byte; NULL: there is none. */
static const struct cell_piece *find_function(const struct cell_pieces *p, const struct unknown_name *u)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->at[i].begin > u->at && p->at[i].function && !strcmp(p->at[i].function, u->name))
			return &p->at[i];
	return NULL;
}

/* What uses it; NULL: that is a function, which wants a declaration as in any file. */
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
		const struct cell_piece *f = find_function(p, &p->unknown[i]), *user = find_user(p, &p->unknown[i]);
		const char *head = f && user ? host_text_head(h, f->begin, f->body) : NULL;

		any |= head && host_text_insert(h, user->begin, head);
	}
	return any;
}
