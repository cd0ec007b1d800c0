/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All rows are one array, and a function is a range of it: readers add rows to the function that
 * was begun last. A row of source is added only when the place changes, so that instructions of
 * one line stand under one row. A failed allocation sets `failed`, which callers check at the end.
 * A name that the user gives may be the symbol, the demangled name without return type and
 * parameters, the same without its namespaces, or one of the latter two with template arguments,
 * in which blanks do not count.
 */
#define _GNU_SOURCE
#include "compiler/inspect/listing.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/cuda/lambda-name.h"

/* The demangler of the Itanium C++ ABI, 3.4, in the C++ library that this program is linked
 * with. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *len, int *status);

void listing_init(struct listing *l, const struct listing_source *sources, size_t n_sources)
{
	*l = (struct listing){ .sources = sources, .n_sources = n_sources };
	mem_pool_init(&l->pool);
}

void listing_release(struct listing *l)
{
	mem_pool_release(&l->pool);
	free(l->rows);
	free(l->functions);
	*l = (struct listing){ 0 };
}

/* Returns the C++ spelling of a name, in the pool: "_Z4axpyIfEvPT_" is "void
 * axpy<float>(float*)". */
static const char *listing_demangle(struct mem_pool *pool, const char *name)
{
	cleanup_free char *whole =
		strncmp(name, "_Z", 2) ? NULL : __cxa_demangle(name, NULL, NULL, NULL);
	char *shown = mem_pool_strdup(pool, whole ? whole : name);

	lambda_name_show(shown);
	return shown;
}

const char *listing_file(struct listing *l, const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);
	const char *copy;

	if (slash) {
		len -= (size_t)(slash + 1 - path);
		path = slash + 1;
	}
	copy = mem_pool_strndup(&l->pool, path, len);
	l->failed |= !copy;
	return copy ? copy : "";
}

/* ---- rows ---- */

void listing_begin(struct listing *l, const char *name, size_t len, bool is_entry)
{
	struct listing_function f = { .is_entry = is_entry, .first = l->n_rows };

	f.name = mem_pool_strndup(&l->pool, name, len);
	f.shown = f.name ? listing_demangle(&l->pool, f.name) : NULL;
	l->place = (struct listing_place){ .file = "", .caller_file = "" };
	if (!f.shown || !ARRAY_ROOM(l->functions, l->n_functions, &l->cap_functions))
		l->failed = true;
	if (!l->failed)
		l->functions[l->n_functions++] = f;
}

void listing_add(struct listing *l, enum listing_kind kind, const char *text, size_t len)
{
	struct listing_function *f = l->n_functions ? &l->functions[l->n_functions - 1] : NULL;
	struct listing_row row = { kind, mem_pool_strndup(&l->pool, text, len) };

	if (!row.text || !ARRAY_ROOM(l->rows, l->n_rows, &l->cap_rows))
		l->failed = true;
	if (l->failed || !f)
		return;
	l->rows[l->n_rows++] = row;
	f->n++;
}

/* Returns line `line` of a source, without the blanks around it; NULL: not known. */
static const char *line_of(const struct listing *l, const char *file, uint32_t line,
			   size_t *ret_len)
{
	const char *at = NULL;

	for (size_t i = 0; i < l->n_sources && !at; i++)
		if (!strcmp(l->sources[i].name, file))
			at = l->sources[i].text;
	for (uint32_t n = 1; at && n < line; n++) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (!at || !line)
		return NULL;
	at += strspn(at, " \t");
	*ret_len = strcspn(at, "\n");
	while (*ret_len && isspace((unsigned char)at[*ret_len - 1]))
		--*ret_len;
	return at;
}

void listing_go_to(struct listing *l, const struct listing_place *to)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	const struct listing_place *now = &l->place;
	const char *source;
	size_t len;

	if (!l->n_functions ||
	    (now->line == to->line && now->caller_line == to->caller_line &&
	     !strcmp(now->file, to->file) && !strcmp(now->caller_file, to->caller_file)))
		return;
	l->place = *to;
	source = line_of(l, to->file, to->line, &len);
	buffer_printf(&text, "%s:%u", to->file, to->line);
	if (*to->caller_file)
		buffer_printf(&text, " (inlined in %s:%u)", to->caller_file, to->caller_line);
	if (source)
		buffer_printf(&text, "  %.*s", (int)len, source);
	l->failed |= text.failed;
	listing_add(l, LISTING_SOURCE, buffer_text(&text), text.len);
}

/* ---- names ---- */

/* Returns the bare name: for "void ns::axpy<float>(float*)" that is "ns::axpy". */
static const char *bare_name(const char *shown, size_t *ret_len)
{
	const char *start = shown, *p;

	for (p = shown; *p && *p != '(' && *p != '<'; p++)
		if (*p == ' ')
			start = p + 1;
	*ret_len = (size_t)(p - start);
	return start;
}

/* Compares texts without blanks. */
static bool same_but_blanks(const char *a, size_t len, const char *b)
{
	const char *end = a + len;

	for (;;) {
		while (a < end && *a == ' ')
			a++;
		while (*b == ' ')
			b++;
		if (a == end || *a != *b)
			return a == end && !*b;
		a++;
		b++;
	}
}

/* Tells whether the name is an instance, `k<float>` or `ns::k<float>`, as the user launches it. */
static bool is_instance(const char *bare, const char *name)
{
	const char *at = bare;
	int depth = 0;

	if (!strchr(name, '<'))
		return false;
	for (const char *p = bare; *p && (depth || *p != '('); p++) {
		depth += (*p == '<') - (*p == '>');
		if (!depth && (p[1] == '(' || !p[1]) &&
		    (same_but_blanks(bare, (size_t)(p + 1 - bare), name) ||
		     same_but_blanks(at, (size_t)(p + 1 - at), name)))
			return true;
		if (!depth && *p == ':')
			at = p + 1;
	}
	return false;
}

static bool is_text(const char *text, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(text, name, len);
}

bool listing_function_is(const struct listing_function *f, const char *name)
{
	size_t len;
	const char *bare = bare_name(f->shown, &len), *last;

	if (!*name || !strcmp(f->name, name) || is_text(bare, len, name) || is_instance(bare, name))
		return true;
	last = memrchr(bare, ':', len);
	return last && is_text(last + 1, len - (size_t)(last + 1 - bare), name);
}

size_t listing_count(const struct listing *l, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_functions; i++)
		n += *l->functions[i].name && listing_function_is(&l->functions[i], name);
	return n;
}
