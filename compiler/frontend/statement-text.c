/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/frontend/statement-text.h"

#include <stdio.h>
#include <string.h>

#include "compiler/frontend/host-text.h"

/* The storage is of bytes, so that the type may be const; a static object with the literal as its initialiser would have to be
 * constant. */
#define KEEP_BEFORE "(*({ __auto_type cgpu_literal = &"
#define KEEP_BEHIND \
	"}; _Alignas(__typeof__(*cgpu_literal)) static char cgpu_kept[sizeof(*cgpu_literal)];" \
	" (__typeof__(cgpu_literal))__builtin_memcpy(cgpu_kept, (const void *)cgpu_literal, sizeof(cgpu_kept)); }))"

/* Is this `(` the start of `(type){`? A name in front makes it a call: `FOREACH(i, n) {`. */
static bool opens_literal(const struct token_list *l, uint32_t i)
{
	uint32_t behind = token_behind(l, i);

	if (!token_is(l, i, "(") || !token_is(l, behind, "{") || token_is(l, i + 1, "{") || behind == i + 2)
		return false;
	return !i || !token_is_name(l, i - 1) ||
	       split_word_class(token_text(l, i - 1), token_len(l, i - 1)) == WORD_OPERATOR;
}

static void keep_literals(struct host_text *h, uint32_t first, uint32_t end)
{
	const struct token_list *l = &h->split.tokens;

	for (uint32_t i = first; i < end; i++) {
		if (token_is(l, i, "(") && token_is(l, i + 1, "{")) {
			/* A statement expression is a block of its own. */
			i = token_behind(l, i) - 1;
		} else if (opens_literal(l, i)) {
			uint32_t close = token_behind(l, token_behind(l, i)) - 1;

			edit_list_add(&h->edits, l->at[i].start, l->at[i].start, KEEP_BEFORE);
			/* The bracket itself, so that the edit is gone where the whole initialiser is. */
			edit_list_add(&h->edits, l->at[close].start, l->at[close].end, KEEP_BEHIND);
		}
	}
}

/* How many parameters stand between the parentheses; K&R definitions name them only. */
static unsigned count_parameters(const struct token_list *l, uint32_t open)
{
	uint32_t end = token_behind(l, open);
	unsigned n = 1;

	if (end <= open + 2 || (end == open + 3 && token_is(l, open + 1, "void")))
		return 0;
	for (uint32_t i = open + 1; i + 1 < end; i++) {
		if (token_is(l, i, "(") || token_is(l, i, "["))
			i = token_behind(l, i) - 1;
		else
			n += token_is(l, i, ",");
	}
	return n;
}

static unsigned count_in_text(struct host_text *h, const char *text)
{
	struct token_list l;
	unsigned n = 0;

	if (token_list_init(&l, text, strlen(text), h->pool, NULL))
		return 0;
	/* "int (main)(int, char **);": the parentheses keep macros out. */
	for (uint32_t i = 0; i < l.n; i++) {
		uint32_t open = i + 1 + token_is(&l, i + 1, ")");

		if (token_is(&l, i, "main") && token_is(&l, open, "("))
			n = count_parameters(&l, open);
	}
	return n;
}

/* Of the cell's main, else the session's. */
static unsigned main_parameters(struct host_text *h, const struct session *session)
{
	const struct token_list *l = &h->split.tokens;
	const struct declaration *d;

	for (uint32_t i = 0; i < h->split.n_items; i++)
		for (uint32_t k = 0; k < h->parts[i].n; k++) {
			const struct declarator *f = &h->parts[i].declarators[k];

			if (f->name != TOKEN_NONE && f->is_function && token_is(l, f->name, "main"))
				return count_parameters(l, f->name + 1);
		}
	d = session_find(session, "main", strlen("main"));
	return d && d->kind == DECLARATION_FUNCTION ? count_in_text(h, d->host) : 0;
}

static void give_arguments(struct host_text *h, const struct session *session, uint32_t first, uint32_t end)
{
	static const char *const arguments[] = { "", "1", "1, (char *[]){ \"main\", 0 }",
						 "1, (char *[]){ \"main\", 0 }, __environ" };
	const struct token_list *l = &h->split.tokens;

	for (uint32_t i = first; i + 2 < end; i++) {
		unsigned n;

		if (!token_is(l, i, "main") || !token_is(l, i + 1, "(") || !token_is(l, i + 2, ")"))
			continue;
		n = main_parameters(h, session);
		if (n && n < sizeof(arguments) / sizeof(*arguments))
			edit_list_add(&h->edits, l->at[i + 1].end, l->at[i + 1].end, arguments[n]);
	}
}

static bool is_block(const struct token_list *l, uint32_t i)
{
	return token_is(l, i, "{") ||
	       (token_is_name(l, i) && split_word_class(token_text(l, i), token_len(l, i)) == WORD_STATEMENT);
}

void statement_text_edit(struct host_text *h, const struct session *session)
{
	for (uint32_t i = 0; i < h->split.n_items; i++) {
		const struct item *item = &h->split.items[i];
		const struct declaration_parts *p = &h->parts[i];

		if (item->kind == ITEM_STATEMENT || item->kind == ITEM_EXPRESSION) {
			give_arguments(h, session, item->first, item->end);
			if (!is_block(&h->split.tokens, item->first))
				keep_literals(h, item->first, item->end);
		} else if (item->kind == ITEM_DECLARATION) {
			for (uint32_t k = 0; k < p->n; k++) {
				const struct declarator *d = &p->declarators[k];

				if (d->equals == TOKEN_NONE || !host_text_is_runtime(h, session, p, d))
					continue;
				give_arguments(h, session, d->equals + 1, d->init_end);
				keep_literals(h, d->equals + 1, d->init_end);
			}
		}
	}
}
