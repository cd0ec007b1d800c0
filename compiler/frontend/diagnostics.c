/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clang reports byte offsets of the unit. Each is mapped to a byte of the cell, or to none where
 * the unit has text of ours. If clang read another text than the user's line, the column is found
 * by the word: its n-th occurrence in one is the n-th in the other. Errors and warnings have a
 * buffer each; a note goes to that of the last message, and is dropped where that was not shown,
 * as warnings outside of the cell are not. The log of nvcc has no offsets and is read line by
 * line.
 */
#include "compiler/frontend/diagnostics.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "common/base/mem-pool.h"
#include "compiler/frontend/compile.h"
#include "compiler/packages/package-index.h"
#include "compiler/packages/packages.h"
#include "compiler/session/options.h"
#include "compiler/session/session.h"
#include "compiler/text/own-names.h"
#include "compiler/text/token.h"
#include "compiler/text/unit-text.h"

/* Who has more of them reads none. */
#define WARNINGS_MAX 100

void diagnostics_init(struct diagnostics *d, const struct compile_request *request,
		      const char *cell)
{
	cell = request->written ? request->written : cell;
	*d = (struct diagnostics){
		.cell = cell,
		.cell_len = strlen(cell),
		.cell_name = request->cell_name,
		.unknown_at = -1,
	};
	buffer_init(&d->errors);
	buffer_init(&d->warnings);
	buffer_init(&d->first);
}

void diagnostics_release(struct diagnostics *d)
{
	buffer_release(&d->errors);
	buffer_release(&d->warnings);
	buffer_release(&d->first);
}

static const char *severity_name(enum clang_severity s)
{
	return s == CLANG_ERROR ? "error" : s == CLANG_WARNING ? "warning" : "note";
}

static const char *line_start(const struct diagnostics *d, uint32_t line)
{
	const char *p = d->cell, *end = d->cell + d->cell_len;

	while (--line && p < end) {
		p = memchr(p, '\n', (size_t)(end - p));
		if (!p)
			return end;
		p++;
	}
	return p;
}

/* Writes a place such as "In[3]:2:5". column 0: none. */
static void put_place(const struct diagnostics *d, uint32_t line, uint32_t column, char *to,
		      size_t size)
{
	int n = snprintf(to, size, "%s:%u", d->cell_name, line);

	if (column && n > 0 && (size_t)n < size)
		snprintf(to + n, size - (size_t)n, ":%u", column);
}

/* Appends the line of the cell with a caret below; tabs are kept so that both line up. */
static void put_source(const struct diagnostics *d, struct buffer *out, uint32_t line,
		       uint32_t column, uint32_t width)
{
	const char *start = line_start(d, line), *end = d->cell + d->cell_len;
	const char *stop = memchr(start, '\n', (size_t)(end - start));
	size_t len = (size_t)((stop ? stop : end) - start);

	if (!len || column > len + 1)
		return;
	if (!column) {
		buffer_printf(out, "%5u | %.*s\n", line, (int)len, start);
		return;
	}
	buffer_printf(out, "%5u | %.*s\n      | ", line, (int)len, start);
	for (uint32_t i = 0; i + 1 < column; i++)
		if (((unsigned char)start[i] & 0xc0) != 0x80)
			buffer_putc(out, start[i] == '\t' ? '\t' : ' ');
	buffer_putc(out, '^');
	for (uint32_t i = 1; i < width && column + i <= len; i++)
		if (((unsigned char)start[column - 1 + i] & 0xc0) != 0x80)
			buffer_putc(out, '~');
	buffer_putc(out, '\n');
}

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static size_t word_length(const char *p, const char *end)
{
	size_t n = 0;

	while (p + n < end && is_word(p[n]))
		n++;
	return n;
}

/*
 * Maps a column of the generated line to the user's line: the same word, with the same count from
 * the line's start; 0 when there is none.
 */
static uint32_t column_as_written(const char *made, const char *made_end, const char *line,
				  const char *end, uint32_t column)
{
	const char *at = made + column - 1;
	size_t len = at < made_end ? word_length(at, made_end) : 0, n;
	unsigned skip = 0;

	if (!len)
		return 0;
	for (const char *p = made; p < at; p += n ? n : 1) {
		n = word_length(p, made_end);
		skip += n == len && !memcmp(p, at, len);
	}
	for (const char *p = line; p < end; p += n ? n : 1) {
		n = word_length(p, end);
		if (n == len && !memcmp(p, at, len) && !skip--)
			return (uint32_t)(p - line) + 1;
	}
	return 0;
}

