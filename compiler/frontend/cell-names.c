/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/frontend/cell-names.h"

#include <string.h>

#include "common/buffer.h"
#include "common/error.h"
#include "compiler/frontend/host-text.h"
#include "compiler/text/own-names.h"

static void add_mask(struct host_text *h, const char *space, const char *name, size_t len)
{
	h->masks[h->n_masks++] = (struct session_mask){ .space = space, .name = name, .len = len };
}

/* A tag's body, and the bodies inside it: tags and enumerators. */
static void mask_body(struct host_text *h, uint32_t first, uint32_t end)
{
	const struct token_list *l = &h->split.tokens;

	for (uint32_t i = first; i < end; i++) {
		bool is_enum = token_is(l, i, "enum");
		uint32_t at, name;

		if (!is_enum && !token_is(l, i, "struct") && !token_is(l, i, "union"))
			continue;
		at = split_tag(l, i, &name);
		if (name != TOKEN_NONE && token_is(l, at, "{"))
			add_mask(h, "tag", token_text(l, name), token_len(l, name));
		if (!is_enum || !token_is(l, at, "{"))
			continue;
		for (uint32_t k = at; k < token_behind(l, at); k++) {
			if ((k == at || token_is(l, k, ",")) && token_is_name(l, k + 1)) {
				add_mask(h, "ordinary", token_text(l, k + 1), token_len(l, k + 1));
				h->masks[h->n_masks - 1].is_constant = true;
			} else if (k > at && token_is(l, k, "("))
				k = token_behind(l, k) - 1;
		}
	}
}

/* A prototype of another type than the header's is for the same function, but clang must not see both. */
bool cell_names_take(struct host_text *h, const struct session *session, const char *name, size_t len)
{
	const struct token_list *l = &h->split.tokens;
	char kind = header_names_kind(&session->headers, name, len);

	if (!kind || kind == 's')
		return false;
	for (uint32_t i = 0; i < h->n_taken; i++)
		if (token_len(l, h->taken[i]) == len && !memcmp(token_text(l, h->taken[i]), name, len))
			return false;
	for (uint32_t i = 0; i < l->n; i++) {
		if (!token_is_name(l, i) || token_len(l, i) != len || memcmp(token_text(l, i), name, len))
			continue;
		h->taken[h->n_taken++] = i;
		return true;
	}
	return false;
}

bool cell_names_keep(struct host_text *h, const struct session *session, const char *name, size_t len)
{
	bool found = false;

	if (!session_declares(session, name, len))
		return false;
	for (uint32_t i = 0; i < h->n_masks; i++)
		if (!strcmp(h->masks[i].space, "ordinary") && h->masks[i].len == len && !memcmp(h->masks[i].name, name, len)) {
			h->masks[i--] = h->masks[--h->n_masks];
			found = true;
		}
	return found;
}

static bool is_left(const struct host_text *h, const char *name, size_t len)
{
	const struct token_list *l = &h->split.tokens;

	for (uint32_t i = 0; i < h->n_left; i++)
		if (token_len(l, h->left[i]) == len && !memcmp(token_text(l, h->left[i]), name, len))
			return true;
	return false;
}

bool cell_names_leave(struct host_text *h, const char *name, size_t len)
{
	const struct token_list *l = &h->split.tokens;

	for (uint32_t i = 0; i < l->n && !is_left(h, name, len); i++)
		if (token_is_name(l, i) && token_len(l, i) == len && !memcmp(token_text(l, i), name, len)) {
			h->left[h->n_left++] = i;
			return true;
		}
	return false;
}

static void mask_directive(struct host_text *h, uint32_t i)
{
	size_t len;
	const char *name = token_directive_name(&h->split.tokens, i, &len);

	/* An #undef needs the macro before it to be of use; clang takes a redefinition after it. */
	if (token_directive_is(&h->split.tokens, i, "define"))
		add_mask(h, "macro", name, len);
}

