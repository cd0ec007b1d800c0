/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/launch-syntax.h"

#include <stdio.h>
#include <string.h>

#include "common/mem-pool.h"

/* The first token of the expression that ends before `<<<` at i: a name with its members,
 * subscripts and calls. */
static uint32_t start_of_entry(const struct token_list *l, uint32_t i)
{
	while (i > 0) {
		if ((token_is(l, i - 1, ")") || token_is(l, i - 1, "]")) &&
		    l->at[i - 1].match != TOKEN_NONE)
			i = l->at[i - 1].match;
		else if (token_is_name(l, i - 1))
			i--;
		else
			return i;
		if (i == 0 ||
		    !(token_is(l, i - 1, ".") || token_is(l, i - 1, "->") || token_is_name(l, i)
			      ? token_is(l, i - 1, ".") || token_is(l, i - 1, "->")
			      : token_is_name(l, i - 1) || token_is(l, i - 1, ")") ||
					token_is(l, i - 1, "]")))
			return i;
		if (token_is(l, i - 1, ".") || token_is(l, i - 1, "->"))
			i--;
	}
	return i;
}

/* The `>>>` that closes the `<<<` at i, and the commas between them. TOKEN_NONE: there is none. */
static uint32_t find_close(const struct token_list *l, uint32_t i, uint32_t commas[3],
			   uint32_t *ret_n)
{
	*ret_n = 0;
	for (i++; i < l->n; i++) {
		if (token_is(l, i, ">>>"))
			return i;
		if (token_is(l, i, ";") || token_is(l, i, "<<<"))
			return TOKEN_NONE;
		if (token_is(l, i, "(") || token_is(l, i, "[") || token_is(l, i, "{"))
			i = token_behind(l, i) - 1;
		else if (token_is(l, i, ",") && *ret_n < 3)
			commas[(*ret_n)++] = i;
		else if (token_is(l, i, ","))
			return TOKEN_NONE;
	}
	return TOKEN_NONE;
}

static void replace(const struct token_list *l, uint32_t i, const char *with,
		    struct edit_list *edits)
{
	edit_list_add(edits, l->at[i].start, l->at[i].end, with);
}

static void edit_launch(const struct token_list *l, uint32_t open, struct mem_pool *pool, struct edit_list *edits)
{
	uint32_t commas[3], n, first = start_of_entry(l, open), close = find_close(l, open, commas, &n), last;
	static const char *const defaults[] = { ",cgpu_dim3_of(),0,0", ",0,0", ",0", "" };
	char text[512];

	if (close == TOKEN_NONE || first == open || !token_is(l, close + 1, "(") ||
	    l->at[close + 1].match == TOKEN_NONE)
		return;
	/* The entry's expression moves behind the configuration. */
	edit_list_add(edits, l->at[first].start, l->at[open - 1].end,
		      "(cgpu_launch_configure(cgpu_dim3_of(");
	replace(l, open, "", edits);
	if (n > 0)
		replace(l, commas[0], "),cgpu_dim3_of(", edits);
	if (n > 1)
		replace(l, commas[1], "),(", edits);
	if (n > 2)
		replace(l, commas[2], "),(", edits);
	snprintf(text, sizeof(text), ")%s,__LINE__)?(void)0:%.*s", defaults[n],
		 (int)(l->at[open - 1].end - l->at[first].start), token_text(l, first));
	replace(l, close, mem_pool_strdup(pool, text), edits);
	last = l->at[close + 1].match;
	edit_list_add(edits, l->at[last].end, l->at[last].end, ")");
}

/* Not a parameter: `dim3` is the first word of a declaration in a block. */
static bool starts_local(const struct token_list *l, uint32_t i, const struct item *item)
{
	if (i > item->first && (token_is(l, i - 1, "const") || token_is(l, i - 1, "static")))
		i--;
	return i > item->first && (token_is(l, i - 1, ";") || token_is(l, i - 1, "{") ||
				   token_is(l, i - 1, "}") || token_is(l, i - 1, ":"));
}

static bool follows_specifier(const struct token_list *l, uint32_t i)
{
	return i && (token_is(l, i - 1, "struct") || token_is(l, i - 1, "const") ||
		     token_is(l, i - 1, "static"));
}

/* `dim3 a(1, 2), b(3), c;`: i is `dim3`, the names follow. */
static void edit_dim3_declaration(const struct token_list *l, uint32_t i, struct edit_list *edits)
{
	for (i++; token_is_name(l, i); i++) {
		uint32_t name = i;

		if (token_is(l, i + 1, "(")) {
			edit_list_add(edits, l->at[i].end, l->at[i].end, " = cgpu_dim3");
			i = token_behind(l, i + 1);
		} else if (token_is(l, i + 1, "{") && l->at[i + 1].match != TOKEN_NONE) {
			replace(l, i + 1, " = cgpu_dim3(", edits);
			i = l->at[i + 1].match;
			replace(l, i++, ")", edits);
		} else if (token_is(l, i + 1, "=") && token_is(l, i + 2, "{") && !token_is(l, i + 3, ".") &&
			   l->at[i + 2].match != TOKEN_NONE) {
			replace(l, i + 2, "cgpu_dim3(", edits);
			i = l->at[i + 2].match;
			replace(l, i++, ")", edits);
		} else if (token_is(l, i + 1, ";") || token_is(l, i + 1, ",")) {
			edit_list_add(edits, l->at[i].end, l->at[i].end, " = cgpu_dim3()");
			i++;
		} else if (token_is(l, i + 1, "=")) {
			for (i++; i < l->n && !token_is(l, i, ",") && !token_is(l, i, ";"); i++)
				if (token_is(l, i, "(") || token_is(l, i, "{"))
					i = token_behind(l, i) - 1;
		}
		if (i == name || !token_is(l, i, ","))
			return;
	}
}

