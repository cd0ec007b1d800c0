/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/left-out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/cleanup.h"
#include "common/mem-pool.h"
#include "compiler/host-text.h"
#include "compiler/include-text.h"

/* The item around this byte of the text; n_items: none. */
static uint32_t item_at(const struct host_text *h, long at)
{
	const struct split *s = &h->split;

	for (uint32_t i = 0; i < s->n_items; i++)
		if (s->items[i].end > s->items[i].first && at >= (long)s->tokens.at[s->items[i].first].start &&
		    at < (long)s->tokens.at[s->items[i].end - 1].end)
			return i;
	return s->n_items;
}

/* The item on this line of the text; n_items: none. */
static uint32_t item_on(const struct host_text *h, uint32_t line)
{
	const struct split *s = &h->split;

	for (uint32_t i = 0; i < s->n_items; i++)
		if (s->items[i].end > s->items[i].first && line >= host_text_line(h, s->items[i].first) &&
		    line <= host_text_line(h, s->items[i].end - 1))
			return i;
	return s->n_items;
}

static const char *name_of(const struct host_text *h, uint32_t i)
{
	const struct token_list *l = &h->split.tokens;
	const struct item *item = &h->split.items[i];
	const struct declaration_parts *p = &h->parts[i];
	uint32_t name = TOKEN_NONE;

	if (item->kind == ITEM_DECLARATION || item->kind == ITEM_FUNCTION)
		name = p->n ? p->declarators[0].name : p->tag_name;
	if (name == TOKEN_NONE && item->kind != ITEM_DIRECTIVE)
		name = split_template_name(l, item);
	return name == TOKEN_NONE || !name ? "" : mem_pool_strndup(h->pool, token_text(l, name), token_len(l, name));
}

static bool note(struct left_out *l, const struct host_text *h, uint32_t i, const char *message, bool device)
{
	struct include_place place = include_text_place(h->includes, host_text_line(h, h->split.items[i].first));
	const char *name = name_of(h, i), *reason = mem_pool_strdup(h->pool, message);

	if (!name || !reason || !MEM_POOL_ROOM(h->pool, l->at, l->n, &l->cap))
		return false;
	l->at[l->n++] = (struct left_out_item){ name, place.file, place.line, reason, device };
	return true;
}

/* What neither side has is no item any more. */
static void drop(struct host_text *h, uint32_t i, enum item_world world)
{
	struct split *s = &h->split;
	struct item *item = &s->items[i];
	enum item_world all = item->is_class ? WORLD_BOTH : item->world;

	item->world = all & ~world;
	item->is_class = false;
	if (item->world)
		return;
	s->n_items--;
	memmove(&s->items[i], &s->items[i + 1], (s->n_items - i) * sizeof(*s->items));
	memmove(&h->parts[i], &h->parts[i + 1], (s->n_items - i) * sizeof(*h->parts));
}

bool left_out_take(struct left_out *l, struct host_text *h, const char *message, long at)
{
	uint32_t i = h->includes && at >= 0 ? item_at(h, at) : h->split.n_items;
	bool is_entry = i < h->split.n_items && h->split.items[i].is_entry;

	/* The second entry of a name is one for C++; what else is wrong with an entry the user shall know. */
	if (i == h->split.n_items || !host_text_is_included(h, h->split.items[i].first) ||
	    (is_entry && strncmp(message, "conflicting types", strlen("conflicting types")) != 0) ||
	    !note(l, h, i, message, false))
		return false;
	drop(h, i, is_entry ? WORLD_BOTH : WORLD_HOST);
	return true;
}

/* `book.h(12): error: name must be a namespace name` */
static bool take_line(struct left_out *l, struct host_text *h, const char *line, size_t len)
{
	cleanup_free char *text = strndup(line, len);
	char *open = text ? strstr(text, "): error") : NULL, *colon = open ? strstr(open + 3, ": ") : NULL;
	uint32_t number, i;

	while (open && open > text && *open != '(')
		open--;
	if (!colon || *open != '(')
		return false;
	number = (uint32_t)strtoul(open + 1, NULL, 10);
	*open = '\0';
	number = include_text_line(h->includes, text, number);
	i = number ? item_on(h, number) : h->split.n_items;
	if (i == h->split.n_items || h->split.items[i].is_entry ||
	    !((h->split.items[i].world & WORLD_DEVICE) || h->split.items[i].is_class) || !note(l, h, i, colon + 2, true))
		return false;
	drop(h, i, WORLD_DEVICE);
	return true;
}

bool left_out_take_device(struct left_out *l, struct host_text *h, const char *log)
{
	bool any = false;

	for (; h->includes && *log; log += strcspn(log, "\n") + (log[strcspn(log, "\n")] == '\n'))
		any |= take_line(l, h, log, strcspn(log, "\n"));
	return any;
}

void left_out_note(const struct left_out *l, struct buffer *out)
{
	const char *file = NULL;
	bool any = false;

	for (uint32_t i = 0; i < l->n; i++) {
		const struct left_out_item *x = &l->at[i];

		if (!*x->name)
			continue;
		if (!file || strcmp(file, x->file) != 0)
			buffer_printf(out, "%s%s of %s", any ? "; " : "note: left out, since cells are C: ", x->name,
				      x->file);
		else
			buffer_printf(out, ", %s", x->name);
		buffer_printf(out, " (line %u: %s)", x->line, x->reason);
		file = x->file;
		any = true;
	}
	if (any)
		buffer_puts(out, ". A %%cuda cell has all of such a file.\n");
}

const char *left_out_why(const struct left_out_item *x, struct mem_pool *pool)
{
	char text[600];

	snprintf(text, sizeof(text), "%s of %s, line %u, %s: %s%s", x->name, x->file, x->line,
		 x->device ? "was left out of device code" : "is no C", x->reason,
		 x->device ? "" : ". A %%cuda cell takes it");
	return mem_pool_strdup(pool, text);
}

bool left_out_is_named(const struct left_out *l, const char *message)
{
	for (uint32_t i = 0; i < l->n; i++) {
		char quoted[200];

		snprintf(quoted, sizeof(quoted), "'%s'", l->at[i].name);
		if (*l->at[i].name && strstr(message, quoted))
			return true;
	}
	return false;
}
