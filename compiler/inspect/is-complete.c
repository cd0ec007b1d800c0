/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer comes from tokens alone. A bracket that closes nothing and a string that is open at
 * the end of its line cannot be mended by more text and are invalid. An open comment, bracket or
 * #if, a backslash at the end, and a last item that wants more (a declaration without its `;`, an
 * operator at the end, `if (x)` without a statement) are incomplete. Cells that are C++ or CUDA by
 * their first line always count as complete, since the kernel process waits for the empty line
 * that ends them.
 */
#include "compiler/inspect/is-complete.h"

#include <stdio.h>
#include <string.h>

#include "common/base/mem-pool.h"
#include "compiler/frontend/compile-cuda.h"
#include "compiler/session/session.h"
#include "compiler/text/cell-tokens.h"
#include "compiler/text/cpp-cell.h"
#include "compiler/text/words.h"

/* Indents by four blanks for each open bracket, as front ends show them. */
static void set_indent(const struct token_list *l, char *indent, size_t size)
{
	size_t depth = 0;

	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i].kind == TOKEN_PUNCTUATION && l->at[i].match == TOKEN_NONE &&
		    (token_is(l, i, "{") || token_is(l, i, "(") || token_is(l, i, "[")))
			depth++;
	snprintf(indent, size, "%*s", (int)(depth > 20 ? 80 : 4 * depth), "");
}

/* Finds #if without #endif. */
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

/* Tells whether an expression that ends with this token lacks an operand. */
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

/* Recognises `if (x)`, `for (...)`, `while (...)` at the end, whose statement is missing. */
static bool is_headless(const struct token_list *l, const struct cell_item *item)
{
	uint32_t i = item->end - 1, open;

	if (!token_is(l, i, ")") || l->at[i].match == TOKEN_NONE)
		return false;
	open = l->at[i].match;
	return open > item->first &&
	       (token_is(l, open - 1, "if") || token_is(l, open - 1, "for") ||
		token_is(l, open - 1, "while") || token_is(l, open - 1, "switch"));
}

static bool ends_open(const struct token_list *l)
{
	struct cell_item item = { .is_open = false };

	for (uint32_t i = 0; i < l->n; i = item.end)
		item = cell_item_at(l, i);
	if (!item.is_open || item.end < l->n)
		return false;
	return words_declare(l, item.first) || wants_more(l, item.end - 1) || is_headless(l, &item);
}

enum completeness is_complete(struct compiler_session *session, const char *text, char *indent,
			      size_t size)
{
	struct mem_pool pool = MEM_POOL_INIT;
	struct name_source names = session_names(session);
	enum completeness answer = COMPLETENESS_COMPLETE;
	struct token_list l;

	snprintf(indent, size, "%s", "");
	/* The kernel waits for an empty line. */
	if (cpp_cell_is(text) || compile_cuda_is(text))
		return COMPLETENESS_COMPLETE;
	if (cell_tokens_init(&l, text, strlen(text), &names, &pool, NULL)) {
		mem_pool_release(&pool);
		return COMPLETENESS_INVALID;
	}
	if (l.unopened != TOKEN_NONE || (l.open_string && !l.open_splice))
		answer = COMPLETENESS_INVALID;
	else if (l.open_comment || l.open_splice || l.unclosed != TOKEN_NONE ||
		 has_open_condition(&l) || ends_open(&l))
		answer = COMPLETENESS_INCOMPLETE;
	if (answer == COMPLETENESS_INCOMPLETE)
		set_indent(&l, indent, size);
	mem_pool_release(&pool);
	return answer;
}
