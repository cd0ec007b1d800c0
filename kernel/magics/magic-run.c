/* SPDX-License-Identifier: Apache-2.0 */
/*
 * %run: runs a cell that is a program. The call of main is put behind the cell's own code, so that
 * both are one transaction: a fault in the program takes its definitions back, too. exit() ends the
 * program, and its effects stay, as after a return from main.
 */
#include <ctype.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/declarations/declarations.h"
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

static int run_program(struct session *s, struct cell *c, const struct magic_call *call,
		       struct error *err)
{
	cleanup_buffer struct buffer words = BUFFER_INIT;
	const char *args = call->args;
	unsigned n = 1;
	int more;

	if (!names_main(c->script.code) && !declarations_find(&s->declarations, "main"))
		return error_set(
			err, ERROR_INPUT,
			"%%run: there is no main(): define it in this cell or in an earlier one");
	while ((more = put_word(&args, &words)) > 0)
		n++;
	if (more < 0)
		return error_set(err, ERROR_INPUT, "%%run: a quote is not closed: %s", call->args);
	buffer_printf(&c->behind,
		      "\n;cgpu_program((void *)main, CGPU_GIVES_STATUS(main), %u, (char *[]){ "
		      "(char *)\"%s\", %s0 });",
		      n, c->name, buffer_text(&words));
	if (buffer_check(&words, err) || buffer_check(&c->behind, err))
		return -1;
	return 0;
}

const struct magic magic_run = {
	.name = "run",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%run [ARGUMENTS]",
	.help = "Runs main(argc, argv) with these arguments behind the cell's code, and says its "
		"exit status.\n"
		"exit() ends the program only. A main() of an earlier cell will do.",
	.run = run_program,
};
