/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the output of nvdisasm -c -gi: a section for each entry, named `.text.ENTRY`, with labels,
 * comments `//## File "...", line N` and instructions behind their offset in a comment.
 */
#define _GNU_SOURCE
#include "compiler/inspect/listing.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"

/* Padding behind the last instruction of a section is left out: such rows are held back until
 * another one follows. */
struct sass_reader {
	struct listing *listing;
	struct buffer filling; /* lines */
};

static void flush_filling(struct sass_reader *r)
{
	struct listing *l = r->listing;

	for (const char *at = buffer_text(&r->filling); *at;) {
		size_t len = strcspn(at, "\n");

		listing_add(l, *at == '/' ? LISTING_CODE : LISTING_LABEL, at, len);
		if (*at == '/' && !l->failed)
			l->functions[l->n_functions - 1].instructions++;
		at += len + 1;
	}
	buffer_clear(&r->filling);
}

/* Reads //## File "In[3]", line 6 inlined at "In[3]", line 12; a caller may also have a line of its
 * own with the same words. */
static bool read_quoted(struct listing *l, const char **at, const char **ret_file,
			uint32_t *ret_line)
{
	const char *quote = strchr(*at, '"'), *close = quote ? strchr(quote + 1, '"') : NULL;
	unsigned line;

	if (!close || sscanf(close, "\", line %u", &line) != 1)
		return false;
	*ret_file = listing_file(l, quote + 1, (size_t)(close - quote - 1));
	*ret_line = line;
	*at = close + 1;
	return true;
}

static void read_place(struct sass_reader *r, const char *line)
{
	struct listing *l = r->listing;
	struct listing_place p = { .file = "", .caller_file = "" };
	bool behind_place =
		l->n_rows && l->rows[l->n_rows - 1].kind == LISTING_SOURCE && !r->filling.len;

	if (!read_quoted(l, &line, &p.file, &p.line))
		return;
	if (strstr(line, "inlined at"))
		read_quoted(l, &line, &p.caller_file, &p.caller_line);
	/* Further callers follow, line by line. */
	if (behind_place && *l->place.caller_file)
		return;
	flush_filling(r);
	listing_go_to(l, &p);
}

/* Reads a label; "_Z5saxpyifPKfPf:" and ".text._Z5saxpyifPKfPf:" both precede an entry. */
static void read_label(struct sass_reader *r, const char *line, size_t len)
{
	if (!strncmp(line, ".text.", 6)) {
		buffer_clear(&r->filling);
		listing_begin(r->listing, line + 6, len - 7, true);
	} else if (line[0] == '.' || line[0] == '$') {
		buffer_printf(&r->filling, "%s\n", line);
	}
}

static void read_instruction(struct sass_reader *r, const char *line)
{
	const char *close = strstr(line, "*/"), *at, *end;

	if (!close || !r->listing->n_functions)
		return;
	at = close + 2 + strspn(close + 2, " \t");
	end = at + strlen(at);
	while (end > at && isspace((unsigned char)end[-1]))
		end--;
	/* Guards have a column of their own. */
	buffer_printf(&r->filling, "%.*s%s%.*s\n", (int)(close + 2 - line), line,
		      *at == '@' ? "   " : "        ", (int)(end - at), at);
	if (strncmp(at, "NOP", 3))
		flush_filling(r);
}

static void read_line(struct sass_reader *r, const char *line, size_t len)
{
	if (!strncmp(line, "//##", 4))
		read_place(r, line);
	else if (!strncmp(line, "/*", 2))
		read_instruction(r, line);
	else if (len > 1 && line[len - 1] == ':')
		read_label(r, line, len);
}

int listing_read_sass(struct listing *l, const char *text, size_t len, struct error *err)
{
	cleanup_buffer struct buffer line = BUFFER_INIT;
	struct sass_reader r = { .listing = l };
	const char *end = text + len;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text)),
			   *stop = newline ? newline : end;
		const char *next = stop + 1;

		while (text < stop && isspace((unsigned char)*text))
			text++;
		while (stop > text && isspace((unsigned char)stop[-1]))
			stop--;
		buffer_clear(&line);
		buffer_append(&line, text, (size_t)(stop - text));
		if (line.len)
			read_line(&r, buffer_text(&line), line.len);
		text = next;
	}
	l->failed |= line.failed || r.filling.failed;
	buffer_release(&r.filling);
	if (l->failed)
		return error_set(err, ERROR_MEMORY, "out of memory for the listing of device code");
	return 0;
}
