/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser walks the lines of the leading block; a line that is neither blank, nor a comment, nor
 * a command ends it. Behind it only //% lines count.
 */
#define _GNU_SOURCE

#include "kernel/magics/magic-script.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/magics/magic-table.h"

/* ---- one line ---- */

enum line_kind { LINE_C, LINE_BLANK, LINE_COMMAND };

/* Offsets are into the line. */
struct line {
	enum line_kind kind;
	bool cell; /* %% */
	size_t name;
	size_t name_len;
	size_t args;         /* the text behind the name */
	const char *special; /* "!" or "?" instead of a name; NULL */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t skip_space(const char *text, size_t at, size_t len)
{
	while (at < len && isspace((unsigned char)text[at]))
		at++;
	return at;
}

/* Parses ?name and name? alone on a line, also with `??`; the name may be that of a magic, with its
 * %. */
static bool parse_question(const char *text, size_t at, size_t len, struct line *ret)
{
	size_t first = at, start, word, end;
	bool before = text[at] == '?';

	while (at < len && text[at] == '?')
		at++;
	start = at = skip_space(text, at, len);
	while (at < len && text[at] == '%' && at - start < 2)
		at++;
	word = at;
	while (at < len && is_word(text[at]))
		at++;
	end = at;
	while (!before && at < len && text[at] == '?')
		at++;
	if (word == end || (!before && at == end) || skip_space(text, at, len) < len)
		return false;
	*ret = (struct line){ .kind = LINE_COMMAND,
			      .special = "?",
			      .name = start,
			      .name_len = end - start,
			      .args = first };
	return true;
}

static bool parse_percent(const char *text, size_t at, size_t len, struct line *ret)
{
	bool cell;
	size_t start;

	at++;
	cell = at < len && text[at] == '%';
	if (cell)
		at++;
	start = at;
	if (at == len || !isalpha((unsigned char)text[at]))
		return false;
	while (at < len && is_word(text[at]))
		at++;
	*ret = (struct line){
		.kind = LINE_COMMAND, .cell = cell, .name = start, .name_len = at - start
	};
	if (at < len && text[at] == ':') /* the form of other C kernels: //%cflags:-lm */
		at++;
	ret->args = skip_space(text, at, len);
	return true;
}

/* Parses `//%name`. `//%d prints an int` is a comment of the C code, so only a magic's name, or one
 * that is similar, counts. */
static bool parse_comment(const char *text, size_t at, size_t len, struct line *ret)
{
	struct line line = { 0 };
	char name[64];

	if (len - at <= 3 || strncmp(text + at, "//%", 3) ||
	    !parse_percent(text, at + 2, len, &line))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)line.name_len, text + line.name);
	if (!magic_find(magic_table, name) &&
	    (strlen(name) < 4 || !magic_nearest(magic_table, name)))
		return false;
	*ret = line;
	return true;
}

/* Parses a line; `leading`: no C token came before. */
static struct line parse_line(const char *text, size_t len, bool leading)
{
	size_t at = skip_space(text, 0, len);
	struct line line = { .kind = LINE_C };

	if (at == len) {
		line.kind = LINE_BLANK;
		return line;
	}
	if (parse_comment(text, at, len, &line))
		return line;
	if (!strncmp(text + at, "//", 2)) {
		line.kind = LINE_BLANK;
		return line;
	}
	if (!leading)
		return line;
	if (text[at] == '%' &&
	    (parse_question(text, at, len, &line) || parse_percent(text, at, len, &line)))
		return line;
	if (text[at] == '!')
		return (struct line){ .kind = LINE_COMMAND,
				      .special = "!",
				      .args = skip_space(text, at + 1, len) };
	/* A name that is still being typed. */
	if (text[at] == '%' && at + strspn(text + at, "%") >= len)
		line.kind = LINE_BLANK;
	parse_question(text, at, len, &line);
	return line;
}

/* ---- the walk over a cell ---- */

struct walk {
	const char *text; /* the line; NULL at the end of the cell */
	size_t len;       /* without its newline */
	uint32_t number;
	bool leading;
	bool in_comment; /* in the leading block: inside a C comment over several lines */
	struct line line;
};

