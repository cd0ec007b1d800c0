/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A variable of a cell is a global with external linkage. A constant initialiser stays where it is;
 * another one is taken out of the declaration and becomes an assignment in the run function (a copy
 * from a compound literal for aggregates), so that it runs when its turn comes. What only an
 * initialiser knows, the size of `a[]` or the type behind
 * __auto_type, is asked from clang by a probe in which the declaration is local.
 */
#include "compiler/frontend/host-text.h"

#include <stdio.h>
#include <string.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/unit.h"
#include "compiler/frontend/cell-names.h"
#include "compiler/frontend/directives.h"
#include "compiler/frontend/in-turn.h"
#include "compiler/frontend/statement-text.h"
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
	h->forced = mem_pool_array(h->pool, h->split.tokens.n + 1, sizeof(*h->forced));
	if (!h->parts || !h->forced)
		return error_set(err, ERROR_MEMORY, "out of memory for the declarations of a cell");
	for (uint32_t i = 0; i < h->split.n_items; i++)
		if (declares(&h->split.items[i]) &&
		    declaration_parts_init(&h->parts[i], &h->split.tokens, &h->split.items[i],
					   h->pool, err))
			return -1;
	return 0;
}

/* Names that stand for constants although they are no literals. */
static bool is_constant_name(const struct token_list *l, uint32_t i)
{
	static const char *const known[] = {
		"NULL",	     "true",	  "false",	"INFINITY",    "NAN",	      "HUGE_VAL",
		"RAND_MAX",  "EOF",	  "BUFSIZ",	"nullptr",     "M_PI",	      "M_PI_2",
		"M_PI_4",    "M_E",	  "M_SQRT2",	"M_LN2",       "INT_MAX",     "INT_MIN",
		"UINT_MAX",  "LONG_MAX",  "LONG_MIN",	"SIZE_MAX",    "CHAR_BIT",    "FLT_MAX",
		"FLT_MIN",   "DBL_MAX",	  "DBL_MIN",	"FLT_EPSILON", "DBL_EPSILON", "I",
		"INT32_MAX", "INT64_MAX", "UINT32_MAX", "UINT64_MAX",  "UINT8_MAX",   "__LINE__",
		"__FILE__",
	};

	for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++)
		if (token_is(l, i, known[k]))
			return true;
	return false;
}

/* A name in capitals is a macro or an enumerator nearly always; clang tells when the value is not
 * constant after all. */
static bool is_capitals(const struct token_list *l, uint32_t i)
{
	const char *p = token_text(l, i);

	for (size_t k = 0; k < token_len(l, i); k++)
		if (p[k] >= 'a' && p[k] <= 'z')
			return false;
	return token_len(l, i) > 1 && !token_is(l, i + 1, "(");
}

static bool is_forced(const struct host_text *h, uint32_t name)
{
	for (uint32_t i = 0; i < h->n_forced; i++)
		if (h->forced[i] == name)
			return true;
	return false;
}

static int find_probed(struct host_text *h, const struct session *session, struct error *err);

bool host_text_force(struct host_text *h, const struct session *session, long offset)
{
	const struct token_list *l = &h->split.tokens;

	for (uint32_t i = 0; i < h->split.n_items; i++) {
		const struct declaration_parts *p = &h->parts[i];

		for (uint32_t k = 0; k < p->n; k++) {
			const struct declarator *d = &p->declarators[k];

			if (d->equals == TOKEN_NONE || d->init_end <= d->equals + 1 ||
			    d->name == TOKEN_NONE || offset < (long)l->at[d->equals].start ||
			    offset >= (long)l->at[d->init_end - 1].end || is_forced(h, d->name))
				continue;
			h->forced[h->n_forced++] = d->name;
			return !find_probed(h, session, NULL);
		}
	}
	return false;
}

