/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cell's text is clang's to read. What is changed in it: `main()` gets arguments, and a function that statements use in front
 * of its definition is declared there.
 */
#include "compiler/frontend/host-text.h"

#include <stdio.h>
#include <string.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/unit.h"
#include "compiler/frontend/cell-names.h"
#include "compiler/session/composition.h"
#include "compiler/session/pragma-state.h"
#include "compiler/text/local-include.h"
#include "compiler/text/own-names.h"

static int declares(const struct item *item)
{
	return item->kind == ITEM_DECLARATION || item->kind == ITEM_FUNCTION;
}

static int find_parts(struct host_text *h, struct error *err)
{
	h->parts = mem_pool_array(h->pool, h->split.n_items + 1, sizeof(*h->parts));
	h->early = mem_pool_array(h->pool, h->split.n_items + 1, sizeof(*h->early));
	if (!h->parts || !h->early)
		return error_set(err, ERROR_MEMORY, "out of memory for the declarations of a cell");
	for (uint32_t i = 0; i < h->split.n_items; i++)
		if (declares(&h->split.items[i]) &&
		    declaration_parts_init(&h->parts[i], &h->split.tokens, &h->split.items[i],
					   h->pool, err))
			return -1;
	return 0;
}

static uint32_t start_of(const struct host_text *h, uint32_t token)
{
	return h->split.tokens.at[token].start;
}

static uint32_t end_before(const struct host_text *h, uint32_t end)
{
	return h->split.tokens.at[end - 1].end;
}

static void drop_tokens(struct host_text *h, uint32_t first, uint32_t end)
{
	const struct token_list *l = &h->split.tokens;

	if (end > first)
		edit_list_add(&h->edits, l->at[first].start, l->at[end - 1].end, "");
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

/* `main()` in a statement or an initialiser calls one that takes arguments. */
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

static void edit_item(struct host_text *h, const struct session *session, uint32_t i)
{
	const struct item *item = &h->split.items[i];
	const struct declaration_parts *p = &h->parts[i];

	if (item->kind == ITEM_STATEMENT || item->kind == ITEM_EXPRESSION)
		give_arguments(h, session, item->first, item->end);
	for (uint32_t k = 0; item->kind == ITEM_DECLARATION && k < p->n; k++)
		if (p->declarators[k].equals != TOKEN_NONE)
			give_arguments(h, session, p->declarators[k].equals + 1, p->declarators[k].init_end);
}

/* The definition in the items from `i` on; n_items: there is none. */
static uint32_t find_function(const struct host_text *h, uint32_t i, const char *name)
{
	for (; i < h->split.n_items; i++) {
		const struct declaration_parts *p = &h->parts[i];

		if (h->split.items[i].kind == ITEM_FUNCTION && p->n == 1 && p->declarators[0].name != TOKEN_NONE &&
		    token_is(&h->split.tokens, p->declarators[0].name, name))
			break;
	}
	return i;
}

bool host_text_declare_early(struct host_text *h, const char *name, long offset)
{
	uint32_t item = 0, function;

	while (item < h->split.n_items && offset >= (long)end_before(h, h->split.items[item].end))
		item++;
	if (offset < 0 || item == h->split.n_items || h->split.items[item].kind == ITEM_FUNCTION)
		return false;
	function = find_function(h, item, name);
	for (uint32_t i = 0; i < h->n_early; i++)
		if (h->early[i].function == function)
			return false;
	if (function == h->split.n_items)
		return false;
	h->early[h->n_early++] = (struct host_text_early){ item, function };
	return true;
}

/* `double area(double x);` of a definition; NULL: there is no memory. */
static char *head_of(const struct host_text *h, const struct item *f)
{
	const struct token_list *l = &h->split.tokens;
	struct buffer text = BUFFER_INIT;
	char *head;

	for (uint32_t i = f->first; i < f->body; i++)
		buffer_printf(&text, "%.*s ", (int)token_len(l, i), token_text(l, i));
	buffer_puts(&text, "; ");
	head = buffer_check(&text, NULL) ? NULL : mem_pool_strdup(h->pool, buffer_text(&text));
	buffer_release(&text);
	return head;
}

static void declare_early(struct host_text *h)
{
	for (uint32_t i = 0; i < h->n_early; i++) {
		uint32_t at = start_of(h, h->split.items[h->early[i].item].first);
		const char *head = head_of(h, &h->split.items[h->early[i].function]);

		h->edits.failed |= !head;
		if (head)
			edit_list_add(&h->edits, at, at, head);
	}
}

static void keep_functions(struct split *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n_items; i++)
		if (s->items[i].kind == ITEM_FUNCTION)
			s->items[n++] = s->items[i];
	s->n_items = n;
}

