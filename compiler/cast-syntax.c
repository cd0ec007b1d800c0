/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/cast-syntax.h"

#include <stddef.h>

static bool is_one_of(const struct token_list *l, uint32_t i, const char *const *texts)
{
	for (; *texts; texts++)
		if (token_is(l, i, *texts))
			return true;
	return false;
}

void cast_syntax_edit(const struct token_list *l, uint32_t i, struct edit_list *edits)
{
	static const char *const types[] = { "int", "float", "double", "char", "short", "long", "unsigned", "bool", "size_t",
					     NULL };
	static const char *const before[] = { "=",  "(",  ",",	"+",  "-",  "*",  "/", "%", "<", ">", "<=", ">=",
					      "==", "!=", "&&", "||", "!",  "?",  ":", "[", "~", "^", "<<", ">>",
					      "+=", "-=", "*=", "/=", "return", NULL };
	static const char *const declarator[] = { "*", "^", ")", NULL };

	if (!i || !token_is(l, i + 1, "(") || l->at[i].end != l->at[i + 1].start || !is_one_of(l, i, types) ||
	    !is_one_of(l, i - 1, before) || is_one_of(l, i + 2, declarator) || token_is(l, token_behind(l, i + 1), "("))
		return;
	edit_list_add(edits, l->at[i].start, l->at[i].start, "(");
	edit_list_add(edits, l->at[i].end, l->at[i].end, ")");
}
