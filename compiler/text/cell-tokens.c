/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bracket that a macro hides would leave the braces of a cell unbalanced, so macros whose whole
 * text is one brace are looked up before any item is cut. Most cells have none, and a cheap test
 * skips the search. An item ends at a `;` outside of all brackets, behind the `}` of a body or
 * block, or before a directive, which leaves it open. A `{` behind `=`, behind a tag or behind the
 * type of a compound literal belongs to a declaration that goes on.
 */
#include "compiler/text/cell-tokens.h"

#include <ctype.h>
#include <string.h>

#include "compiler/text/macro-text.h"
#include "compiler/text/words.h"

struct brackets {
	const struct token_list *l;
	const struct name_source *names;
	bool any; /* the cell has a macro for a bracket */
};

/* Recognises `#define BEGIN {`. */
static bool defines_bracket(const struct token_list *l, uint32_t i)
{
	size_t n;
	const char *rest;

	if (!token_directive_is(l, i, "define"))
		return false;
	rest = token_directive_rest(l, i, &n);
	while (n && isspace((unsigned char)rest[n - 1]))
		n--;
	return n > 2 && strchr("{}", rest[n - 1]) && isspace((unsigned char)rest[n - 2]);
}

/* Returns the bracket that a name stands for as a macro; 0 for all other names. */
static char stands_for_bracket(void *data, uint32_t i)
{
	const struct brackets *b = data;
	const char *known = b->names->macro
				    ? b->names->macro(b->names->context, token_text(b->l, i),
						      token_len(b->l, i))
				    : NULL;
	struct macro_text m;

	if (!b->any && !(known && strlen(known) < 8 && strpbrk(known, "{}")))
		return 0;
	if (!macro_text_find(b->l, i, b->names, token_text(b->l, i), token_len(b->l, i), &m))
		return 0;
	return !m.is_undefined && !m.has_parameters && m.len == 1 && strchr("{}", *m.body) ? *m.body
											   : 0;
}

int cell_tokens_init(struct token_list *l, const char *text, size_t len,
		     const struct name_source *names, struct mem_pool *pool, struct error *err)
{
	struct brackets b = { .l = l, .names = names };

	if (token_list_init(l, text, len, pool, err))
		return -1;
	for (uint32_t i = 0; i < l->n; i++)
		b.any |= defines_bracket(l, i);
	return token_list_set_brackets(l, stands_for_bracket, &b, err);
}

/* Recognises a compound literal `(struct s){`: a call, or the parentheses of `for`, would have a
 * name in front. */
static bool is_literal(const struct token_list *l, uint32_t first, uint32_t i)
{
	uint32_t open = i > first && token_is(l, i - 1, ")") ? l->at[i - 1].match : TOKEN_NONE;

	return open != TOKEN_NONE && open >= first &&
	       (open == first || !(token_is_name(l, open - 1) || token_is(l, open - 1, ")")));
}

/* Tells whether the bracket at i is that of a function's body, or of a block, which end an item.
 * Behind a tag or `=` the declaration goes on. */
static bool ends_item(const struct token_list *l, uint32_t first, uint32_t i)
{
	if (is_literal(l, first, i))
		return false;
	for (uint32_t k = i; k-- > first;) {
		uint32_t name;

		if (token_is(l, k, "="))
			return false;
		if (token_is(l, k, "struct") || token_is(l, k, "union") || token_is(l, k, "enum"))
			return words_tag(l, k, &name) != i;
		if (token_is(l, k, ")") && l->at[k].match < k)
			k = l->at[k].match;
	}
	return true;
}

struct cell_item cell_item_at(const struct token_list *l, uint32_t first)
{
	struct cell_item item = { .first = first, .body = TOKEN_NONE };
	uint32_t i = first;

	if (l->at[first].kind == TOKEN_DIRECTIVE) {
		item.end = first + 1;
		return item;
	}
	while (i < l->n && !token_is(l, i, ";") && l->at[i].kind != TOKEN_DIRECTIVE) {
		bool is_body = token_is(l, i, "{") && ends_item(l, first, i);

		if (is_body && i > first && token_is(l, i - 1, ")") && words_declare(l, first))
			item.body = i;
		i = token_is(l, i, "(") || token_is(l, i, "[") || token_is(l, i, "{")
			    ? token_behind(l, i)
			    : i + 1;
		if (is_body) {
			item.end = i;
			return item;
		}
	}
	item.is_open = i >= l->n || l->at[i].kind == TOKEN_DIRECTIVE;
	item.end = i + !item.is_open;
	return item;
}
