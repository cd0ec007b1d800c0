/* SPDX-License-Identifier: Apache-2.0 */
/*
 * %run: runs a cell, or a file, that is a program. The call of main is put behind the cell's own
 * code, so that both are one transaction: a fault in the program takes its definitions back, too.
 * exit() ends the program, and its effects stay, as after a return from main. A file becomes the
 * code of the cell.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/declarations/declarations.h"
#include "kernel/machine-magics/file-read.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/session.h"

/* Tells whether the text has the word main followed by '('. */
static bool names_main(const char *text)
{
	for (const char *at = strstr(text, "main"); at; at = strstr(at + 1, "main")) {
		bool starts = at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');

		if (starts && at[4 + strspn(at + 4, " \t\r\n")] == '(')
			return true;
	}
	return false;
}

static void put_character(struct buffer *out, char c)
{
	if (isalnum((unsigned char)c) || (c && strchr(" _-+=.,:;/@%()[]{}<>*&^!~#", c)))
		buffer_putc(out, c);
	else
		buffer_printf(out, "\\%03o", (unsigned char)c);
}

/* Writes the next word as a C string; quotes keep blanks. 0 at the end, -1 for an open quote. */
static int put_word(const char **text, struct buffer *out)
{
	const char *p = *text + strspn(*text, " \t");
	char quote = 0;

	if (!*p)
		return 0;
	buffer_puts(out, "(char *)\"");
	for (; *p && (quote || !strchr(" \t", *p)); p++) {
		if (quote ? *p == quote : *p == '"' || *p == '\'')
			quote = quote ? 0 : *p;
		else
			put_character(out, *p);
	}
	buffer_puts(out, "\", ");
	*text = p;
	return quote ? -1 : 1;
}

/* Puts the call of main behind the cell's code. */
static int call_main(struct session *s, struct cell *c, const char *args, struct error *err)
{
	cleanup_buffer struct buffer words = BUFFER_INIT;
	const char *all = args;
	unsigned n = 1;
	int more;

	if (!names_main(c->script.code) && !declarations_find(&s->declarations, "main"))
		return error_set(
			err, ERROR_INPUT,
			"%%run: there is no main(): define it in this cell or in an earlier one");
	while ((more = put_word(&args, &words)) > 0)
		n++;
	if (more < 0)
		return error_set(err, ERROR_INPUT, "%%run: a quote is not closed: %s", all);
	buffer_printf(&c->behind,
		      "\n;cgpu_program((void *)main, CGPU_GIVES_STATUS(main), %u, (char *[]){ "
		      "(char *)\"%s\", %s0 });",
		      n, c->name, buffer_text(&words));
	if (buffer_check(&words, err) || buffer_check(&c->behind, err))
		return -1;
	return 0;
}

/* Returns the length of the first word if it names a file of code; 0: it does not. */
static size_t file_name(const char *args)
{
	static const char *const endings[] = { ".c", ".cu", ".cpp", ".cc", ".cxx" };
	size_t len = strcspn(args, " \t");

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t n = strlen(endings[i]);

		if (len > n && !strncmp(args + len - n, endings[i], n))
			return len;
	}
	return 0;
}

static void on_read(struct session *s, struct cell *c, char *content, const char *why)
{
	const char *args = c->script.calls[c->next_magic - 1].args;
	size_t len = file_name(args);
	struct error err = ERROR_INIT;

	if (content) {
		free(c->script.code);
		c->script.code = content;
		call_main(s, c, args + len, &err);
	} else {
		error_set(&err, ERROR_NOT_FOUND, "%%run: %.*s: %s", (int)len, args, why);
	}
	s->hooks->magic_done(s, *err.text ? &err : NULL);
}

static int run_file(struct session *s, struct cell *c, const char *args, size_t len,
		    struct error *err)
{
	cleanup_buffer struct buffer path = BUFFER_INIT;
	const char *code = c->script.code;

	if (code[strspn(code, " \t\r\n")])
		return error_set(err, ERROR_INPUT,
				 "%%run: the cell has code of its own beside the file %.*s: put "
				 "one of them into another cell",
				 (int)len, args);
	buffer_append(&path, args, len);
	if (buffer_check(&path, err) || file_read_start(s, c, buffer_text(&path), on_read, err))
		return error_wrap(err, "%%run");
	return 1;
}

static int run_program(struct session *s, struct cell *c, const struct magic_call *call,
		       struct error *err)
{
	size_t len = file_name(call->args);

	return len ? run_file(s, c, call->args, len, err) : call_main(s, c, call->args, err);
}

const struct magic magic_run = {
	.name = "run",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%run [FILE.c] [ARGUMENTS]",
	.help = "Runs main(argc, argv) with these arguments behind the cell's code, and "
		"says its exit status.\n\n"
		"exit() ends the program only. A main() of an earlier cell will do, or "
		"that of a file (.c, .cu, .cpp, .cc, .cxx), which is run as if it were "
		"the cell.",
	.run = run_program,
	.word = MAGIC_WORD_FILE,
};