static const char *line_end(const char *start, const char *end)
{
	const char *stop = memchr(start, '\n', (size_t)(end - start));

	return stop ? stop : end;
}

/* Moves a place behind the cell, in text that a command has put there, to the cell's end. */
static void stay_in_cell(const struct diagnostics *d, uint32_t *line, uint32_t *column)
{
	const char *last = d->cell, *end = d->cell + d->cell_len;
	uint32_t n = 1;

	for (const char *p = d->cell; (p = memchr(p, '\n', (size_t)(end - p))); last = ++p)
		n++;
	if (*line <= n)
		return;
	*line = n;
	*column = (uint32_t)(end - last) + 1;
}

/* Maps a place in the text that clang has read to the user's line; column 0: only the line is
 * known. */
static void place_as_written(const struct diagnostics *d, const struct unit_text *unit, size_t at,
			     uint32_t *ret_line, uint32_t *ret_column)
{
	const char *end = d->cell + d->cell_len, *unit_end = unit->cell + unit->cell_len, *line,
		   *made;
	size_t before;

	text_position(unit->cell, unit->cell_len, at, ret_line, ret_column);
	line = line_start(d, *ret_line);
	end = line_end(line, end);
	before = *ret_column - 1;
	made = unit->cell + at - before;
	unit_end = line_end(made, unit_end);
	if (end - line != unit_end - made ||
	    memcmp(line + before, made + before, (size_t)(end - line) - before) != 0)
		*ret_column = column_as_written(made, unit_end, line, end, *ret_column);
	stay_in_cell(d, ret_line, ret_column);
}

static struct buffer *begin(struct diagnostics *d, enum clang_severity severity)
{
	if (severity != CLANG_NOTE)
		d->last = severity;
	return d->last == CLANG_ERROR ? &d->errors : &d->warnings;
}

static void put_head(struct diagnostics *d, struct buffer *out, enum clang_severity severity,
		     const char *place, uint32_t line, const char *message, const char *flag)
{
	struct buffer head = BUFFER_INIT;

	buffer_printf(&head, "%s%s%s: %s", place, *place ? ": " : "", severity_name(severity),
		      message);
	if (severity == CLANG_WARNING && *flag)
		buffer_printf(&head, " [%s]", flag);
	own_names_strip(head.data);
	buffer_printf(out, "%s\n", buffer_text(&head));
	if (severity == CLANG_ERROR && !d->n_errors++) {
		buffer_puts(&d->first, buffer_text(&head));
		d->first_line = line;
	}
	buffer_release(&head);
}

/* Tells whether an unknown name is one that an earlier cell had, and appends that. */
static bool put_dropped(const struct diagnostics *d, struct buffer *out, const char *name,
			size_t len)
{
	cleanup_buffer struct buffer why = BUFFER_INIT;

	if (!d->session || !len || !session_why_unknown(d->session, name, len, &why))
		return false;
	/* It is explained at the first use of the name. */
	if (!strstr(buffer_text(&d->errors), buffer_text(&why)))
		buffer_printf(out, "      = %s\n", buffer_text(&why));
	return true;
}

/* Explains names in a log of nvcc, such as `identifier "x" is undefined`, `incomplete type "struct
 * p" is not allowed`. */
static void put_dropped_of_log(const struct diagnostics *d, struct buffer *out, const char *message)
{
	for (const char *p = strchr(message, '"'), *end; p && (end = strchr(p + 1, '"'));
	     p = strchr(end + 1, '"')) {
		const char *start = end;

		while (start > p + 1 && is_word(start[-1]))
			start--;
		put_dropped(d, out, start, (size_t)(end - start));
	}
}

/* Suggests a similar name. Clang sees only those names of the session that the cell mentions, so it
 * seldom can. */
static void put_near(const struct diagnostics *d, struct buffer *out,
		     const struct clang_diagnostic *c)
{
	const struct declaration *near = d->session ? session_nearest(d->session, c->name) : NULL;
	const char *name = !near ? NULL : near->kind == DECLARATION_CPP ? near->device : near->name;

	if (near && !(c->guess && !strcmp(c->guess, name)))
		buffer_printf(out, "      = did you mean '%s' of In[%u]?\n", name, near->cell);
}