/* Skips a block comment at the start of a line, which does not end the leading block. */
static void skip_comment(struct walk *w)
{
	const char *end = w->text + w->len, *p = w->text + skip_space(w->text, 0, w->len);

	if (!w->in_comment && !strncmp(p, "/*", 2)) {
		w->in_comment = true;
		p += 2;
	}
	if (!w->in_comment)
		return;
	w->line.kind = LINE_BLANK;
	p = memmem(p, end - p, "*/", 2);
	if (!p)
		return;
	w->in_comment = false;
	if (skip_space(p, 2, end - p) < (size_t)(end - p))
		w->line.kind = LINE_C;
}

static void read_line(struct walk *w)
{
	w->len = strcspn(w->text, "\n");
	w->line = parse_line(w->text, w->len, w->leading);
	if (w->leading && (w->in_comment || w->line.kind == LINE_C))
		skip_comment(w);
	if (w->line.kind == LINE_C)
		w->leading = false;
}

static struct walk walk_start(const char *cell)
{
	struct walk w = { .text = cell, .number = 1, .leading = true };

	read_line(&w);
	return w;
}

static bool walk_next(struct walk *w)
{
	if (!w->text[w->len])
		return false;
	w->text += w->len + 1;
	w->number++;
	read_line(w);
	return true;
}

static const struct magic *line_magic(const struct walk *w)
{
	char name[64];

	if (w->line.special)
		return magic_find(magic_table, w->line.special);
	if (w->line.name_len >= sizeof(name))
		return NULL;
	memcpy(name, w->text + w->line.name, w->line.name_len);
	name[w->line.name_len] = '\0';
	return magic_find(magic_table, name);
}

static bool takes_body(const struct walk *w, const struct magic *m)
{
	return w->line.cell && m && !(m->forms & (MAGIC_CODE | MAGIC_COMPILER));
}

static bool has_code_behind(const struct walk *w, const struct magic *m)
{
	return m->forms & MAGIC_CODE && !(m->forms & MAGIC_OPTIONS) &&
	       (w->line.cell || !(m->forms & MAGIC_WORDS));
}

static void blank(char *code, size_t from, size_t to)
{
	for (; from < to; from++)
		if (code[from] != '\n')
			code[from] = ' ';
}

static void blank_line(char *code, const struct walk *w, size_t start)
{
	const struct magic *m = line_magic(w);

	if (takes_body(w, m))
		blank(code, start, strlen(code));
	else if (m && has_code_behind(w, m))
		blank(code, start, start + w->line.args);
	else if (m && m->forms & MAGIC_COMPILER)
		return;
	else
		blank(code, start, start + w->len);
}

char *magic_blank(const char *cell)
{
	char *code = strdup(cell);
	struct walk w = walk_start(cell);

	if (!code)
		return NULL;
	do {
		if (w.line.kind != LINE_COMMAND)
			continue;
		blank_line(code, &w, w.text - cell);
		if (takes_body(&w, line_magic(&w)))
			break;
	} while (walk_next(&w));
	return code;
}

bool magic_name_at(const char *cell, size_t cursor, size_t *ret_start)
{
	struct walk w = walk_start(cell);

	do {
		size_t start = w.text - cell + w.line.name;

		if (w.line.kind != LINE_COMMAND || w.line.special) {
			/* A lone % is the start of a name. */
			size_t at = skip_space(w.text, 0, w.len);

			if (!w.leading || w.line.special ||
			    strspn(w.text + at, "%") != w.len - at || at == w.len)
				continue;
			start = w.text - cell + w.len;
			w.line.name_len = 0;
		}
		if (cursor >= start && cursor <= start + w.line.name_len) {
			*ret_start = start;
			return true;
		}
		if (takes_body(&w, line_magic(&w)))
			break;
	} while (walk_next(&w));
	return false;
}

/* Returns the start of the word that ends at the cursor. */
static size_t word_start(const char *cell, size_t from, size_t cursor)
{
	while (cursor > from && !isspace((unsigned char)cell[cursor - 1]))
		cursor--;
	return cursor;
}

