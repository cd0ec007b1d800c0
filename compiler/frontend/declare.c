/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/frontend/declare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/error.h"
#include "compiler/text/local-include.h"
#include "compiler/text/macro-text.h"
#include "compiler/text/own-names.h"

void declare_release(struct declare *d)
{
	free(d->symbols);
	free(d->declarations);
	free(d->skipped);
	d->skipped = NULL;
	d->symbols = NULL;
	d->declarations = NULL;
}

static void *grow(struct declare *d, void *array, size_t n, size_t *cap, size_t size)
{
	void *grown;

	if (n < *cap)
		return array;
	grown = realloc(array, (*cap ? 2 * *cap : 32) * size);
	if (!grown) {
		d->failed = 1;
		return NULL;
	}
	*cap = *cap ? 2 * *cap : 32;
	return grown;
}

void declare_skipped(struct declare *d, uint32_t begin, uint32_t end)
{
	struct skipped_range *skipped = grow(d, d->skipped, d->n_skipped, &d->cap_skipped, sizeof(*skipped));

	if (!skipped)
		return;
	d->skipped = skipped;
	skipped[d->n_skipped++] = (struct skipped_range){ begin, end };
}

static bool is_skipped(const struct declare *d, uint32_t at)
{
	for (size_t i = 0; i < d->n_skipped; i++)
		if (at >= d->skipped[i].begin && at < d->skipped[i].end)
			return true;
	return false;
}

static const char *stripped(struct declare *d, const char *text)
{
	char *copy = mem_pool_strdup(d->pool, text);

	own_names_strip(copy);
	return copy;
}

void declare_symbol(struct declare *d, const struct clang_symbol *s)
{
	struct clang_symbol *symbols =
		grow(d, d->symbols, d->n_symbols, &d->cap_symbols, sizeof(*symbols));

	if (!symbols)
		return;
	d->symbols = symbols;
	struct clang_symbol *to = &symbols[d->n_symbols++];

	*to = *s;
	to->name = stripped(d, s->name);
	to->type = stripped(d, s->type);
	to->declaration = stripped(d, s->declaration);
	to->type_code = stripped(d, s->type_code);
	to->value = s->value ? stripped(d, s->value) : NULL;
	if (!to->name || !to->type || !to->declaration || !to->type_code) {
		d->n_symbols--;
		d->failed = 1;
	}
}

static void add(struct declare *d, enum declaration_kind kind, uint32_t line, const char *name,
		const char *host, const char *device)
{
	struct declaration *grown = grow(d, d->declarations, d->n, &d->cap, sizeof(*grown));

	if (!grown || !name || !host || !device) {
		d->failed = 1;
		return;
	}
	d->declarations = grown;
	/* A prototype and then the definition are one declaration. */
	for (size_t i = 0; i < d->n; i++)
		if (*name && !strcmp(grown[i].name, name) &&
		    !strcmp(declaration_space(grown[i].kind), declaration_space(kind))) {
			grown[i] = (struct declaration){ kind, d->cell, line, name, host, device };
			return;
		}
	grown[d->n++] = (struct declaration){ kind, d->cell, line, name, host, device };
}

static char *format(struct declare *d, const char *before, const char *text, const char *after)
{
	struct buffer b = BUFFER_INIT;
	char *copy;

	buffer_printf(&b, "%s%s%s", before, text, after);
	copy = mem_pool_strdup(d->pool, buffer_text(&b));
	buffer_release(&b);
	return copy;
}

static char *token_copy(struct declare *d, const struct token_list *l, uint32_t i)
{
	return mem_pool_strndup(d->pool, token_text(l, i), token_len(l, i));
}

/* The text of a structure that was declared under a packing takes it along to later cells. */
static char *packed(struct declare *d, const char *text, uint64_t pack)
{
	char before[48];

	snprintf(before, sizeof(before), "_Pragma(\"pack(push, %u)\") ", (unsigned)pack);
	return format(d, before, text, " _Pragma(\"pack(pop)\")");
}

static void add_directive(struct declare *d, const struct host_text *h, uint32_t i)
{
	const struct token_list *l = &h->split.tokens;
	char *text = token_copy(d, l, i);
	size_t n;
	const char *rest = token_directive_rest(l, i, &n);
	uint32_t line = l->at[i].line;

	if (!text) {
		d->failed = 1;
		return;
	}
	if (token_directive_is(l, i, "include")) {
		char path[PATH_MAX];

		if (local_include_path(rest, n, path))
			text = format(d, "#include \"", path, "\"");
		add(d, DECLARATION_INCLUDE, line, "", text, "");
	} else if (token_directive_is(l, i, "define") || token_directive_is(l, i, "undef")) {
		rest = token_directive_name(l, i, &n);
		add(d, DECLARATION_MACRO, line, mem_pool_strndup(d->pool, rest, n), host_text_piece(h, i, i + 1), text);
	}
}

