/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/alias-text.h"

#include <stdint.h>
#include <string.h>

#include "common/buffer.h"
#include "common/cleanup.h"
#include "common/error.h"
#include "common/mem-pool.h"
#include "compiler/split.h"
#include "compiler/token.h"

/* The `;` of the alias of a C type that starts at i; TOKEN_NONE when none does. */
static uint32_t end_of_alias(const struct token_list *l, uint32_t i)
{
	static const char *const foreign[] = { "<", "::", "&", "&&", "{", "typename", "decltype", "auto" };

	if (!token_is(l, i, "using") || !split_at_identifier(l, i + 1) || !token_is(l, i + 2, "="))
		return TOKEN_NONE;
	for (i += 3; i < l->n && !token_is(l, i, ";"); i++)
		for (size_t k = 0; k < sizeof(foreign) / sizeof(foreign[0]); k++)
			if (token_is(l, i, foreign[k]))
				return TOKEN_NONE;
	return i < l->n ? i : TOKEN_NONE;
}

/* Where a declarator of the type [first, end) has its name: in `(*)(int)`, in front of `[4]`, else behind all. */
static uint32_t place_of_name(const struct token_list *l, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		if (token_is(l, i, "(") && token_is(l, i + 1, "*"))
			return i + 2;
		if (token_is(l, i, "[") || token_is(l, i, "("))
			return i;
	}
	return end;
}

static void put_typedef(const struct token_list *l, uint32_t name, uint32_t end, struct buffer *out)
{
	uint32_t place = place_of_name(l, name + 2, end), begin = l->at[name + 2].start, middle = l->at[place - 1].end;

	buffer_printf(out, "typedef %.*s %.*s%.*s", (int)(middle - begin), l->text + begin, (int)token_len(l, name),
		      token_text(l, name), (int)(l->at[end - 1].end - middle), l->text + middle);
}

const char *alias_text_rewrite(const char *text, struct mem_pool *pool, struct error *err)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	uint32_t copied = 0, end;
	struct token_list l;
	const char *copy;

	if (!strstr(text, "using"))
		return text;
	if (token_list_init(&l, text, strlen(text), pool, err))
		return NULL;
	for (uint32_t i = 0; i < l.n;) {
		end = end_of_alias(&l, i);
		if (end == TOKEN_NONE) {
			i = token_is(&l, i, "{") || token_is(&l, i, "(") || token_is(&l, i, "[") ? token_behind(&l, i) : i + 1;
			continue;
		}
		buffer_append(&out, text + copied, l.at[i].start - copied);
		put_typedef(&l, i + 1, end, &out);
		copied = l.at[end].start;
		i = end;
	}
	buffer_append(&out, text + copied, l.len - copied);
	if (buffer_check(&out, err))
		return NULL;
	copy = mem_pool_strdup(pool, buffer_text(&out));
	if (!copy)
		error_set(err, ERROR_MEMORY, "out of memory for the text of a cell");
	return copy;
}
