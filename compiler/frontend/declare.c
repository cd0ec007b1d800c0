/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols are copied into the pool as clang reports them, since its texts live for the callback
 * only. Declarations are made at the end, when the branches of #if that were not taken are known:
 * directives first, then changes of #pragma state, then symbols. A second declaration of a name in
 * the same name space replaces the first one at its index, but a typedef keeps the text of the
 * cell. A structure that was declared under #pragma pack carries the packing in its text. Memory
 * failures are collected in `failed` and reported once.
 */
#include "compiler/frontend/declare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "compiler/text/local-include.h"
#include "compiler/text/own-names.h"

void declare_begin(struct declare *d, struct mem_pool *pool, const struct compiler_session *session)
{
	*d = (struct declare){ .pool = pool };
	names_init(&d->keys);
	pragma_state_init(&d->pragmas, session, pool);
}

void declare_release(struct declare *d)
{
	pragma_state_release(&d->pragmas);
	free(d->symbols);
	free(d->declarations);
	names_release(&d->keys);
	free(d->skipped);
	d->skipped = NULL;
	d->symbols = NULL;
	d->declarations = NULL;
}

void declare_skipped(struct declare *d, uint32_t begin, uint32_t end)
{
	if (ARRAY_ROOM(d->skipped, d->n_skipped, &d->cap_skipped))
		d->skipped[d->n_skipped++] = (struct skipped_range){ begin, end };
	else
		d->failed = 1;
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
	struct clang_symbol *to;

	if (!ARRAY_ROOM(d->symbols, d->n_symbols, &d->cap_symbols)) {
		d->failed = 1;
		return;
	}
	to = &d->symbols[d->n_symbols++];
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

/* Makes the key of a declaration in d->keys. Each without a name has its own. */
static int make_key(const struct declare *d, enum declaration_kind kind, const char *name,
		    struct buffer *ret)
{
	if (*name)
		buffer_printf(ret, "%s\n%s", declaration_space(kind), name);
	else
		buffer_printf(ret, "\n%zu", d->n);
	return buffer_check(ret, NULL);
}

/* Adds a declaration of the cell; one with a text that is NULL, since there is no memory, fails. */
static void add(struct declare *d, struct declaration one)
{
	cleanup_buffer struct buffer key = BUFFER_INIT;
	uint32_t at = NAME_NONE;

	if (one.name && one.host && one.device && one.written &&
	    ARRAY_ROOM(d->declarations, d->n, &d->cap) && !make_key(d, one.kind, one.name, &key))
		at = names_add(&d->keys, key.data, key.len);
	if (at == NAME_NONE) {
		d->failed = 1;
		return;
	}
	one.cell = d->cell;
	/* A prototype and a later definition are one declaration. */
	d->declarations[at] = one;
	d->n = d->keys.n;
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

/* Adds the packing to the text of a structure that was declared under one, for later cells. */
static char *packed(struct declare *d, const char *text, uint64_t pack)
{
	char before[48];

	snprintf(before, sizeof(before), "_Pragma(\"pack(push, %u)\") ", (unsigned)pack);
	return format(d, before, text, " _Pragma(\"pack(pop)\")");
}

static void add_directive(struct declare *d, const struct host_text *h, uint32_t i)
{
	const struct token_list *l = &h->tokens;
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
		add(d, (struct declaration){ .kind = DECLARATION_INCLUDE,
					     .line = line,
					     .name = "",
					     .host = text,
					     .device = "",
					     .written = text });
	} else if (token_directive_is(l, i, "define") || token_directive_is(l, i, "undef")) {
		rest = token_directive_name(l, i, &n);
		add(d, (struct declaration){ .kind = DECLARATION_MACRO,
					     .line = line,
					     .name = mem_pool_strndup(d->pool, rest, n),
					     .host = text,
					     .device = text,
					     .written = text });
	}
}

/* Makes the declaration of a symbol, but for the texts that other cells compile. */
static struct declaration declaration_of(struct declare *d, struct host_text *h,
					 enum declaration_kind kind, const struct clang_symbol *s)
{
	return (struct declaration){
		.kind = kind,
		.line = s->line,
		.name = s->name,
		.host = s->declaration,
		.device = "",
		.written = unit_text_written(&h->unit, s->written_begin, s->written_end, d->pool),
	};
}

/* Makes the declaration of a variable. C++ cells get the value of a C constant: device code reads
 * it, and it may be a template argument. */
static struct declaration variable_of(struct declare *d, struct host_text *h,
				      const struct clang_symbol *s)
{
	struct declaration one = declaration_of(d, h, DECLARATION_VARIABLE, s);
	const char *before = s->is_thread_local ? "extern _Thread_local " : "extern ",
		   *value = s->value ? format(d, " = ", s->value, ";") : NULL;

	one.host = format(d, before, s->declaration, ";");
	one.device = value ? format(d, "", s->declaration, value) : "";
	return one;
}

/* Makes the declaration of a type, with its packing. */
static struct declaration type_of(struct declare *d, struct host_text *h,
				  const struct clang_symbol *s)
{
	bool by_typedef = !strncmp(s->declaration, "typedef", strlen("typedef"));
	struct declaration one =
		declaration_of(d, h, by_typedef ? DECLARATION_TYPEDEF : DECLARATION_TAG, s);

	one.host = one.device = s->size ? packed(d, s->declaration, s->size) : s->declaration;
	return one;
}

static bool has_typedef(struct declare *d, const char *name)
{
	cleanup_buffer struct buffer key = BUFFER_INIT;
	uint32_t at = NAME_NONE;

	if (make_key(d, DECLARATION_TYPEDEF, name, &key))
		d->failed = 1;
	else
		at = names_find(&d->keys, key.data, key.len);
	return at != NAME_NONE && d->declarations[at].kind == DECLARATION_TYPEDEF;
}

static void add_symbol(struct declare *d, struct host_text *h, const struct clang_symbol *s)
{
	struct declaration one;

	if (!s->in_cell)
		return;
	switch (s->kind) {
	case CLANG_TYPEDEF:
		if (has_typedef(d, s->name))
			return; /* keep the text of the cell */
		one = declaration_of(d, h, DECLARATION_TYPEDEF, s);
		one.host = one.device = format(d, "typedef ", s->declaration, ";");
		break;
	case CLANG_VARIABLE:
		one = variable_of(d, h, s);
		break;
	case CLANG_FUNCTION:
		one = declaration_of(d, h, DECLARATION_FUNCTION, s);
		one.host = format(d, "", s->declaration, ";");
		break;
	case CLANG_TAG:
		one = type_of(d, h, s);
		break;
	case CLANG_MACRO:
	case CLANG_CONSTANT:
	default:
		return; /* in headers only */
	}
	add(d, one);
}

/* Adds directives that are not in a branch of #if that is not taken. */
static void add_directives(struct declare *d, const struct host_text *h)
{
	const struct token_list *l = &h->tokens;

	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i].kind == TOKEN_DIRECTIVE && !is_skipped(d, l->at[i].start))
			add_directive(d, h, i);
}

static void add_pragmas(void *context, const char *family, const char *host, const char *device)
{
	add(context, (struct declaration){ .kind = DECLARATION_STATE,
					   .line = 1,
					   .name = family,
					   .host = host,
					   .device = device,
					   .written = "" });
}

int declare_finish(struct declare *d, uint32_t cell, struct host_text *h,
		   const struct compiler_session *session, struct error *err)
{
	struct pragma_state before;

	d->cell = cell;
	pragma_state_init(&before, session, d->pool);
	add_directives(d, h);
	d->failed |= pragma_state_changes(&d->pragmas, &before, d, add_pragmas) != 0;
	pragma_state_release(&before);
	for (size_t i = 0; i < d->n_symbols; i++)
		add_symbol(d, h, &d->symbols[i]);
	if (d->failed)
		return error_set(err, ERROR_MEMORY, "out of memory for the declarations of a cell");
	return 0;
}
