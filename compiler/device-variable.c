/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/device-variable.h"

#include "common/buffer.h"
#include "common/cleanup.h"
#include "compiler/host-text.h"

/* Where the declarator ends: the first `=`, `;`, `[` outside of <>; TOKEN_NONE for a function. *ret_foreign: no type of C. */
static uint32_t end_of_name(const struct token_list *l, const struct item *item, bool *ret_foreign)
{
	int depth = 0;

	*ret_foreign = false;
	for (uint32_t i = item->first; i < item->end; i++) {
		if (token_is(l, i, "__align__") || token_is(l, i, "alignas") || token_is(l, i, "__attribute__")) {
			i = token_behind(l, i + 1) - 1;
			continue;
		}
		*ret_foreign |= token_is(l, i, "::") || token_is(l, i, "<");
		if (!depth && (token_is(l, i, "=") || token_is(l, i, ";") || token_is(l, i, "[")))
			return i;
		if (token_is(l, i, "(") || token_is(l, i, "{") || token_is(l, i, "namespace") || token_is(l, i, "using") ||
		    token_is(l, i, "template") || token_is(l, i, "struct") || token_is(l, i, "class") || token_is(l, i, "typedef"))
			return TOKEN_NONE;
		depth += token_is(l, i, "<");
		depth -= token_is(l, i, ">") + 2 * token_is(l, i, ">>");
	}
	return TOKEN_NONE;
}

uint32_t device_variable_name(const struct host_text *h, uint32_t item)
{
	const struct token_list *l = &h->split.tokens;
	const struct item *x = &h->split.items[item];
	bool foreign = false;
	uint32_t end;

	if (x->kind != ITEM_DECLARATION || x->world != WORLD_DEVICE || x->is_entry)
		return TOKEN_NONE;
	end = end_of_name(l, x, &foreign);
	if (!foreign || end == TOKEN_NONE || end == x->first || !split_at_identifier(l, end - 1))
		return TOKEN_NONE;
	return end - 1;
}

static void put(const struct token_list *l, uint32_t first, uint32_t end, struct buffer *out)
{
	if (end > first)
		buffer_append(out, l->text + l->at[first].start, l->at[end - 1].end - l->at[first].start);
}

char *device_variable_later(const struct host_text *h, uint32_t item)
{
	const struct token_list *l = &h->split.tokens;
	cleanup_buffer struct buffer text = BUFFER_INIT;
	uint32_t first = h->split.items[item].first, end;

	end = device_variable_name(h, item) + 1;
	while (token_is(l, first, "static") || token_is(l, first, "extern"))
		first++;
	while (token_is(l, end, "["))
		end = token_behind(l, end);
	buffer_puts(&text, "extern ");
	put(l, first, end, &text);
	buffer_putc(&text, ';');
	return buffer_check(&text, NULL) ? NULL : mem_pool_strdup(h->pool, buffer_text(&text));
}