/* Appends the package of a header that is not found. */
static void put_package(struct buffer *out, const char *header)
{
	const char *install, *name = package_of_header(header, &install);
	char package[PACKAGE_NAME_MAX];

	if (name)
		buffer_printf(out,
			      "      = it comes with `%%pkg %s`; where that is not installed: %s\n",
			      name, install);
	else if (package_index_header(header, package))
		buffer_printf(out, "      = it comes with `%%pkg %s`, which is installed\n",
			      package);
}

static void put_library(struct buffer *out, const char *name)
{
	char package[PACKAGE_NAME_MAX], library[PACKAGE_NAME_MAX];

	if (package_index_symbol(name, package, library))
		buffer_printf(out, "      = %s has it: include its header, and add `%%pkg %s`\n",
			      library, package);
}

/* Recognises cudaMalloc, cuInit, dim3, cuda_fp16.h and the like. */
static bool is_of_cuda(const char *name)
{
	return !strncmp(name, "cuda", 4) || !strcmp(name, "dim3") ||
	       (!strncmp(name, "cu", 2) && isupper((unsigned char)name[2]));
}

/* Explains an error in `int N = 5;` where an earlier cell has a macro N. */
static void put_macro(const struct diagnostics *d, const struct unit_text *unit, struct buffer *out,
		      size_t at)
{
	const struct declaration *known;
	size_t len = 0;

	while (at + len < unit->cell_len && is_word(unit->cell[at + len]))
		len++;
	known = d->session && len ? session_find(d->session, unit->cell + at, len) : NULL;
	if (known && known->kind == DECLARATION_MACRO && strncmp(known->host, "#undef", 6))
		buffer_printf(out,
			      "      = '%s' is a macro of In[%u]: #undef it in front, or take "
			      "another name\n",
			      known->name, known->cell);
}

/* Appends a hint for an unknown name. */
static void put_unknown(const struct diagnostics *d, struct buffer *out,
			const struct clang_diagnostic *c)
{
	if (!put_dropped(d, out, c->name, strlen(c->name)))
		put_near(d, out, c);
	put_library(out, c->name);
}

static void put_hints(const struct diagnostics *d, struct buffer *out,
		      const struct clang_diagnostic *c)
{
	if (c->kind == CLANG_UNKNOWN && c->name)
		put_unknown(d, out, c);
	else if (c->kind == CLANG_NO_FILE && c->name)
		put_package(out, c->name);
	else if (c->incomplete)
		put_dropped(d, out, c->incomplete, strlen(c->incomplete));
	if (d->no_cuda && (c->kind == CLANG_UNKNOWN || c->kind == CLANG_NO_FILE) && c->name &&
	    is_of_cuda(c->name))
		buffer_printf(out, "      = %s\n", d->no_cuda);
	if (c->is_of_flags)
		buffer_puts(out, "      = a flag names this file: " OPTIONS_FLAGS_OFF "\n");
	if (c->hint)
		buffer_printf(out, "      = %s\n", c->hint);
}

void diagnostics_hint(struct diagnostics *d, const char *hint)
{
	buffer_printf(d->last == CLANG_ERROR ? &d->errors : &d->warnings, "      = %s\n", hint);
}

void diagnostics_add(struct diagnostics *d, enum clang_severity severity, uint32_t line,
		     uint32_t column, uint32_t width, const char *message)
{
	struct buffer *out = begin(d, severity);
	char place[300];

	if (severity == CLANG_NOTE && !d->last_shown)
		return;
	d->last_shown = true;
	if (line)
		put_place(d, line, column, place, sizeof(place));
	else
		snprintf(place, sizeof(place), "%s", d->cell_name);
	put_head(d, out, severity, place, line, message, "");
	if (line && column)
		put_source(d, out, line, column, width);
}

static uint32_t range_width(const struct unit_text *unit, const struct clang_diagnostic *c, long at)
{
	long begin_at = c->range_begin < 0 ? -1 : unit_text_find(unit, c->range_begin);
	long end_at = c->range_end <= c->range_begin ? -1 : unit_text_find(unit, c->range_end - 1);

	return begin_at == at && end_at >= at ? (uint32_t)(end_at - at + 1) : 1;
}

