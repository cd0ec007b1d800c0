/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/device-edits.h"

#include "common/launch-glue.h"

static uint32_t token_at(const struct token_list *l, uint32_t at)
{
	uint32_t i = 0;

	while (i < l->n && l->at[i].end <= at)
		i++;
	return i;
}

static bool has(const struct edit_list *edits, uint32_t start)
{
	for (uint32_t i = 0; i < edits->n; i++)
		if (edits->at[i].start == start)
			return true;
	return false;
}

static bool is_of_name(const struct token_list *l, uint32_t i)
{
	return token_is_name(l, i) || token_is(l, i, "::") || token_is(l, i, ".") || token_is(l, i, "->");
}

/* The first token of `a::b::k`, of which i is a part. */
static uint32_t begin_of_name(const struct token_list *l, uint32_t i)
{
	while (i && is_of_name(l, i - 1) && (token_is_name(l, i) != token_is_name(l, i - 1)))
		i--;
	return i;
}

/* The `<<<` behind a kernel's name and its template arguments, which begin at i; l->n: it is none. */
static uint32_t find_launch(const struct token_list *l, uint32_t i)
{
	for (; i < l->n && !token_is(l, i, "<<<"); i++) {
		if (token_is(l, i, ";") || token_is(l, i, "{") || token_is(l, i, "}"))
			return l->n;
		if (token_is(l, i, "(") || token_is(l, i, "["))
			i = token_behind(l, i) - 1;
	}
	return i;
}

bool device_edit_launch(const struct token_list *l, uint32_t at, struct edit_list *edits)
{
	uint32_t first = begin_of_name(l, token_at(l, at)), open = find_launch(l, token_at(l, at)), i = open;

	while (i < l->n && !token_is(l, i, ">>>") && !token_is(l, i, ";"))
		i = token_is(l, i, "(") || token_is(l, i, "[") || token_is(l, i, "{") ? token_behind(l, i) : i + 1;
	if (!token_is(l, i, ">>>") || !token_is(l, i + 1, "(") || l->at[i + 1].match == TOKEN_NONE || has(edits, l->at[first].start))
		return false;
	edit_list_add(edits, l->at[first].start, l->at[first].start, CGPU_LAUNCH_BEGIN);
	edit_list_add(edits, l->at[l->at[i + 1].match].end, l->at[l->at[i + 1].match].end, CGPU_LAUNCH_END);
	edit_list_sort(edits);
	return true;
}