bool host_text_is_runtime(const struct host_text *h, const struct session *session,
			  const struct declaration_parts *p, const struct declarator *d)
{
	const struct token_list *l = &h->split.tokens;
	struct name_source names = session_names((struct session *)session);

	if (d->equals == TOKEN_NONE || p->is_typedef || d->name == TOKEN_NONE)
		return false;
	if (is_forced(h, d->name))
		return true;
	for (uint32_t i = d->equals + 1; i < d->init_end; i++) {
		if (token_is(l, i, "(") && token_is(l, i + 1, "{"))
			return true; /* a statement expression */
		if (!token_is_name(l, i) || is_constant_name(l, i) || is_capitals(l, i))
			continue;
		if (split_is_keyword(token_text(l, i), token_len(l, i)))
			continue;
		if (token_is(l, i - 1, ".") &&
		    (token_is(l, i - 2, "{") || token_is(l, i - 2, ",") ||
		     token_is(l, i - 2, "]") || token_is_name(l, i - 2)))
			continue; /* a designator */
		if (token_is(l, i - 1, "struct") || token_is(l, i - 1, "union") ||
		    token_is(l, i - 1, "enum"))
			continue;
		if (names.classify(names.context, token_text(l, i), token_len(l, i)) != NAME_TYPE)
			return true;
	}
	return false;
}

static bool needs_probe(const struct declaration_parts *p, const struct declarator *d)
{
	return d->is_unsized || p->is_auto_type;
}

static const char *probed_type(const struct host_text *h, uint32_t name)
{
	for (uint32_t i = 0; i < h->n_probed; i++)
		if (h->probed[i].name == name)
			return h->probed[i].type;
	return NULL;
}

static void drop_tokens(struct host_text *h, uint32_t first, uint32_t end)
{
	const struct token_list *l = &h->split.tokens;

	if (end > first)
		edit_list_add(&h->edits, l->at[first].start, l->at[end - 1].end, "");
}

static const char *pool_printf(struct host_text *h, const char *fmt, const char *text)
{
	char small[2048];

	snprintf(small, sizeof(small), fmt, text);
	return mem_pool_strdup(h->pool, small);
}

/* External linkage for all: a later cell must reach it. const goes where the value comes at run
 * time. */
static void edit_specifiers(struct host_text *h, const struct declaration_parts *p, bool runtime,
			    bool has_initialiser)
{
	const struct token_list *l = &h->split.tokens;

	for (uint32_t i = p->first; i < p->specifiers_end; i++) {
		if (token_is(l, i, "{") || token_is(l, i, "("))
			i = token_behind(l, i) - 1;
		else if (token_is(l, i, "static") || token_is(l, i, "inline") ||
			 token_is(l, i, "__inline__") || token_is(l, i, "__inline") ||
			 token_is(l, i, "register") || token_is(l, i, "__forceinline__") ||
			 token_is(l, i, "__host__") ||
			 (token_is(l, i, "extern") && has_initialiser) ||
			 ((token_is(l, i, "const") || token_is(l, i, "constexpr")) && runtime) ||
			 (token_is(l, i, "constexpr") && p->n && p->declarators[0].is_function) ||
			 (token_is(l, i, "auto") && i + 1 < p->specifiers_end))
			drop_tokens(h, i, i + 1);
		else if (l->at[i].kind == TOKEN_STRING)
			drop_tokens(h, i, i + 1);
	}
	if (p->tag != TOKEN_NONE && p->tag_name == TOKEN_NONE && p->body != TOKEN_NONE && p->n &&
	    (!p->is_typedef || p->n > 1)) {
		char tag[64];

		snprintf(tag, sizeof(tag), " cgpu_unnamed_%u_%u", h->cell, h->n_anonymous++);
		edit_list_add(&h->edits, l->at[p->tag].end, l->at[p->tag].end,
			      mem_pool_strdup(h->pool, tag));
	}
}

/* `const` behind a star of the declarator. */
static void drop_const(struct host_text *h, const struct declarator *d)
{
	for (uint32_t i = d->first; i < d->end && i != d->name; i++)
		if (token_is(&h->split.tokens, i, "const"))
			drop_tokens(h, i, i + 1);
}

static void edit_runtime(struct host_text *h, const struct declaration_parts *p,
			 const struct declarator *d)
{
	const struct token_list *l = &h->split.tokens;
	const char *type = probed_type(h, d->name);

	drop_const(h, d);
	drop_tokens(h, d->equals, d->init_end);
	if (!type)
		return;
	if (p->is_auto_type) {
		for (uint32_t i = p->first; i < p->specifiers_end; i++)
			if (token_is(l, i, "__auto_type"))
				edit_list_add(&h->edits, l->at[i].start, l->at[i].end,
					      pool_printf(h, "__typeof_unqual__(%s)", type));
	} else {
		const char *size = strchr(type, '[');
		char number[24];

		snprintf(number, sizeof(number), "%.*s",
			 (int)strspn(size ? size + 1 : "", "0123456789"), size ? size + 1 : "");
		edit_list_add(&h->edits, l->at[d->name + 1].end, l->at[d->name + 1].end,
			      mem_pool_strdup(h->pool, number));
	}
}