/* Appends the line of the file, and where it was included. */
static void put_included(struct buffer *out, const struct clang_diagnostic *c)
{
	buffer_printf(out, "%5u | %s\n      | ", c->line, c->source);
	for (unsigned i = 0; i + 1 < c->column && c->source[i]; i++)
		if (((unsigned char)c->source[i] & 0xc0) != 0x80)
			buffer_putc(out, c->source[i] == '\t' ? '\t' : ' ');
	buffer_printf(out, "^\n      = included by %s:%u\n", c->include_file, c->include_line);
}

/* Maps a place in a launch, which is rewritten with the kernel's name behind the configuration: an
 * error in it is shown in front of `<<<`. */
static long place_of_launch(const struct unit_text *unit, long at)
{
	long open = at;

	if (at < 0 || (size_t)at + 3 > unit->cell_len || memcmp(unit->cell + at, ">>>", 3) != 0)
		return at;
	while (open > 0 && memcmp(unit->cell + open, "<<<", 3) != 0)
		open--;
	while (open > 0 && strchr(" \t", unit->cell[open - 1]))
		open--;
	while (open > 0 && is_word(unit->cell[open - 1]))
		open--;
	return is_word(unit->cell[open]) ? open : at;
}

bool diagnostics_keep(const struct clang_diagnostic *c, struct mem_pool *pool,
		      struct clang_diagnostic *ret)
{
	const char **texts[] = { &ret->message, &ret->name,   &ret->guess,       &ret->incomplete,
				 &ret->flag,    &ret->file,   &ret->source,      &ret->hint,
				 &ret->macro,   &ret->header, &ret->include_file };

	*ret = *c;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const char *text = *texts[i];

		*texts[i] = text ? mem_pool_strdup(pool, text) : NULL;
		if (text && !*texts[i])
			return false;
	}
	return true;
}

const char *diagnostics_short_name(const struct clang_diagnostic *c)
{
	static const char folder[] = "/include/";
	const char *file = c->file, *ret = file, *next;

	for (next = strstr(file, folder); c->in_system_header && next; next = strstr(next, folder))
		ret = next += strlen(folder);
	for (next = strstr(file, "/c++/"); next; next = strstr(next, "/c++/")) {
		next = strchr(next + strlen("/c++/"), '/');
		if (!next)
			break;
		ret = next + 1;
	}
	return !strncmp(ret, "./", 2) ? ret + 2 : ret;
}

const char *diagnostics_finish_warnings(struct diagnostics *d)
{
	unsigned more = d->n_warnings > WARNINGS_MAX ? d->n_warnings - WARNINGS_MAX : 0;

	if (more)
		buffer_printf(&d->warnings, "%u more warning%s\n", more, more == 1 ? "" : "s");
	d->n_warnings = 0;
	return buffer_text(&d->warnings);
}

/* Tells whether there was the same one before: clang reads the argument of a macro as often as the
 * macro has it. */
static bool is_repeated(struct diagnostics *d, const struct clang_diagnostic *c, const char *place)
{
	uint64_t hash = XXH3_64bits_withSeed(c->message, strlen(c->message),
					     XXH3_64bits(place, strlen(place)));

	for (unsigned i = 0; i < d->n_told; i++)
		if (d->told[i] == hash)
			return true;
	if (d->n_told < DIAGNOSTICS_TOLD_MAX)
		d->told[d->n_told++] = hash;
	return false;
}

/* Removes an earlier diagnostic about the same unknown name: clang may look it up more than once,
 * as a template, as a type. The last message is kept. */
static void take_back(struct diagnostics *d, const struct clang_diagnostic *c, bool in_cell)
{
	bool unknown = c->kind == CLANG_UNKNOWN && in_cell;

	if (unknown && d->n_errors && d->unknown_at == c->offset) {
		d->errors.len = d->unknown_start;
		if (d->errors.data)
			d->errors.data[d->errors.len] = '\0';
		if (!--d->n_errors)
			buffer_clear(&d->first);
	}
	d->unknown_at = unknown ? c->offset : -1;
	d->unknown_start = d->errors.len;
}