/* `int sum(int n);` is the session's function also where C++ has it, under a symbol that is not its name. */
static bool declares_function_of_cpp(const struct host_text *h, const struct session *session, const struct item *item,
				     const struct declarator *d)
{
	const struct token_list *l = &h->split.tokens;
	const struct declaration *known = session_find(session, token_text(l, d->name), token_len(l, d->name));

	return item->kind == ITEM_DECLARATION && d->is_function && known && known->kind == DECLARATION_FUNCTION &&
	       strstr(known->host, ") __asm__(\"_Z");
}

int cell_names_find(struct host_text *h, const struct session *session, struct error *err)
{
	const struct token_list *l = &h->split.tokens;

	h->masks = mem_pool_array(h->pool, 2 * l->n + 1, sizeof(*h->masks));
	h->taken = mem_pool_array(h->pool, l->n + 1, sizeof(*h->taken));
	h->left = mem_pool_array(h->pool, l->n + 1, sizeof(*h->left));
	if (!h->masks || !h->taken || !h->left)
		return error_set(err, ERROR_MEMORY, "out of memory for the names of a cell");
	for (uint32_t i = 0; i < h->split.n_items; i++) {
		const struct item *item = &h->split.items[i];
		const struct declaration_parts *p = &h->parts[i];

		if (item->kind == ITEM_DIRECTIVE)
			mask_directive(h, item->first);
		if (item->kind != ITEM_DECLARATION && item->kind != ITEM_FUNCTION)
			continue;
		mask_body(h, p->first, p->specifiers_end);
		for (uint32_t k = 0; k < p->n; k++)
			if (p->declarators[k].name != TOKEN_NONE &&
			    !declares_function_of_cpp(h, session, item, &p->declarators[k]))
				add_mask(h, "ordinary", token_text(l, p->declarators[k].name),
					 token_len(l, p->declarators[k].name));
	}
	return 0;
}

/* `int true` among parameters or members: a header's macro must not stand there. errno must be one. */
static bool declares_macro(const struct session *session, const struct token_list *l, uint32_t i)
{
	static const char *const behind[] = { ",", ")", ";", "=", "[", ":" };
	bool declares = false;

	if (!i || !token_is_name(l, i) || !split_at_specifier(l, i - 1) || token_is(l, i, "errno"))
		return false;
	for (size_t k = 0; k < sizeof(behind) / sizeof(*behind); k++)
		declares |= token_is(l, i + 1, behind[k]);
	return declares && header_names_kind(&session->headers, token_text(l, i), token_len(l, i)) == 'm';
}

/* Names that the cell defines, not those that it only declares: `extern int puts();` means libc's.
 */
void cell_names_write(struct host_text *h, const struct session *session)
{
	const struct token_list *l = &h->split.tokens;

	for (uint32_t i = 0; i < l->n; i++)
		if (declares_macro(session, l, i))
			own_names_write(&session->headers, token_text(l, i), token_len(l, i), &h->unit.text);

	for (uint32_t i = 0; i < h->n_masks; i++)
		if (h->masks[i].is_constant || !strcmp(h->masks[i].space, "macro"))
			own_names_write(&session->headers, h->masks[i].name, h->masks[i].len, &h->unit.text);
	for (uint32_t i = 0; i < h->n_taken; i++)
		own_names_write(&session->headers, token_text(l, h->taken[i]), token_len(l, h->taken[i]), &h->unit.text);
	for (uint32_t i = 0; i < h->split.n_items; i++) {
		const struct declaration_parts *p = &h->parts[i];

		for (uint32_t k = 0; k < p->n && !p->is_extern; k++) {
			const struct declarator *d = &p->declarators[k];

			if (d->name != TOKEN_NONE && !is_left(h, token_text(l, d->name), token_len(l, d->name)) &&
			    (!d->is_function || h->split.items[i].kind == ITEM_FUNCTION ||
			     p->is_static))
				own_names_write(&session->headers, token_text(l, d->name),
						token_len(l, d->name), &h->unit.text);
		}
	}
}
