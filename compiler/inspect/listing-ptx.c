/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The listing of %ptx. PTX is read line by line, as NVIDIA's compilers lay it out (PTX ISA, 4
 * and 11.5): a function's head up to its first bracket, its body up to the bracket that closes it,
 * `.loc` in front of the instructions of another line of source.
 */
#define _GNU_SOURCE
#include "compiler/inspect/listing.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"

struct ptx_reader {
	struct listing *listing;
	const char *text, *end;
	const char **files; /* by number */
	size_t n_files;
	struct buffer head; /* of a function, before its body */
	int depth;
	bool in_function, in_head;
};

/* Returns the line without the blanks around it; a tab inside becomes one blank. */
static void tidy(const char *line, size_t len, struct buffer *out)
{
	buffer_clear(out);
	while (len && isspace((unsigned char)line[len - 1]))
		len--;
	for (size_t i = 0; i < len; i++) {
		char c = line[i] == '\t' ? ' ' : line[i];

		if (c != ' ' || (out->len && out->data[out->len - 1] != ' '))
			buffer_putc(out, c);
	}
}

static bool starts(const char *line, const char *with)
{
	return !strncmp(line, with, strlen(with));
}

/* Reads lines such as `.file 1 "/home/me/In[3]"`, which are behind the references to them. */
static int read_files(struct ptx_reader *r, struct error *err)
{
	for (const char *at = r->text; at && at < r->end;
	     at = memchr(at, '\n', (size_t)(r->end - at))) {
		const char *quote, *close;
		unsigned number;

		at += *at == '\n';
		if (r->end - at < 8 || sscanf(at, " .file %u", &number) != 1 || number > 100000)
			continue;
		quote = memchr(at, '"', strcspn(at, "\n"));
		close = quote ? memchr(quote + 1, '"', strcspn(quote + 1, "\n")) : NULL;
		if (!close)
			continue;
		if (number >= r->n_files) {
			const char **grown = realloc(r->files, (number + 1) * sizeof(*grown));

			if (!grown)
				return error_set(err, ERROR_MEMORY,
						 "out of memory for the files of device code");
			for (r->files = grown; r->n_files <= number; r->n_files++)
				grown[r->n_files] = "";
		}
		r->files[number] = listing_file(r->listing, quote + 1, (size_t)(close - quote - 1));
	}
	return 0;
}

static const char *file_of(const struct ptx_reader *r, unsigned number)
{
	return number < r->n_files ? r->files[number] : "";
}

/* Reads .loc file line column[, function_name label, inlined_at file line column]. */
static void read_place(struct ptx_reader *r, const char *line)
{
	const char *inlined = strstr(line, "inlined_at ");
	unsigned file, number, caller_file, caller;
	struct listing_place p = { .file = "", .caller_file = "" };

	if (sscanf(line, ".loc %u %u", &file, &number) != 2 || !number)
		return;
	p.file = file_of(r, file);
	p.line = number;
	if (inlined && sscanf(inlined, "inlined_at %u %u", &caller_file, &caller) == 2) {
		p.caller_file = file_of(r, caller_file);
		p.caller_line = caller;
	}
	listing_go_to(r->listing, &p);
}

static int braces(const char *line)
{
	int n = 0;

	for (; *line && strncmp(line, "//", 2); line++)
		n += (*line == '{') - (*line == '}');
	return n;
}

/* Begins a function from a head such as `.visible .func (.param .b32 r) _Z1ff(`. */
static void begin_function(struct ptx_reader *r, const char *head)
{
	const char *word = strstr(head, ".entry"), *name, *closed;
	bool is_entry = word != NULL;

	word = word ? word : strstr(head, ".func");
	name = word + strcspn(word, " ");
	name += strspn(name, " ");
	closed = *name == '(' ? strchr(name, ')') : NULL;
	if (closed)
		name = closed + 1 + strspn(closed + 1, " ");
	listing_begin(r->listing, name, strcspn(name, " (\n;"), is_entry);
}

static void add_lines(struct ptx_reader *r, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		listing_add(r->listing, LISTING_OTHER, text, len);
		text += len + (text[len] == '\n');
	}
}

/* Ends the function; rows that follow belong to none. */
static void leave_function(struct ptx_reader *r)
{
	r->in_function = false;
}

static void read_head(struct ptx_reader *r, const char *line)
{
	buffer_printf(&r->head, "%s\n", line);
	r->depth += braces(line);
	if (r->depth) {
		begin_function(r, buffer_text(&r->head));
		add_lines(r, buffer_text(&r->head));
		r->in_head = false;
		r->in_function = true;
	} else if (line[0] && line[strlen(line) - 1] == ';') {
		r->in_head = false; /* a declaration only */
	}
}

static void read_body(struct ptx_reader *r, const char *line)
{
	size_t len = strlen(line);
	struct listing *l = r->listing;

	r->depth += braces(line);
	if (starts(line, ".loc ")) {
		read_place(r, line);
		return;
	}
	if (line[0] == '$' || (line[len - 1] == ':' && line[0] != '.')) {
		listing_add(l, LISTING_LABEL, line, len);
	} else if (line[0] == '.' || line[0] == '{' || line[0] == '}') {
		listing_add(l, LISTING_OTHER, line, len);
	} else {
		listing_add(l, LISTING_CODE, line, len);
		if (line[len - 1] == ';' && !l->failed)
			l->functions[l->n_functions - 1].instructions++;
	}
	if (r->depth <= 0)
		leave_function(r);
}

/* Tells whether a line outside of functions is shown; tables for debuggers are long and of no use
 * here. */
static bool is_shown_outside(const char *line)
{
	static const char *const words[] = { ".version", ".target",  ".global", ".const",
					     ".extern",  ".visible", ".weak",   ".shared" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (starts(line, words[i]))
			return true;
	return false;
}

static void read_line(struct ptx_reader *r, const char *line)
{
	if (!*line || starts(line, "//"))
		return;
	if (r->in_head) {
		read_head(r, line);
	} else if (r->in_function) {
		read_body(r, line);
	} else if (strstr(line, ".entry ") || strstr(line, ".func ")) {
		buffer_clear(&r->head);
		r->in_head = true;
		r->depth = 0;
		read_head(r, line);
	} else if (is_shown_outside(line)) {
		if (!r->listing->n_functions ||
		    *r->listing->functions[r->listing->n_functions - 1].name)
			listing_begin(r->listing, "", 0, false);
		listing_add(r->listing, LISTING_OTHER, line, strlen(line));
	}
}

int listing_read_ptx(struct listing *l, const char *text, size_t len, struct error *err)
{
	cleanup_buffer struct buffer line = BUFFER_INIT;
	struct ptx_reader r = { .listing = l, .text = text, .end = text + len };
	int failed = read_files(&r, err);

	for (const char *at = text; at < r.end && !failed;) {
		const char *newline = memchr(at, '\n', (size_t)(r.end - at)),
			   *stop = newline ? newline : r.end;

		tidy(at, (size_t)(stop - at), &line);
		read_line(&r, buffer_text(&line));
		at = stop + 1;
	}
	if (!failed && (l->failed || line.failed || r.head.failed))
		failed = error_set(err, ERROR_MEMORY,
				   "out of memory for the listing of device code");
	buffer_release(&r.head);
	free(r.files);
	return failed;
}