int host_text_init(struct host_text *h, const char *text, size_t len, uint32_t cell,
		   const char *cell_name, bool functions_only, struct session *session, struct mem_pool *pool,
		   struct error *err)
{
	struct name_source names = session_names(session);

	*h = (struct host_text){ .cell = cell, .cell_name = cell_name, .functions_only = functions_only, .pool = pool };
	snprintf(h->run, sizeof(h->run), UNIT_STATEMENTS "%u", cell);
	unit_text_init(&h->unit, text, len, cell_name);
	if (split_init(&h->split, text, len, &names, pool, err))
		return -1;
	if (functions_only)
		keep_functions(&h->split);
	return find_parts(h, err) || cell_names_find(h, session, err) ? -1 : 0;
}

void host_text_release(struct host_text *h)
{
	edit_list_release(&h->edits);
	unit_text_release(&h->unit);
}

/* What comes before the cell's text includes the file, as from this line. */
static bool is_brought(const struct host_text *h, const struct session *session, uint32_t i)
{
	const struct token_list *l = &h->split.tokens;
	char path[PATH_MAX];
	const char *rest;
	size_t n;

	if (!token_directive_is(l, i, "include"))
		return false;
	rest = token_directive_rest(l, i, &n);
	return local_include_path(rest, n, path) && session_includes(session, path);
}

/* Lines are those of the cell, whatever `#line` says. */
static void edit_directives(struct host_text *h, const struct session *session)
{
	for (uint32_t i = 0; i < h->split.tokens.n; i++)
		if (token_directive_is(&h->split.tokens, i, "line") || is_brought(h, session, i))
			drop_tokens(h, i, i + 1);
}

static void write_cell(struct host_text *h)
{
	if (!h->functions_only) {
		unit_text_line(&h->unit, 1);
		unit_text_copy(&h->unit, 0, (uint32_t)h->unit.cell_len, &h->edits);
	}
	for (uint32_t i = 0; h->functions_only && i < h->split.n_items; i++) {
		const struct item *item = &h->split.items[i];

		unit_text_line(&h->unit, h->split.tokens.at[item->first].line);
		unit_text_copy(&h->unit, start_of(h, item->first), end_before(h, item->end), &h->edits);
	}
}

int host_text_write(struct host_text *h, struct session *session, struct error *err)
{
	struct pragma_state pragmas;

	h->edits.n = 0;
	h->unit.n = 0;
	buffer_clear(&h->unit.text);
	edit_directives(h, session);
	declare_early(h);
	for (uint32_t i = 0; i < h->split.n_items; i++)
		edit_item(h, session, i);
	edit_list_sort(&h->edits);
	if (h->edits.failed)
		return error_set(err, ERROR_MEMORY, "out of memory for the text of a unit");
	if (composition_write(session, &h->split.tokens, h->masks, h->n_masks, h->cell_name,
			    &h->unit.text, err))
		return -1;
	cell_names_write(h, session);
	pragma_state_init(&pragmas, session, h->pool);
	pragma_state_write(&pragmas, false, &h->unit.text);
	pragma_state_release(&pragmas);
	write_cell(h);
	unit_text_puts(&h->unit, "\n");
	return unit_text_check(&h->unit, err);
}

char *host_text_piece(const struct host_text *h, uint32_t first, uint32_t end)
{
	struct unit_text piece;
	char *text;

	unit_text_init(&piece, h->unit.cell, h->unit.cell_len, h->cell_name);
	if (end > first)
		unit_text_copy(&piece, start_of(h, first), end_before(h, end), &h->edits);
	text = mem_pool_strdup(h->pool, buffer_text(&piece.text));
	unit_text_release(&piece);
	return text;
}