/* NULL: it has none, and clang will tell of the type if a name of the cell has it. */
static char *tag_name(struct declare *d, const struct host_text *h,
		      const struct declaration_parts *p)
{
	const struct token_list *l = &h->split.tokens;

	if (p->tag_name != TOKEN_NONE)
		return token_copy(d, l, p->tag_name);
	/* Enumerators alone: known by the first of them. */
	if (!p->n && token_is(l, p->tag, "enum") && token_is_name(l, p->body + 1)) {
		char *first = token_copy(d, l, p->body + 1);

		return first ? format(d, "enum ", first, "") : NULL;
	}
	return NULL;
}

static void add_tag(struct declare *d, const struct host_text *h, const struct declaration_parts *p)
{
	const struct token_list *l = &h->split.tokens;
	uint32_t end = token_behind(l, p->body);
	char *name = tag_name(d, h, p);

	if (!name)
		return;
	while (token_is(l, end, "__attribute__") && token_is(l, end + 1, "("))
		end = token_behind(l, end + 1);
	char *text = host_text_piece(h, p->tag, end),
	     *whole = text ? format(d, "", text, ";") : NULL;

	add(d, DECLARATION_TAG, l->at[p->tag].line, name, whole, whole);
}

/* `typedef struct { ... } name;`: its one declarator gives the unnamed structure its name. */
static bool is_unnamed_typedef(const struct declaration_parts *p)
{
	return p->is_typedef && p->n == 1 && p->body != TOKEN_NONE && p->tag_name == TOKEN_NONE;
}

static void add_item(struct declare *d, const struct host_text *h, uint32_t i)
{
	const struct item *item = &h->split.items[i];
	const struct declaration_parts *p = &h->parts[i];

	if (item->kind == ITEM_DIRECTIVE) {
		pragma_state_apply(&d->pragmas, &h->split.tokens, item->first, &d->names);
		add_directive(d, h, item->first);
		return;
	}
	if (item->kind != ITEM_DECLARATION && item->kind != ITEM_FUNCTION)
		return;
	if (p->is_other)
		return;
	if (is_unnamed_typedef(p) && p->declarators[0].name != TOKEN_NONE) {
		char *text = host_text_piece(h, item->first, item->end);

		add(d, DECLARATION_TYPEDEF, h->split.tokens.at[item->first].line,
		    token_copy(d, &h->split.tokens, p->declarators[0].name), text, text);
	} else if (p->body != TOKEN_NONE) {
		add_tag(d, h, p);
	} else if (p->tag_name != TOKEN_NONE && !p->n) {
		char *text = host_text_piece(h, item->first, item->end);

		add(d, DECLARATION_TAG, h->split.tokens.at[item->first].line,
		    token_copy(d, &h->split.tokens, p->tag_name), text, text);
	}
}

/* C++ cells have the value of a constant of C: device code reads it, and it may be an argument of a template. */
static void add_variable(struct declare *d, const struct clang_symbol *s)
{
	const char *before = s->is_thread_local ? "extern _Thread_local " : "extern ",
		   *value = s->value ? format(d, " = ", s->value, ";") : NULL;

	add(d, DECLARATION_VARIABLE, s->line, s->name, format(d, before, s->declaration, ";"),
	    value ? format(d, "", s->declaration, value) : "");
}

/* The cell's own text of a type; NULL when a macro has spelled all of it. */
static struct declaration *find_type(struct declare *d, const char *name)
{
	for (size_t i = 0; i < d->n; i++)
		if ((d->declarations[i].kind == DECLARATION_TAG || d->declarations[i].kind == DECLARATION_TYPEDEF) &&
		    !strcmp(d->declarations[i].name, name))
			return &d->declarations[i];
	return NULL;
}

static bool has_word(const struct token_list *l, const struct token_list *of, uint32_t word)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (token_is_name(l, i) && token_len(l, i) == token_len(of, word) &&
		    !memcmp(token_text(l, i), token_text(of, word), token_len(of, word)))
			return true;
	return false;
}

/* Does the text name each constant that clang has found? */
static bool has_constants(struct declare *d, const char *text, const char *found)
{
	struct token_list l, of;

	if (token_list_init(&l, text, strlen(text), d->pool, NULL) || token_list_init(&of, found, strlen(found), d->pool, NULL))
		return false;
	for (uint32_t i = 0; i < of.n; i++)
		if (token_is_name(&of, i) && !has_word(&l, &of, i))
			return false;
	return true;
}