/* Returns the start of the line in the body that the cursor is in. */
static size_t line_start(const char *cell, size_t from, size_t cursor)
{
	while (cursor > from && cell[cursor - 1] != '\n')
		cursor--;
	return cursor;
}

bool magic_place_at(const char *cell, size_t cursor, struct magic_place *ret)
{
	struct walk w = walk_start(cell);

	do {
		size_t line = w.text - cell, end = line + w.len;
		bool is_question = w.line.special && *w.line.special == '?';
		size_t args = line + (is_question ? w.line.name : w.line.args);
		const struct magic *m = w.line.kind == LINE_COMMAND ? line_magic(&w) : NULL;
		bool in_body = m && takes_body(&w, m) && cursor > end;

		if (in_body)
			args = line_start(cell, end + 1, cursor);
		if (in_body || (m && !has_code_behind(&w, m) && cursor >= args && cursor <= end)) {
			*ret = (struct magic_place){ m, args, word_start(cell, args, cursor),
						     in_body };
			return true;
		}
	} while (walk_next(&w));
	return false;
}

bool magic_wants_more(const char *cell)
{
	struct walk w = walk_start(cell);
	size_t len = strlen(cell);

	do {
		const struct magic *m = w.line.kind == LINE_COMMAND ? line_magic(&w) : NULL;

		if (m && (takes_body(&w, m) || m->forms & MAGIC_COMPILER))
			return len < 2 || strcmp(cell + len - 2, "\n\n");
	} while (walk_next(&w));
	return false;
}

/* ---- the script ---- */

static int refuse_unknown(const struct walk *w, struct error *err)
{
	char name[64];
	const struct magic *near;

	snprintf(name, sizeof(name), "%.*s", (int)w->line.name_len, w->text + w->line.name);
	near = magic_nearest(magic_table, name);
	if (near)
		return error_set(
			err, ERROR_INPUT,
			"line %u: there is no magic %s%s; did you mean %s? %%help lists all",
			w->number, w->line.cell ? "%%" : "%", name, near->usage);
	return error_set(err, ERROR_INPUT, "line %u: there is no magic %s%s; %%help lists all",
			 w->number, w->line.cell ? "%%" : "%", name);
}

static char *trimmed(const char *text, size_t len)
{
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	return strndup(text, len);
}

static int add_call(struct magic_script *s, const struct walk *w, const struct magic *m,
		    struct error *err)
{
	struct magic_call *grown = realloc(s->calls, (s->n_calls + 1) * sizeof(*grown));
	struct magic_call call = {
		.magic = m, .table = magic_table, .line = w->number, .is_cell = w->line.cell
	};

	if (grown)
		s->calls = grown;
	call.args = trimmed(w->text + w->line.args, w->len - w->line.args);
	if (takes_body(w, m))
		call.body = strdup(w->text[w->len] ? w->text + w->len + 1 : "");
	if (!grown || !call.args || (takes_body(w, m) && !call.body)) {
		free(call.args);
		free(call.body);
		return error_set(err, ERROR_MEMORY, "out of memory");
	}
	s->calls[s->n_calls++] = call;
	return 0;
}

static int parse_call(struct magic_script *s, const struct walk *w, struct error *err)
{
	const struct magic *m = line_magic(w);

	if (!m)
		return refuse_unknown(w, err);
	if (!w->line.special && !(m->forms & (w->line.cell ? MAGIC_CELL : MAGIC_LINE)))
		return error_set(err, ERROR_INPUT, "line %u: %s is used as %s", w->number, m->name,
				 m->usage);
	return add_call(s, w, m, err);
}

int magic_script_parse(struct magic_script *ret, const char *cell, struct error *err)
{
	struct magic_script s = { 0 };
	struct walk w = walk_start(cell);

	do {
		if (w.line.kind != LINE_COMMAND)
			continue;
		if (parse_call(&s, &w, err)) {
			magic_script_release(&s);
			return -1;
		}
		if (takes_body(&w, line_magic(&w)))
			break;
	} while (walk_next(&w));
	s.code = magic_blank(cell);
	if (!s.code) {
		magic_script_release(&s);
		return error_set(err, ERROR_MEMORY, "out of memory");
	}
	*ret = s;
	return 0;
}