/* Without its comma-separated neighbours a constant pointer keeps its type. */
static bool has_runtime_plain(const struct host_text *h, const struct session *session,
			      const struct declaration_parts *p)
{
	for (uint32_t k = 0; k < p->n; k++)
		if (host_text_is_runtime(h, session, p, &p->declarators[k]) &&
		    !p->declarators[k].is_pointer)
			return true;
	return false;
}

/*
 * `const int n = f();`: its own cell must not write to it either. So the name is an extern constant, and the storage is a
 * variable of another name with the same symbol. A name that a header has is spelled in a way of its own already.
 */
static bool has_storage(const struct host_text *h, const struct session *session, const struct declaration_parts *p)
{
	const struct token_list *l = &h->split.tokens;

	if (!p->is_const || p->is_typedef || p->is_other || p->is_auto_type || !p->n || p->body != TOKEN_NONE || h->probe)
		return false;
	for (uint32_t k = 0; k < p->n; k++) {
		const struct declarator *d = &p->declarators[k];

		if (d->name == TOKEN_NONE || d->is_pointer || d->is_unsized || d->is_function ||
		    !host_text_is_runtime(h, session, p, d) ||
		    header_names_kind(&session->headers, token_text(l, d->name), token_len(l, d->name)))
			return false;
	}
	return true;
}

static void write_storage(struct host_text *h, const struct declaration_parts *p)
{
	const struct token_list *l = &h->split.tokens;

	for (uint32_t k = 0; k < p->n; k++) {
		int n = (int)token_len(l, p->declarators[k].name);
		const char *name = token_text(l, p->declarators[k].name);

		buffer_printf(&h->unit.text, " __typeof_unqual__(%.*s) " STORAGE_PREFIX "%.*s __asm__(\"%.*s\");", n, name, n,
			      name, n, name);
	}
}

static void edit_item(struct host_text *h, const struct session *session, uint32_t i)
{
	const struct declaration_parts *p = &h->parts[i];
	bool has_initialiser = false;

	if (p->is_other)
		return;
	for (uint32_t k = 0; k < p->n; k++)
		has_initialiser |= p->declarators[k].equals != TOKEN_NONE;
	if (has_storage(h, session, p))
		edit_list_add(&h->edits, h->split.tokens.at[p->first].start, h->split.tokens.at[p->first].start, "extern ");
	edit_specifiers(h, p, has_runtime_plain(h, session, p) && !has_storage(h, session, p), has_initialiser);
	for (uint32_t k = 0; k < p->n; k++)
		if (host_text_is_runtime(h, session, p, &p->declarators[k]))
			edit_runtime(h, p, &p->declarators[k]);
}

static int find_probed(struct host_text *h, const struct session *session, struct error *err)
{
	uint32_t n = 0;

	for (int pass = 0; pass < 2; pass++) {
		n = 0;
		for (uint32_t i = 0; i < h->split.n_items; i++) {
			const struct declaration_parts *p = &h->parts[i];

			if (h->split.items[i].kind != ITEM_DECLARATION)
				continue;
			for (uint32_t k = 0; k < p->n; k++) {
				const struct declarator *d = &p->declarators[k];

				if (!needs_probe(p, d) || !host_text_is_runtime(h, session, p, d))
					continue;
				if (pass)
					h->probed[n].name = d->name;
				n++;
			}
		}
		if (!n)
			return 0;
		if (!pass && !(h->probed = mem_pool_array(h->pool, n, sizeof(*h->probed))))
			return error_set(err, ERROR_MEMORY,
					 "out of memory for the declarations of a cell");
	}
	h->n_probed = n;
	return 0;
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

	*h = (struct host_text){ .cell = cell, .cell_name = cell_name, .pool = pool };
	snprintf(h->run, sizeof(h->run), UNIT_STATEMENTS "%u", cell);
	unit_text_init(&h->unit, text, len, cell_name);
	if (split_init(&h->split, text, len, &names, pool, err))
		return -1;
	if (functions_only)
		keep_functions(&h->split);
	if (find_parts(h, err) || cell_names_find(h, session, err) || directives_find_changing(h, err))
		return -1;
	in_turn_find_repeated(h, session);
	return find_probed(h, session, err);
}

