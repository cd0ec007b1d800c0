/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything is told by places of tokens: the first code of the cell, and the definitions behind it. The runtime decides
 * whether the session has the variable with this type; if it has not, the object's value is there from the start, where
 * nothing can have seen another one.
 */
#include "compiler/frontend/in-turn.h"

#include <string.h>

#include "compiler/frontend/host-text.h"

/* The cell's code in the tokens [first, end) starts here; TOKEN_NONE: there is none. */
static uint32_t find_code(const struct host_text *h, const struct session *session, uint32_t first, uint32_t end)
{
	for (uint32_t i = 0; i < h->split.n_items; i++) {
		const struct item *item = &h->split.items[i];
		const struct declaration_parts *p = &h->parts[i];

		if (item->end <= first)
			continue;
		if (item->first >= end)
			break;
		if (item->kind == ITEM_STATEMENT || item->kind == ITEM_EXPRESSION)
			return item->first;
		for (uint32_t k = 0; item->kind == ITEM_DECLARATION && k < p->n; k++) {
			uint32_t name = p->declarators[k].name;

			if (name != TOKEN_NONE && name >= first && name < end &&
			    host_text_is_runtime(h, session, p, &p->declarators[k]))
				return name;
		}
	}
	return TOKEN_NONE;
}

/* What the compiler folds must not change on the way. */
static bool is_constant(const struct declaration_parts *p, const struct declarator *d)
{
	return p->is_const && !d->is_pointer;
}

static bool defines(const struct declaration_parts *p, const struct declarator *d)
{
	return d->name != TOKEN_NONE && !d->is_function && !p->is_typedef && (!p->is_extern || d->equals != TOKEN_NONE);
}

static bool same_name(const struct token_list *l, uint32_t a, uint32_t b)
{
	return token_len(l, a) == token_len(l, b) && !memcmp(token_text(l, a), token_text(l, b), token_len(l, a));
}

/* The cell's last definition of this name before the token; TOKEN_NONE: there is none. */
static uint32_t earlier_definition(const struct host_text *h, uint32_t name)
{
	uint32_t found = TOKEN_NONE;

	for (uint32_t i = 0; i < h->split.n_items && h->split.items[i].first < name; i++) {
		const struct declaration_parts *p = &h->parts[i];

		for (uint32_t k = 0; h->split.items[i].kind == ITEM_DECLARATION && k < p->n; k++) {
			const struct declarator *d = &p->declarators[k];

			if (defines(p, d) && d->name < name && same_name(&h->split.tokens, d->name, name))
				found = d->name;
		}
	}
	return found;
}

void in_turn_find_repeated(struct host_text *h, const struct session *session)
{
	uint32_t code = find_code(h, session, 0, h->split.tokens.n);

	for (uint32_t i = 0; code != TOKEN_NONE && i < h->split.n_items; i++) {
		const struct declaration_parts *p = &h->parts[i];

		if (h->split.items[i].kind != ITEM_DECLARATION || h->split.items[i].end <= code || p->is_thread_local)
			continue;
		for (uint32_t k = 0; k < p->n; k++) {
			const struct declarator *d = &p->declarators[k];
			uint32_t before;

			if (!defines(p, d) || d->equals == TOKEN_NONE || is_constant(p, d) ||
			    host_text_is_runtime(h, session, p, d))
				continue;
			before = earlier_definition(h, d->name);
			if (before != TOKEN_NONE && find_code(h, session, before, d->name) != TOKEN_NONE)
				h->forced[h->n_forced++] = d->name;
		}
	}
}

void in_turn_find_code(struct host_text *h, const struct session *session)
{
	h->code = find_code(h, session, 0, h->split.tokens.n);
}

bool in_turn_waits(const struct host_text *h, const struct session *session, const struct declaration_parts *p,
		   const struct declarator *d)
{
	return h->code != TOKEN_NONE && defines(p, d) && d->name > h->code && !is_constant(p, d) &&
	       !host_text_is_runtime(h, session, p, d);
}

bool in_turn_keeps(const struct host_text *h, const struct session *session, const char *name)
{
	for (uint32_t i = 0; i < h->split.n_items; i++) {
		const struct declaration_parts *p = &h->parts[i];

		if (h->split.items[i].kind != ITEM_DECLARATION)
			continue;
		for (uint32_t k = 0; k < p->n; k++) {
			const struct declarator *d = &p->declarators[k];

			if (defines(p, d) && token_is(&h->split.tokens, d->name, name))
				return in_turn_waits(h, session, p, d) || host_text_is_runtime(h, session, p, d);
		}
	}
	return false;
}