/* `cudaCreateChannelDesc<float4>()`, a template of the toolkit: cgpu_channel_desc(float4). i is the name. */
static void edit_channel_desc(const struct token_list *l, uint32_t i, struct edit_list *edits)
{
	uint32_t close = i + 2;

	while (token_is_name(l, close))
		close++;
	if (close == i + 2 || !token_is(l, close, ">") || !token_is(l, close + 1, "(") || !token_is(l, close + 2, ")"))
		return;
	replace(l, i, "cgpu_channel_desc", edits);
	replace(l, i + 1, "(", edits);
	edit_list_add(edits, l->at[close].start, l->at[close + 2].end, ")");
}

/* `#define RUN(k, ...) k<<<1, 1>>>(__VA_ARGS__)`: the directive is one token, whose text is read by itself. */
static void edit_define(const struct token_list *l, uint32_t i, struct mem_pool *pool, struct edit_list *edits)
{
	uint32_t start = l->at[i].start + 1, n = edits->n;
	struct token_list inner;

	if (!token_directive_is(l, i, "define") ||
	    token_list_init(&inner, token_text(l, i) + 1, token_len(l, i) - 1, pool, NULL))
		return;
	for (uint32_t t = 2; t < inner.n; t++) {
		if (token_is(&inner, t, "<<<"))
			edit_launch(&inner, t, pool, edits);
		else if (token_is(&inner, t, "dim3") && token_is(&inner, t + 1, "(") && !follows_specifier(&inner, t))
			replace(&inner, t, "cgpu_dim3", edits);
	}
	for (; n < edits->n; n++) {
		edits->at[n].start += start;
		edits->at[n].end += start;
	}
}

void launch_syntax_edit(const struct split *s, struct mem_pool *pool, struct edit_list *edits)
{
	const struct token_list *l = &s->tokens;

	for (uint32_t k = 0; k < s->n_items; k++) {
		const struct item *item = &s->items[k];

		if (item->kind == ITEM_DIRECTIVE)
			edit_define(l, item->first, pool, edits);
		if (!(item->world & WORLD_HOST) || item->kind == ITEM_DIRECTIVE)
			continue;
		for (uint32_t i = item->first; i < item->end; i++) {
			if (token_is(l, i, "<<<"))
				edit_launch(l, i, pool, edits);
			else if (token_is(l, i, "dim3") && token_is(l, i + 1, "(") &&
				 !follows_specifier(l, i))
				replace(l, i, "cgpu_dim3", edits);
			else if (token_is(l, i, "cudaCreateChannelDesc") && token_is(l, i + 1, "<"))
				edit_channel_desc(l, i, edits);
			else if (token_is(l, i, "dim3") && item->kind != ITEM_DECLARATION &&
				 starts_local(l, i, item))
				edit_dim3_declaration(l, i, edits);
		}
	}
}

bool launch_syntax_is_wrong(const struct split *s)
{
	const struct token_list *l = &s->tokens;
	uint32_t commas[3], n, close;

	for (uint32_t k = 0; k < s->n_items; k++) {
		const struct item *item = &s->items[k];

		for (uint32_t i = item->first; item->kind != ITEM_DIRECTIVE && i < item->end; i++) {
			if (!token_is(l, i, "<<<"))
				continue;
			close = find_close(l, i, commas, &n);
			if (close != TOKEN_NONE && (!n || !token_is(l, close + 1, "(")))
				return true;
		}
	}
	return false;
}

static bool are_close(const struct token_list *l, uint32_t a, uint32_t b)
{
	return l->at[a].line == l->at[b].line && strspn(l->text + l->at[a].end, " \t") == l->at[b].start - l->at[a].end;
}

/* The blanks go behind the three. */
static void close_up(char *text, const struct token_list *l, uint32_t first, uint32_t last, char c)
{
	memset(text + l->at[first].start, ' ', l->at[last].end - l->at[first].start);
	memset(text + l->at[first].start, c, 3);
}

const char *launch_syntax_close(const char *text, struct mem_pool *pool)
{
	char *copy = strstr(text, "<<") ? mem_pool_strdup(pool, text) : NULL;
	bool open = false;
	struct token_list l;

	if (!copy || token_list_init(&l, text, strlen(text), pool, NULL))
		return text;
	for (uint32_t i = 0; i + 1 < l.n; i++) {
		if (token_is(&l, i, ";") || token_is(&l, i, "{") || token_is(&l, i, ">>>"))
			open = false;
		open |= token_is(&l, i, "<<<");
		if (((token_is(&l, i, "<<") && token_is(&l, i + 1, "<")) || (token_is(&l, i, "<") && token_is(&l, i + 1, "<<"))) &&
		    are_close(&l, i, i + 1)) {
			close_up(copy, &l, i, i + 1, '<');
			open = true;
			i++;
		} else if (open && are_close(&l, i, i + 1) &&
			   ((token_is(&l, i, ">>") && token_is(&l, i + 1, ">")) ||
			    (token_is(&l, i, ">") && token_is(&l, i + 1, ">>")))) {
			close_up(copy, &l, i, i + 1, '>');
			open = false;
			i++;
		}
	}
	return copy;
}