void host_text_release(struct host_text *h)
{
	edit_list_release(&h->edits);
	unit_text_release(&h->unit);
}

static uint32_t line_of(const struct host_text *h, uint32_t token)
{
	return h->split.tokens.at[token].line;
}

static uint32_t start_of(const struct host_text *h, uint32_t token)
{
	return h->split.tokens.at[token].start;
}

static uint32_t end_before(const struct host_text *h, uint32_t end)
{
	return h->split.tokens.at[end - 1].end;
}

static void copy_tokens(struct host_text *h, uint32_t first, uint32_t end)
{
	if (end > first)
		unit_text_copy(&h->unit, start_of(h, first), end_before(h, end), &h->edits);
}

static bool has_probed(const struct host_text *h, const struct declaration_parts *p)
{
	for (uint32_t k = 0; k < p->n; k++)
		for (uint32_t n = 0; n < h->n_probed; n++)
			if (p->declarators[k].name == h->probed[n].name)
				return true;
	return false;
}

/* What comes before the cell's text includes the file, as from this line. */
static bool is_brought(const struct host_text *h, const struct session *session, const struct item *item)
{
	const struct token_list *l = &h->split.tokens;
	char path[PATH_MAX];
	const char *rest;
	size_t n;

	if (item->kind != ITEM_DIRECTIVE || !token_directive_is(l, item->first, "include"))
		return false;
	rest = token_directive_rest(l, item->first, &n);
	return local_include_path(rest, n, path) && session_includes(session, path);
}

static void write_file_item(struct host_text *h, const struct session *session, uint32_t i)
{
	const struct item *item = &h->split.items[i];
	const struct declaration_parts *p = &h->parts[i];

	if (item->kind == ITEM_STATEMENT || item->kind == ITEM_EXPRESSION || is_brought(h, session, item))
		return;
	if (h->probe && item->kind == ITEM_DECLARATION && has_probed(h, p))
		return;
	unit_text_line(&h->unit, line_of(h, item->first));
	if (item->kind == ITEM_FUNCTION && p->is_inline)
		unit_text_puts(&h->unit, "__attribute__((visibility(\"protected\"))) ");
	copy_tokens(h, item->first, item->end);
	if (item->kind == ITEM_DECLARATION && has_storage(h, session, p))
		write_storage(h, p);
	if (item->kind == ITEM_DIRECTIVE)
		directives_mark_branch(h, item->first);
}

static void write_initialiser(struct host_text *h, const struct declarator *d, const char *prefix)
{
	const struct token_list *l = &h->split.tokens;
	char name[256];

	snprintf(name, sizeof(name), "%s%.*s", prefix, (int)token_len(l, d->name), token_text(l, d->name));
	unit_text_line(&h->unit, line_of(h, d->name));
	if (token_is(l, d->equals + 1, "{") || d->is_array) {
		/* What may stand here, braces, a string or a macro for them, only a declaration takes. */
		buffer_printf(&h->unit.text, "{ __typeof__(%s) cgpu_initial = ", name);
		copy_tokens(h, d->equals + 1, d->init_end);
		buffer_printf(&h->unit.text, "; __builtin_memcpy((void *)&%s, (const void *)&cgpu_initial, sizeof(%s)); }", name,
			      name);
	} else {
		unit_text_puts(&h->unit, prefix);
		unit_text_copy(&h->unit, start_of(h, d->name), l->at[d->name].end, NULL);
		unit_text_puts(&h->unit, " = ");
		copy_tokens(h, d->equals + 1, d->init_end);
		unit_text_puts(&h->unit, ";");
	}
}

static bool holds_in_statements(const struct host_text *h, const struct session *session, uint32_t i)
{
	struct name_source names = session_names((struct session *)session);

	return pragma_state_is_for_statements(&h->split.tokens, i, &names, h->pool);
}

/* What is to be done when the statements come to a definition. */
static void write_turn(struct host_text *h, const struct session *session, const struct declaration_parts *p,
		       const struct declarator *d)
{
	const struct token_list *l = &h->split.tokens;

	if (host_text_is_runtime(h, session, p, d))
		write_initialiser(h, d, has_storage(h, session, p) ? STORAGE_PREFIX : "");
	else if (!in_turn_waits(h, session, p, d))
		return;
	else if (!p->is_thread_local)
		buffer_printf(&h->unit.text, " cgpu_initialise(\"%.*s\");", (int)token_len(l, d->name), token_text(l, d->name));
	else if (d->equals != TOKEN_NONE)
		write_initialiser(h, d, "");
}

