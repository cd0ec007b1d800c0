/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A location is kept per .loc line. `inlined_at` names a place, not a location: it is looked up
 * among the earlier locations of the same file, line and column, which ptxas does too. Line 0 means
 * "no line": the reader sees the nearest one before it, in code for a debugger without a column, so
 * that nobody takes it for the beginning of that line.
 */
#include "emulator/ptx/ptx-lines.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "emulator/ptx/ptx-parser.h"

/* A call site stands shortly before what is inlined there. */
#define PLACES_TRIED 256

static uint32_t add_location_name(struct ptx_parser *p, const struct ptx_token *t)
{
	struct ptx_module *m = p->m;
	struct ptx_table table = { m->location_names, m->location_name_count,
				   m->location_name_cap };
	const char **at;

	/* Neighbouring lines mostly repeat the last few names. */
	for (size_t i = m->location_name_count, tries = 8; i-- > 0 && tries--;)
		if (strlen(m->location_names[i]) == t->len &&
		    !memcmp(m->location_names[i], t->text, t->len))
			return (uint32_t)i;
	at = ptx_parser_push(p, &table, sizeof(*at));
	m->location_names = table.items;
	m->location_name_count = table.count;
	m->location_name_cap = table.cap;
	if (!at)
		return PTX_NONE;
	*at = ptx_parser_text(p, t);
	return *at ? (uint32_t)m->location_name_count - 1 : PTX_NONE;
}

static int parse_place(struct ptx_parser *p, struct ptx_location *l)
{
	int64_t file, line, column;

	if (ptx_parser_integer(p, &file) || ptx_parser_integer(p, &line) ||
	    ptx_parser_integer(p, &column))
		return -1;
	l->file = (uint32_t)file;
	l->line = (uint32_t)line;
	l->column = (uint32_t)column;
	return 0;
}

/* The newest earlier location at the same place; a bare one is made when there is none. */
static uint32_t find_place(struct ptx_parser *p, const struct ptx_location *place)
{
	struct ptx_module *m = p->m;
	struct ptx_table t = { m->locations, m->location_count, m->location_cap };
	struct ptx_location *l;

	for (size_t i = m->location_count, tries = PLACES_TRIED; i-- > 0 && tries--;)
		if (m->locations[i].file == place->file && m->locations[i].line == place->line &&
		    m->locations[i].column == place->column)
			return (uint32_t)i;
	l = ptx_parser_push(p, &t, sizeof(*l));
	m->locations = t.items;
	m->location_count = t.count;
	m->location_cap = t.cap;
	if (!l)
		return PTX_NONE;
	*l = *place;
	return (uint32_t)m->location_count - 1;
}

int ptx_lines_parse(struct ptx_parser *p)
{
	struct ptx_module *m = p->m;
	struct ptx_location l = { .function = PTX_NONE, .inlined_at = PTX_NONE };
	struct ptx_table t;
	struct ptx_location *to;
	int64_t ignored;

	if (parse_place(p, &l))
		return -1;
	while (ptx_parser_take(p, ',')) {
		if (ptx_parser_take_word(p, "function_name")) {
			l.function = add_location_name(p, &p->token);
			ptx_parser_advance(p);
			if (ptx_parser_take(p, '+') && ptx_parser_integer(p, &ignored))
				return -1;
		} else if (ptx_parser_take_word(p, "inlined_at")) {
			struct ptx_location at = { .function = PTX_NONE, .inlined_at = PTX_NONE };

			if (parse_place(p, &at))
				return -1;
			l.inlined_at = find_place(p, &at);
		} else {
			return ptx_parser_error(p, "`function_name` or `inlined_at` expected");
		}
	}
	if (l.line == 0) {
		if (!m->debug || p->loc == PTX_NONE)
			return 0;
		l = m->locations[p->loc];
		l.column = 0;
	}
	t = (struct ptx_table){ m->locations, m->location_count, m->location_cap };
	to = ptx_parser_push(p, &t, sizeof(*to));
	m->locations = t.items;
	m->location_count = t.count;
	m->location_cap = t.cap;
	if (!to)
		return error_set(p->err, ERROR_MEMORY, "out of memory while parsing PTX");
	*to = l;
	p->loc = (uint32_t)m->location_count - 1;
	return 0;
}

static const char *file_name(const struct ptx_module *m, uint32_t number)
{
	for (size_t i = 0; i < m->file_count; i++)
		if (m->files[i].number == number)
			return m->files[i].name;
	return "?";
}

static const char *string_of(const struct ptx_module *m, const char *label)
{
	for (size_t i = 0; i < m->string_count; i++)
		if (!strcmp(m->strings[i].name, label))
			return m->strings[i].text;
	return label;
}

/* One <length><identifier> of an Itanium-mangled name; 0 when there is none. */
static size_t take_identifier(const char **at, char *ret, size_t size)
{
	size_t len = 0;
	const char *c = *at;

	while (*c >= '0' && *c <= '9' && len < 10000)
		len = len * 10 + (size_t)(*c++ - '0');
	if (!len || strlen(c) < len)
		return 0;
	snprintf(ret, size, "%.*s", (int)len, c);
	*at = c + len;
	return len;
}

/* _ZZ4tilePfE1a and _ZZ4tilePfE1a_0: what is declared in a function has its name behind the
 * function's E. */
static bool take_local_name(const char *mangled, char *ret, size_t size)
{
	for (const char *e = mangled + strlen(mangled); e > mangled; e--) {
		const char *at = e;
		char part[96];

		if (e[-1] != 'E' || !take_identifier(&at, part, sizeof(part)) ||
		    (*at && *at != '_'))
			continue;
		snprintf(ret, size, "%s", part);
		return true;
	}
	return false;
}

void ptx_lines_source_name(const char *mangled, char *ret, size_t size)
{
	const char *at = mangled;
	char part[96];
	size_t used = 0;
	bool nested;

	snprintf(ret, size, "%s", mangled);
	if (strncmp(at, "_Z", 2) || (at[2] == 'Z' && take_local_name(at, ret, size)))
		return;
	at += 2;
	nested = *at == 'N';
	if (nested)
		at++;
	while (*at == 'K' || *at == 'L')
		at++;
	while (take_identifier(&at, part, sizeof(part))) {
		/* Unnamed and per-file namespaces mean nothing to a reader. */
		if (!strncmp(part, "_GLOBAL__N_", 11) || !strncmp(part, "_INTERNAL_", 10))
			continue;
		used += (size_t)snprintf(ret + used, size - used, "%s%s", used ? "::" : "", part);
		if (used >= size)
			return;
		if (!nested)
			return;
	}
}

uint32_t ptx_lines_frames(const struct ptx_module *m, uint32_t loc, const char *name,
			  struct ptx_lines_frame *frames, uint32_t max)
{
	uint32_t count = 0;

	while (loc < m->location_count && count < max) {
		const struct ptx_location *l = &m->locations[loc];
		struct ptx_lines_frame *f = &frames[count++];
		const char *function = name;

		if (l->function < m->location_name_count)
			function = string_of(m, m->location_names[l->function]);
		ptx_lines_source_name(function, f->function, sizeof(f->function));
		f->symbol[0] = '\0';
		if (strlen(function) < sizeof(f->symbol))
			memcpy(f->symbol, function, strlen(function) + 1);
		snprintf(f->file, sizeof(f->file), "%s", file_name(m, l->file));
		f->line = l->line;
		f->column = l->column;
		loc = l->inlined_at;
	}
	return count;
}
