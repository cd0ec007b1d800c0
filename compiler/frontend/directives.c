/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/frontend/directives.h"

#include <string.h>

#include "common/buffer.h"
#include "common/error.h"
#include "compiler/frontend/host-text.h"

/* The #endif of the directive of a branch; TOKEN_NONE when there is none. */
static uint32_t end_of_branches(const struct token_list *l, uint32_t i)
{
	unsigned depth = 1;

	for (i++; i < l->n; i++) {
		if (token_directive_is(l, i, "if") || token_directive_is(l, i, "ifdef") ||
		    token_directive_is(l, i, "ifndef"))
			depth++;
		else if (token_directive_is(l, i, "endif") && !--depth)
			return i;
	}
	return TOKEN_NONE;
}

bool directives_open_branch(const struct host_text *h, uint32_t i)
{
	const struct token_list *l = &h->split.tokens;
	uint32_t end;

	if (!token_directive_is(l, i, "if") && !token_directive_is(l, i, "ifdef") &&
	    !token_directive_is(l, i, "ifndef") && !token_directive_is(l, i, "elif") &&
	    !token_directive_is(l, i, "else"))
		return false;
	/* Where the branches are alternatives inside one item, `int main(void) {` or `int main() {`, there is nothing to
	 * tell apart for others. */
	end = end_of_branches(l, i);
	for (uint32_t k = 0; k < h->split.n_items; k++)
		if (h->split.items[k].first == end)
			return h->split.items[k].kind == ITEM_DIRECTIVE;
	return false;
}

/* A #if stands in the file part and again in the run function, where its condition may have become
 * another one. */
void directives_mark_branch(struct host_text *h, uint32_t i)
{
	if (!directives_open_branch(h, i))
		return;
	buffer_printf(&h->unit.text, "\n#define " BRANCH_PREFIX "%u\n", i);
	unit_text_line(&h->unit, h->split.tokens.at[i].line);
	buffer_printf(&h->unit.text, "extern char " BRANCH_PREFIX "v%u;", i);
}

/* The empty statement keeps the one before it from being the last, which is displayed. */
void directives_repeat_branch(struct host_text *h, uint32_t i)
{
	const struct token_list *l = &h->split.tokens;
	bool opens = directives_open_branch(h, i), goes_on = token_directive_is(l, i, "elif") || token_directive_is(l, i, "else");

	if (opens && !goes_on)
		h->open_branches++;
	if ((goes_on && opens) || (token_directive_is(l, i, "endif") && h->open_branches))
		unit_text_puts(&h->unit, "\n#endif\n");
	if (token_directive_is(l, i, "endif") && h->open_branches)
		h->open_branches--;
	if (opens)
		buffer_printf(&h->unit.text, "\n;\n#ifdef " BRANCH_PREFIX "%u\n", i);
}

size_t directives_macro(const struct token_list *l, uint32_t i, const char **ret)
{
	size_t n, len = 0;

	*ret = token_directive_rest(l, i, &n);
	while (len < n && ((*ret)[len] == '_' || ((*ret)[len] >= '0' && (*ret)[len] <= '9') ||
			   (((*ret)[len] | 32) >= 'a' && ((*ret)[len] | 32) <= 'z')))
		len++;
	return len;
}

static bool changes_macro(const struct token_list *l, uint32_t i)
{
	return token_directive_is(l, i, "define") || token_directive_is(l, i, "undef");
}

static bool same_macro(const struct token_list *l, uint32_t a, uint32_t b)
{
	const char *x, *y;
	size_t n = directives_macro(l, a, &x);

	return n == directives_macro(l, b, &y) && !memcmp(x, y, n);
}

/*
 * Statements run behind the file part, so a macro that the cell undefines or defines twice would
 * have its last meaning there. Such macros are put back as they were before the cell and changed
 * again between the statements.
 */
int directives_find_changing(struct host_text *h, struct error *err)
{
	const struct token_list *l = &h->split.tokens;

	h->changing = mem_pool_array(h->pool, l->n + 1, sizeof(*h->changing));
	if (!h->changing)
		return error_set(err, ERROR_MEMORY, "out of memory for the directives of a cell");
	for (uint32_t i = 0; i < l->n; i++) {
		bool changing = token_directive_is(l, i, "undef");

		if (l->at[i].kind != TOKEN_DIRECTIVE || !changes_macro(l, i))
			continue;
		for (uint32_t k = 0; k < l->n && !changing; k++)
			changing = k != i && l->at[k].kind == TOKEN_DIRECTIVE &&
				   changes_macro(l, k) && same_macro(l, i, k);
		if (changing)
			h->changing[h->n_changing++] = i;
	}
	return 0;
}

void directives_each_changing(struct host_text *h, const char *pragma)
{
	for (uint32_t i = 0; i < h->n_changing; i++) {
		bool first = true;
		const char *name;
		size_t len = directives_macro(&h->split.tokens, h->changing[i], &name);

		for (uint32_t k = 0; k < i; k++)
			first &= !same_macro(&h->split.tokens, h->changing[i], h->changing[k]);
		if (first)
			buffer_printf(&h->unit.text, "\n#pragma %s(\"%.*s\")\n", pragma, (int)len,
				      name);
	}
}

bool directives_are_changing(const struct host_text *h, uint32_t i)
{
	for (uint32_t k = 0; k < h->n_changing; k++)
		if (h->changing[k] == i)
			return true;
	return false;
}
