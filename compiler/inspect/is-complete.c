/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/inspect/is-complete.h"

#include <stdio.h>
#include <string.h>

#include "common/mem-pool.h"
#include "compiler/frontend/compile-cuda.h"
#include "compiler/session/session.h"
#include "compiler/text/cpp-cell.h"
#include "compiler/text/split.h"

/* Four blanks for each bracket that is open, as front ends show them. */
static void set_indent(const struct token_list *l, char *indent, size_t size)
{
	size_t depth = 0;

	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i].kind == TOKEN_PUNCTUATION && l->at[i].match == TOKEN_NONE &&
		    (token_is(l, i, "{") || token_is(l, i, "(") || token_is(l, i, "[")))
			depth++;
	snprintf(indent, size, "%*s", (int)(depth > 20 ? 80 : 4 * depth), "");
}

/* #if without #endif. */
static bool has_open_condition(const struct token_list *l)
{
	int depth = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		if (token_directive_is(l, i, "if") || token_directive_is(l, i, "ifdef") ||
		    token_directive_is(l, i, "ifndef"))
			depth++;
		else if (token_directive_is(l, i, "endif"))
			depth--;
	}
	return depth > 0;
}

/* Does an expression that ends with this token want another operand? */
static bool wants_more(const struct token_list *l, uint32_t i)
{
	static const char *const ends[] = { ")", "]", "}", ";", "++", "--", ":" };

	if (l->at[i].kind != TOKEN_PUNCTUATION)
		return token_is(l, i, "else") || token_is(l, i, "do") || token_is(l, i, "return");
	for (size_t k = 0; k < sizeof(ends) / sizeof(*ends); k++)
		if (token_is(l, i, ends[k]))
			return false;
	return true;
}

/* `if (x)`, `for (...)`, `while (...)` at the end: the statement is still to come. */
static bool is_headless(const struct token_list *l, const struct item *item)
{
	uint32_t i = item->end - 1, open;

	if (!token_is(l, i, ")") || l->at[i].match == TOKEN_NONE)
		return false;
	open = l->at[i].match;
	return open > item->first &&
	       (token_is(l, open - 1, "if") || token_is(l, open - 1, "for") ||
		token_is(l, open - 1, "while") || token_is(l, open - 1, "switch"));
}

static bool ends_open(const struct split *s)
{
	const struct token_list *l = &s->tokens;
	const struct item *last;

	if (!s->n_items)
		return false;
	last = &s->items[s->n_items - 1];
	if (last->kind == ITEM_DIRECTIVE || last->kind == ITEM_FUNCTION)
		return false;
	if (last->kind == ITEM_DECLARATION)
		return !token_is(l, last->end - 1, ";");
	return wants_more(l, last->end - 1) ||
	       (last->kind == ITEM_EXPRESSION && is_headless(l, last));
}

enum completeness is_complete(struct session *session, const char *text, char *indent, size_t size)
{
	struct mem_pool pool = MEM_POOL_INIT;
	struct name_source names = session_names(session);
	enum completeness answer = COMPLETENESS_COMPLETE;
	struct split s;

	snprintf(indent, size, "%s", "");
	if (cpp_cell_is(text) || compile_cuda_is(text)) /* the kernel waits for an empty line */
		return COMPLETENESS_COMPLETE;
	if (split_init(&s, text, strlen(text), &names, &pool, NULL)) {
		mem_pool_release(&pool);
		return COMPLETENESS_INVALID;
	}
	if (s.tokens.unopened != TOKEN_NONE || (s.tokens.open_string && !s.tokens.open_splice))
		answer = COMPLETENESS_INVALID;
	else if (s.tokens.open_comment || s.tokens.open_splice || s.tokens.unclosed != TOKEN_NONE ||
		 has_open_condition(&s.tokens) || ends_open(&s))
		answer = COMPLETENESS_INCOMPLETE;
	if (answer == COMPLETENESS_INCOMPLETE)
		set_indent(&s.tokens, indent, size);
	mem_pool_release(&pool);
	return answer;
}