static void write_run_item(struct host_text *h, const struct session *session, uint32_t i)
{
	const struct item *item = &h->split.items[i];
	const struct declaration_parts *p = &h->parts[i];

	if (item->kind == ITEM_DIRECTIVE) {
		directives_repeat_branch(h, item->first);
		if (directives_are_changing(h, item->first) || holds_in_statements(h, session, item->first)) {
			unit_text_puts(&h->unit, "\n");
			copy_tokens(h, item->first, item->end);
			unit_text_puts(&h->unit, "\n");
		}
	} else if (item->kind == ITEM_STATEMENT || item->kind == ITEM_EXPRESSION) {
		unit_text_line(&h->unit, line_of(h, item->first));
		copy_tokens(h, item->first, item->end);
		if (item->kind == ITEM_EXPRESSION)
			unit_text_puts(&h->unit, ";");
	} else if (item->kind == ITEM_DECLARATION && h->probe && has_probed(h, p)) {
		unit_text_line(&h->unit, line_of(h, item->first));
		copy_tokens(h, item->first, item->end);
	} else if (item->kind == ITEM_DECLARATION && !h->probe) {
		for (uint32_t k = 0; k < p->n; k++)
			write_turn(h, session, p, &p->declarators[k]);
	}
}

/* What is displayed may stand before an #endif. */
static const struct item *last_of_code(const struct host_text *h)
{
	for (uint32_t i = h->split.n_items; i--;)
		if (h->split.items[i].kind != ITEM_DIRECTIVE)
			return &h->split.items[i];
	return NULL;
}

/* The statements begin where the cell has begun, too. */
static void rewind_pragmas(struct host_text *h, struct session *session, const struct pragma_state *pragmas)
{
	struct name_source names = session_names(session);
	struct pragma_state at_end;
	bool any = false;

	pragma_state_copy(&at_end, pragmas);
	for (uint32_t i = 0; i < h->split.n_items; i++) {
		const struct item *item = &h->split.items[i];

		if (item->kind != ITEM_DIRECTIVE || !holds_in_statements(h, session, item->first))
			continue;
		any = true;
		pragma_state_apply(&at_end, &h->split.tokens, item->first, &names);
	}
	if (any) {
		pragma_state_unwind(&at_end, &h->unit.text);
		pragma_state_write(pragmas, false, &h->unit.text);
	}
	pragma_state_release(&at_end);
}

int host_text_write(struct host_text *h, struct session *session, struct error *err)
{
	const struct item *last = last_of_code(h);
	struct pragma_state pragmas;

	in_turn_find_code(h, session);
	h->edits.n = 0;
	h->n_anonymous = 0;
	h->open_branches = 0;
	h->unit.n = 0;
	buffer_clear(&h->unit.text);
	for (uint32_t i = 0; i < h->split.n_items; i++)
		if (declares(&h->split.items[i]) && !(h->probe && has_probed(h, &h->parts[i])))
			edit_item(h, session, i);
	statement_text_edit(h, session);
	edit_list_sort(&h->edits);
	if (h->edits.failed)
		return error_set(err, ERROR_MEMORY, "out of memory for the text of a unit");
	if (composition_write(session, &h->split.tokens, h->masks, h->n_masks, h->cell_name,
			    &h->unit.text, err))
		return -1;
	cell_names_write(h, session);
	pragma_state_init(&pragmas, session, h->pool);
	pragma_state_write(&pragmas, false, &h->unit.text);
	directives_each_changing(h, "push_macro");
	for (uint32_t i = 0; i < h->split.n_items; i++)
		write_file_item(h, session, i);
	h->has_run = h->code != TOKEN_NONE;
	h->display = last && last->kind == ITEM_EXPRESSION && !h->probe;
	if (h->has_run) {
		rewind_pragmas(h, session, &pragmas);
		buffer_printf(&h->unit.text, "\n#line 1 \"cgpu\"\nvoid %s(void)\n{", h->run);
		directives_each_changing(h, "pop_macro");
		for (uint32_t i = 0; i < h->split.n_items; i++)
			write_run_item(h, session, i);
		unit_text_puts(&h->unit, "\n#line 1 \"cgpu\"\n}\n");
	}
	pragma_state_release(&pragmas);
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
