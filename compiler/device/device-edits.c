/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The place that clang reports is a byte, from which the tokens are read to both sides as far as
 * the construct goes; what cannot be told for certain is left alone. A launch is wrapped, from its
 * kernel's name to the closing parenthesis, in a marked lambda that is called at once. A
 * declaration of shared variables is replaced whole, and gets the line ends back that it loses, so
 * that the lines behind it keep their numbers. A place that has an edit already gets no second
 * one, so the unit is not compiled again without end.
 */
#include "compiler/device/device-edits.h"

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/mem-pool.h"
#include "common/launch-glue.h"

static uint32_t token_at(const struct token_list *l, uint32_t at)
{
	uint32_t i = 0;

	while (i < l->n && l->at[i].end <= at)
		i++;
	return i;
}

/* ---- launches ---- */

static bool is_of_name(const struct token_list *l, uint32_t i)
{
	return token_is_name(l, i) || token_is(l, i, "::") || token_is(l, i, ".") ||
	       token_is(l, i, "->");
}

/* Returns the first token of `a::b::k`, of which i is a part. */
static uint32_t begin_of_name(const struct token_list *l, uint32_t i)
{
	while (i && is_of_name(l, i - 1) && (token_is_name(l, i) != token_is_name(l, i - 1)))
		i--;
	return i;
}

/* Returns the `<<<` behind a kernel's name and its template arguments, which begin at i; l->n:
 * there is none. */
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
	uint32_t first = begin_of_name(l, token_at(l, at)), open = find_launch(l, token_at(l, at)),
		 i = open;

	while (i < l->n && !token_is(l, i, ">>>") && !token_is(l, i, ";"))
		i = token_is(l, i, "(") || token_is(l, i, "[") || token_is(l, i, "{")
			    ? token_behind(l, i)
			    : i + 1;
	if (!token_is(l, i, ">>>") || !token_is(l, i + 1, "(") ||
	    l->at[i + 1].match == TOKEN_NONE || edit_list_has(edits, l->at[first].start))
		return false;
	edit_list_add(edits, l->at[first].start, l->at[first].start, CGPU_LAUNCH_BEGIN);
	edit_list_add(edits, l->at[l->at[i + 1].match].end, l->at[l->at[i + 1].match].end,
		      CGPU_LAUNCH_END);
	edit_list_sort(edits);
	return true;
}

/* ---- shared variables ---- */

static bool ends_statement(const struct token_list *l, uint32_t i)
{
	return token_is(l, i, ";") || token_is(l, i, "{") || token_is(l, i, "}");
}

/* Skips the words for memory space and alignment. */
static uint32_t begin_of_type(const struct token_list *l, uint32_t i)
{
	for (;;) {
		if (token_is(l, i, "static") || token_is(l, i, "__shared__"))
			i++;
		else if ((token_is(l, i, "alignas") || token_is(l, i, "__align__") ||
			  token_is(l, i, "__attribute__")) &&
			 token_is(l, i + 1, "("))
			i = token_behind(l, i + 1);
		else
			return i;
	}
}

/* Returns the name of the first variable, behind the type that begins at i; l->n: it cannot be
 * determined. */
static uint32_t first_name(const struct token_list *l, uint32_t i)
{
	unsigned depth = 0;

	for (; i < l->n && !ends_statement(l, i); i++) {
		if (token_is(l, i, "<"))
			depth++;
		else if (token_is(l, i, ">") && depth)
			depth--;
		else if (token_is(l, i, ">>") && depth > 1)
			depth -= 2;
		else if (token_is(l, i, "("))
			i = token_behind(l, i) - 1;
		else if (!depth && token_is_name(l, i) &&
			 (token_is(l, i + 1, "[") || token_is(l, i + 1, ",") ||
			  token_is(l, i + 1, ";")))
			return i;
	}
	return l->n;
}

static void put_between(struct buffer *out, const struct token_list *l, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		buffer_printf(out, "%.*s ", (int)token_len(l, i), token_text(l, i));
}

/* Writes the variables from `name` on, up to the `;`; l->n: one has more than a name and its
 * bounds. */
static uint32_t put_variables(struct buffer *out, const struct token_list *l, uint32_t first,
			      uint32_t type, uint32_t name)
{
	uint32_t type_end = name;

	for (uint32_t end;; name = end + 1) {
		for (end = name + 1; token_is(l, end, "["); end = token_behind(l, end))
			;
		if (!token_is_name(l, name) || (!token_is(l, end, ",") && !token_is(l, end, ";")))
			return l->n;
		put_between(out, l, first, type);
		buffer_puts(out, "cgpu_room<");
		put_between(out, l, type, type_end);
		put_between(out, l, name + 1, end);
		buffer_printf(out, "> cgpu_room_%.*s; auto &%.*s = cgpu_room_%.*s.at; ",
			      (int)token_len(l, name), token_text(l, name), (int)token_len(l, name),
			      token_text(l, name), (int)token_len(l, name), token_text(l, name));
		if (token_is(l, end, ";"))
			return end;
	}
}

bool device_edit_shared(const struct token_list *l, uint32_t at, struct mem_pool *pool,
			struct edit_list *edits)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	uint32_t first = token_at(l, at), type, name, end;
	const char *with;

	while (first && !ends_statement(l, first - 1))
		first--;
	if (first == l->n || edit_list_has(edits, l->at[first].start))
		return false;
	type = begin_of_type(l, first);
	name = first_name(l, type);
	if (type == first || name == l->n || name == type)
		return false;
	end = put_variables(&text, l, first, type, name);
	if (end == l->n || buffer_check(&text, NULL))
		return false;
	/* Line numbers stay the same. */
	for (uint32_t line = l->at[first].line; line < l->at[end].line; line++)
		buffer_putc(&text, '\n');
	with = mem_pool_strdup(pool, buffer_text(&text));
	if (with)
		edit_list_add(edits, l->at[first].start, l->at[end].end, with);
	edit_list_sort(edits);
	return with != NULL;
}
