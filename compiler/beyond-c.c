/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/beyond-c.h"

#include "compiler/closure.h"
#include "compiler/host-text.h"

/* A lambda at token i that stays none of device code. */
static bool is_lambda_of_host(const struct token_list *l, uint32_t i)
{
	struct closure x;

	switch (token_is(l, i, "[") ? closure_read(l, i, &x) : CLOSURE_NONE) {
	case CLOSURE_BY_REFERENCE:
	case CLOSURE_OF_THIS:
	case CLOSURE_OF_HOST:
	case CLOSURE_OTHER:
		return true;
	case CLOSURE_NONE:
	case CLOSURE_GOOD:
		break;
	}
	return false;
}

/* `Acc a(q, 32);`: what stands in the parentheses is no list of parameters. */
static bool is_constructed(const struct host_text *h, const struct session *session, uint32_t i)
{
	const struct token_list *l = &h->split.tokens;
	const struct declaration_parts *p = &h->parts[i];
	struct name_source names = session_names((struct session *)session);
	uint32_t first;

	if (p->n != 1 || p->type_name == TOKEN_NONE || p->is_typedef || p->is_extern || !p->declarators[0].is_function)
		return false;
	first = p->declarators[0].name + 2;
	return l->at[first].kind == TOKEN_NUMBER || l->at[first].kind == TOKEN_STRING || token_is(l, first, "&") ||
	       (split_at_identifier(l, first) && (token_is(l, first + 1, ",") || token_is(l, first + 1, ")")) &&
		names.classify(names.context, token_text(l, first), token_len(l, first)) == NAME_VALUE);
}

bool beyond_c(const struct host_text *h, const struct session *session)
{
	const struct split *s = &h->split;

	for (uint32_t i = 0; i < s->n_items; i++) {
		const struct item *item = &s->items[i];

		if (item->kind == ITEM_DIRECTIVE || item->world != WORLD_HOST)
			continue;
		if (item->kind == ITEM_DECLARATION && is_constructed(h, session, i))
			return true;
		for (uint32_t t = item->first; t < item->end; t++)
			if (is_lambda_of_host(&s->tokens, t))
				return true;
	}
	return false;
}