/* Macros with parameters, and those that are gone by now, may mean something else when the text is read again. */
static bool needs_macros(struct declare *d, const struct host_text *h, const char *text)
{
	struct token_list l;
	struct macro_text m;

	if (token_list_init(&l, text, strlen(text), d->pool, NULL))
		return false;
	for (uint32_t i = 0; i < l.n; i++)
		if (token_is_name(&l, i) &&
		    macro_text_find(&h->split.tokens, h->split.tokens.n, &d->names, token_text(&l, i), token_len(&l, i), &m) &&
		    (m.is_undefined || (m.has_parameters && token_is(&l, i + 1, "(")) || *m.body == '{' || *m.body == '}'))
			return true;
	return false;
}

/* An enum whose constants stand in a macro, or in directives of its own: later cells get it as clang has read it. */
static void spell_enum(struct declare *d, const struct clang_symbol *s)
{
	struct declaration *have = find_type(d, s->name);

	if (!have || have->kind != DECLARATION_TAG || strncmp(have->host, "enum", 4) != 0) {
		add(d, DECLARATION_TAG, s->line, s->name, s->declaration, s->declaration);
		return;
	}
	if (!strchr(have->host, '#') && has_constants(d, have->host, s->declaration))
		return;
	have->host = have->device = s->declaration;
}

/* A structure that a macro spells is told as clang has read it; each takes along what it was packed to. */
static void spell_record(struct declare *d, const struct host_text *h, const struct clang_symbol *s)
{
	struct declaration *have = find_type(d, s->name);
	const char *text;

	if (!have) {
		add(d, strncmp(s->declaration, "typedef", 7) ? DECLARATION_TAG : DECLARATION_TYPEDEF, s->line, s->name,
		    s->declaration, s->declaration);
		have = find_type(d, s->name);
	}
	if (have && needs_macros(d, h, have->host)) {
		have->device = have->device == have->host ? s->declaration : have->device;
		have->host = s->declaration;
	}
	if (!have || !s->size || !*have->host)
		return;
	text = packed(d, have->host, s->size);
	have->device = have->device == have->host ? text : packed(d, have->device, s->size);
	have->host = text;
	d->failed |= !text || !have->device;
}

static void spell_type(struct declare *d, const struct host_text *h, const struct clang_symbol *s)
{
	if (!*s->name)
		return;
	if (!strncmp(s->declaration, "enum", 4))
		spell_enum(d, s);
	else
		spell_record(d, h, s);
}

static void add_symbol(struct declare *d, const struct host_text *h, const struct clang_symbol *s)
{
	char *text;

	if (!s->in_cell)
		return;
	switch (s->kind) {
	case CLANG_TYPEDEF:
		for (size_t i = 0; i < d->n; i++)
			if (d->declarations[i].kind == DECLARATION_TYPEDEF &&
			    !strcmp(d->declarations[i].name, s->name))
				return; /* as the cell wrote it */
		text = format(d, "typedef ", s->declaration, ";");
		add(d, DECLARATION_TYPEDEF, s->line, s->name, text, text);
		break;
	case CLANG_VARIABLE:
		add_variable(d, s);
		break;
	case CLANG_FUNCTION:
		add(d, DECLARATION_FUNCTION, s->line, s->name, format(d, "", s->declaration, ";"), "");
		break;
	case CLANG_TAG:
		spell_type(d, h, s);
		break;
	case CLANG_MACRO:
	case CLANG_CONSTANT:
		break; /* of headers only */
	}
}

/* What stands in a branch of #if that was not taken is not there. */
static void add_items(struct declare *d, const struct host_text *h)
{
	for (uint32_t i = 0; i < h->split.n_items; i++)
		if (!is_skipped(d, h->split.tokens.at[h->split.items[i].first].start))
			add_item(d, h, i);
}

static void add_pragmas(void *context, const char *family, const char *host, const char *device)
{
	add(context, DECLARATION_STATE, 1, family, host, device);
}

int declare_finish(struct declare *d, const struct host_text *h, const struct session *session, struct error *err)
{
	struct pragma_state before;

	d->cell = h->cell;
	d->session = session;
	pragma_state_init(&before, session, d->pool);
	pragma_state_init(&d->pragmas, session, d->pool);
	d->names = session_names((struct session *)session);
	add_items(d, h);
	d->failed |= pragma_state_changes(&d->pragmas, &before, d, add_pragmas) != 0;
	pragma_state_release(&before);
	pragma_state_release(&d->pragmas);
	for (size_t i = 0; i < d->n_symbols; i++)
		add_symbol(d, h, &d->symbols[i]);
	if (d->failed)
		return error_set(err, ERROR_MEMORY, "out of memory for the declarations of a cell");
	return 0;
}
