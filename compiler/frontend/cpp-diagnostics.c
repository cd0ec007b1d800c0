/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This is a state machine over clang's sequence of errors and notes. An error in a header waits
 * until a note of an instantiation names a place in the cell; it is told there, once for each
 * place, with the header's line behind it. If no such note comes before the next error, it is told
 * at its place in the header, unless another error of a header has been told in the cell. Of the
 * notes of one error at most five are shown, at most three of them in headers, and the rest is
 * counted.
 */
#include "compiler/frontend/cpp-diagnostics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/frontend/diagnostics.h"
#include "compiler/text/token.h"
#include "compiler/text/unit-text.h"

#define NOTES_MAX 5
#define HEADER_NOTES_MAX 3

void cpp_diagnostics_init(struct cpp_diagnostics *c, struct diagnostics *to,
			  const struct unit_text *text, bool all)
{
	*c = (struct cpp_diagnostics){ .to = to, .text = text, .all = all };
}

static long cell_offset(const struct cpp_diagnostics *c, const struct clang_diagnostic *d)
{
	return d->offset < 0 ? -1 : unit_text_find(c->text, d->offset);
}

/* Tells whether a diagnostic is in a header: neither in the cell, nor in a declaration of an
 * earlier cell, nor about the unit as a whole. */
static bool in_header(const struct cpp_diagnostics *c, const struct clang_diagnostic *d)
{
	return d->in_system_header && cell_offset(c, d) < 0;
}

static void keep(struct cpp_diagnostics *c, const struct clang_diagnostic *d)
{
	buffer_clear(&c->message);
	buffer_clear(&c->place);
	buffer_puts(&c->message, d->message);
	buffer_puts(&c->place, diagnostics_short_name(d));
	buffer_clear(&c->hint);
	buffer_puts(&c->hint, d->hint ? d->hint : "");
	c->line = d->line;
	c->column = d->column;
	c->waits = true;
}

static bool is_told(const struct cpp_diagnostics *c, long at)
{
	for (size_t i = 0; i < c->n_told; i++)
		if (c->told[i] == at)
			return true;
	return false;
}

static void remember(struct cpp_diagnostics *c, long at)
{
	long *grown = realloc(c->told, (c->n_told + 1) * sizeof(*grown));

	if (!grown)
		return;
	c->told = grown;
	c->told[c->n_told++] = at;
}

/* Reports the waiting error at the line of the cell that a note has named. */
static void tell(struct cpp_diagnostics *c, long at)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	uint32_t line, column;

	c->waits = false;
	c->silent = true;
	if (is_told(c, at))
		return;
	c->silent = false;
	remember(c, at);
	text_position(c->text->cell, c->text->cell_len, (size_t)at, &line, &column);
	c->told_here = true;
	buffer_printf(&text, "%s (in <%s>, line %u)", buffer_text(&c->message),
		      buffer_text(&c->place), c->line);
	diagnostics_add(c->to, CLANG_ERROR, line, column, 1, buffer_text(&text));
	if (c->hint.len)
		diagnostics_hint(c->to, buffer_text(&c->hint));
}

static void flush(struct cpp_diagnostics *c)
{
	struct clang_diagnostic d = { .severity = CLANG_ERROR,
				      .message = buffer_text(&c->message),
				      .flag = "",
				      .file = buffer_text(&c->place),
				      .line = c->line,
				      .column = c->column,
				      .offset = -1,
				      .range_begin = -1,
				      .range_end = -1,
				      .hint = c->hint.len ? buffer_text(&c->hint) : NULL };

	/* Clang names the place in the cell only once: an error without one is a consequence of the
	 * same. */
	if (c->waits && !c->n_told)
		diagnostics_add_clang(c->to, c->text, &d);
	c->waits = false;
}

/* Tells whether a note is shown: once an error has its place in the cell, only the path to it
 * matters. */
static bool is_wanted(struct cpp_diagnostics *c, const struct clang_diagnostic *d)
{
	if (in_header(c, d) && (c->told_here || ++c->header_notes > HEADER_NOTES_MAX))
		return false;
	return ++c->notes <= NOTES_MAX;
}

static void add_note(struct cpp_diagnostics *c, const struct clang_diagnostic *d)
{
	long at = cell_offset(c, d);

	if (c->waits && at >= 0 && d->kind == CLANG_INSTANTIATION)
		tell(c, at);
	else if (c->waits || c->silent)
		return;
	else if (is_wanted(c, d))
		diagnostics_add_clang(c->to, c->text, d);
	else
		c->folded++;
}

static void end_notes(struct cpp_diagnostics *c)
{
	char text[120];

	if (c->folded) {
		snprintf(text, sizeof(text),
			 "%u note%s more; all of them are shown by %%%%cpp " CPP_DIAGNOSTICS_ALL,
			 c->folded, c->folded > 1 ? "s" : "");
		diagnostics_hint(c->to, text);
	}
	c->notes = c->header_notes = c->folded = 0;
	c->told_here = false;
}

/*
 * Tells whether an error may be a consequence of a missing header; then the next try, with the
 * header, reports it. Another name with a missing header is reported at once.
 */
static bool follows_missing(struct cpp_diagnostics *c, const struct clang_diagnostic *d)
{
	if (d->severity != CLANG_ERROR || d->kind == CLANG_NO_FILE ||
	    (!d->header && !c->missing.len))
		return false;
	if (!d->header || (c->missing.len && strstr(buffer_text(&c->missing), d->header)))
		return true;
	buffer_puts(&c->missing, d->header);
	return false;
}

bool cpp_diagnostics_add(struct cpp_diagnostics *c, const struct clang_diagnostic *d)
{
	if (c->all) {
		diagnostics_add_clang(c->to, c->text, d);
		return true;
	}
	if (d->severity == CLANG_NOTE) {
		add_note(c, d);
		return true;
	}
	flush(c);
	end_notes(c);
	c->silent = follows_missing(c, d);
	if (c->silent)
		return false;
	/* Notes of a guess that is not shown. */
	c->silent = d->severity == CLANG_ERROR && d->header && d->kind != CLANG_NO_FILE;
	if (d->severity == CLANG_ERROR && in_header(c, d))
		keep(c, d);
	else
		diagnostics_add_clang(c->to, c->text, d);
	return true;
}

void cpp_diagnostics_end(struct cpp_diagnostics *c)
{
	flush(c);
	end_notes(c);
	buffer_release(&c->message);
	buffer_release(&c->place);
	buffer_release(&c->hint);
	buffer_release(&c->missing);
	free(c->told);
	c->told = NULL;
}
