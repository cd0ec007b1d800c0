/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/device-variable.h"

#include "common/buffer.h"
#include "common/cleanup.h"
#include "compiler/host-text.h"

/* `[]` with what may follow it: a parameter list, a mark, the body. */
bool device_variable_is_lambda(const struct token_list *l, uint32_t equals)
{
	uint32_t behind = token_behind(l, equals + 1);

	return token_is(l, equals, "=") && token_is(l, equals + 1, "[") && token_is(l, equals + 2, "]") &&
	       (token_is(l, behind, "(") || token_is(l, behind, "{") || token_is(l, behind, "__device__") ||
		token_is(l, behind, "__host__") || token_is(l, behind, "mutable"));
}

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
		*ret_foreign |= token_is(l, i, "::") || token_is(l, i, "<") ||
				(token_is(l, i, "=") && device_variable_is_lambda(l, i));
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

uint32_t device_variable_name(const struct host_text *h, uint32_t item, bool *ret_lambda)
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
	*ret_lambda = device_variable_is_lambda(l, end);
	return end - 1;
}

static void put(const struct token_list *l, uint32_t first, uint32_t end, struct buffer *out)
{
	if (end > first)
		buffer_append(out, l->text + l->at[first].start, l->at[end - 1].end - l->at[first].start);
}

static bool is_pack(const struct token_list *l, uint32_t i)
{
	while (token_is(l, i, "&") || token_is(l, i, "&&") || token_is(l, i, "const"))
		i++;
	return token_is(l, i, "...");
}

void device_variable_put_parameters(const struct token_list *l, uint32_t open, struct buffer *out, struct buffer *of_template)
{
	uint32_t end = open == TOKEN_NONE ? 0 : token_behind(l, open);
	unsigned n = 0;

	if (open == TOKEN_NONE)
		buffer_puts(out, "()");
	for (uint32_t i = open; i < end; i++) {
		if (i > open)
			buffer_append(out, l->text + l->at[i - 1].end, l->at[i].start - l->at[i - 1].end);
		if (!token_is(l, i, "auto")) {
			buffer_append(out, token_text(l, i), token_len(l, i));
			continue;
		}
		buffer_printf(of_template, "%sclass%s cgpu_auto%u", n ? ", " : "template <", is_pack(l, i + 1) ? "..." : "", n);
		buffer_printf(out, "cgpu_auto%u", n++);
	}
	buffer_puts(of_template, n ? "> " : "");
}

/* NVRTC takes no closure as argument of an entry, so it is a class with a function, which is what a closure is. */
char *device_variable_lambda(const struct host_text *h, uint32_t item)
{
	const struct token_list *l = &h->split.tokens;
	const struct item *x = &h->split.items[item];
	cleanup_buffer struct buffer text = BUFFER_INIT, function = BUFFER_INIT, of_template = BUFFER_INIT;
	bool lambda;
	uint32_t name = device_variable_name(h, item, &lambda), behind = token_behind(l, name + 2), body;
	int n = (int)token_len(l, name);

	while (token_is(l, behind, "__device__") || token_is(l, behind, "__host__"))
		behind++;
	for (body = behind; body < x->end && !token_is(l, body, "{");)
		body = token_is(l, body, "(") ? token_behind(l, body) : body + 1;
	device_variable_put_parameters(l, token_is(l, behind, "(") ? behind : TOKEN_NONE, &function, &of_template);
	buffer_printf(&text, "struct " LAMBDA_PREFIX "%.*s { %s__device__ auto operator()%s const ", n, token_text(l, name),
		      buffer_text(&of_template), buffer_text(&function));
	if (token_is(l, behind, "("))
		behind = token_behind(l, behind);
	while (token_is(l, behind, "mutable") || token_is(l, behind, "constexpr"))
		behind++;
	put(l, behind, token_behind(l, body), &text);
	buffer_printf(&text, " }; __device__ constexpr " LAMBDA_PREFIX "%.*s %.*s{};", n, token_text(l, name), n,
		      token_text(l, name));
	return buffer_check(&text, NULL) ? NULL : mem_pool_strdup(h->pool, buffer_text(&text));
}

char *device_variable_later(const struct host_text *h, uint32_t item)
{
	const struct token_list *l = &h->split.tokens;
	cleanup_buffer struct buffer text = BUFFER_INIT;
	uint32_t first = h->split.items[item].first, end;
	bool lambda;

	end = device_variable_name(h, item, &lambda) + 1;
	if (lambda)
		return device_variable_lambda(h, item);
	while (token_is(l, first, "static") || token_is(l, first, "extern"))
		first++;
	while (token_is(l, end, "["))
		end = token_behind(l, end);
	buffer_puts(&text, "extern ");
	put(l, first, end, &text);
	buffer_putc(&text, ';');
	return buffer_check(&text, NULL) ? NULL : mem_pool_strdup(h->pool, buffer_text(&text));
}