void diagnostics_add_clang(struct diagnostics *d, const struct unit_text *unit,
			   const struct clang_diagnostic *c)
{
	long at = c->offset < 0 ? -1 : place_of_launch(unit, unit_text_find(unit, c->offset));
	bool in_cell = at >= 0;
	uint32_t line = 0, row = 0, column = 0;
	char place[1200] = "";

	in_the_way_look_at(&d->in_the_way, d->session, c);
	if (c->severity == CLANG_NOTE && !d->last_shown)
		return;
	/* Warnings about generated text or about earlier cells were shown then, or concern
	 * nobody. */
	if (c->severity == CLANG_WARNING && (!in_cell || d->n_warnings >= WARNINGS_MAX)) {
		d->n_warnings += in_cell;
		d->last_shown = false;
		return;
	}
	/* Notes in generated text, such as "expanded from", "previous definition is here", tell the
	 * user nothing. */
	if (c->severity == CLANG_NOTE && !in_cell && !*c->file)
		return;
	if (in_cell) {
		place_as_written(d, unit, (size_t)at, &row, &column);
		put_place(d, row, column, place, sizeof(place));
		line = row;
	} else if (*c->file) {
		bool cell = !strcmp(c->file, d->cell_name);

		line = cell ? c->line : 0;
		snprintf(place, sizeof(place),
			 cell || !strncmp(c->file, "In[", 3) ? "%s:%u" : "%s:%u:%u",
			 diagnostics_short_name(c), c->line, c->column);
	}
	d->last_shown = c->severity == CLANG_NOTE || !in_cell || !is_repeated(d, c, place);
	if (!d->last_shown)
		return;
	struct buffer *out = begin(d, c->severity);

	d->n_warnings += c->severity == CLANG_WARNING;
	if (c->severity == CLANG_ERROR)
		take_back(d, c, in_cell);
	if (c->severity == CLANG_ERROR && !d->n_errors) {
		d->first_column = column;
		d->first_in_syntax = c->in_syntax;
		d->first_unknown = c->kind == CLANG_UNKNOWN;
	}
	put_head(d, out, c->severity, place, line, c->message, c->flag);
	if (in_cell)
		put_source(d, out, row, column, range_width(unit, c, at));
	else if (c->source && c->include_file)
		put_included(out, c);
	if (in_cell && c->in_syntax)
		put_macro(d, unit, out, (size_t)at);
	put_hints(d, out, c);
}

/* Parses `In[3](2): error: identifier "x" is undefined`; the cell may be an earlier one. */
static bool parse_nvcc(const char *line, char *place, size_t size, uint32_t *ret_line,
		       enum clang_severity *ret_severity, const char **ret_message)
{
	size_t n = strcspn(line, "(");
	char *end;

	if (!line[n] || n > 200)
		return false;
	*ret_line = (uint32_t)strtoul(line + n + 1, &end, 10);
	if (end == line + n + 1 || strncmp(end, "): ", 3))
		return false;
	end += 3;
	if (!strncmp(end, "catastrophic error", 18) || !strncmp(end, "error", 5))
		*ret_severity = CLANG_ERROR;
	else if (!strncmp(end, "warning", 7))
		*ret_severity = CLANG_WARNING;
	else
		return false;
	end = strstr(end, ": ");
	*ret_message = end ? end + 2 : "";
	snprintf(place, size, "%.*s:%u", (int)n, line, *ret_line);
	return end != NULL;
}

void diagnostics_add_nvcc(struct diagnostics *d, const char *log)
{
	bool shown = false;
	struct buffer *out = &d->errors;
	/* About a dropped name; it is put behind the source lines. */
	struct buffer why = BUFFER_INIT;

	while (*log) {
		size_t n = strcspn(log, "\n");
		char line[2000], place[300];
		uint32_t at;
		enum clang_severity severity;
		const char *message;

		snprintf(line, sizeof(line), "%.*s", (int)n, log);
		log += n + (log[n] == '\n');
		if (parse_nvcc(line, place, sizeof(place), &at, &severity, &message)) {
			size_t name = strlen(d->cell_name);
			bool here = !strncmp(place, d->cell_name, name) && place[name] == ':';

			/* Warnings inside the toolkit's headers are not about the user's code. */
			shown = severity == CLANG_ERROR || here;
			if (!shown)
				continue;
			buffer_puts(out, buffer_text(&why));
			buffer_clear(&why);
			out = begin(d, severity);
			put_head(d, out, severity, place, here ? at : 0, message, "");
			put_dropped_of_log(d, &why, message);
			/* "Remark: ...", a count and the rest of its path, or another compiler. */
		} else if (*line && *line != ' ') {
			shown = false;
		} else if (shown && *line) {
			buffer_printf(out, "%s\n", line);
		}
	}
	buffer_puts(out, buffer_text(&why));
	buffer_release(&why);
}
