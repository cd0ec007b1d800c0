/* SPDX-License-Identifier: Apache-2.0 */
/* Texts become string literals in octal where they are not plain. */
#include "kernel/session/setup.h"

#include <ctype.h>

void setup_release(struct setup *s)
{
	buffer_release(&s->code);
}

void setup_again(struct setup *s)
{
	s->due = s->code.len;
}

static void put_literal(struct buffer *out, const char *text)
{
	buffer_putc(out, '"');
	for (; *text; text++) {
		if (isalnum((unsigned char)*text) || *text == '/' || *text == '_')
			buffer_putc(out, *text);
		else
			buffer_printf(out, "\\%03o", (unsigned char)*text);
	}
	buffer_putc(out, '"');
}

void setup_add(struct setup *s, const char *function, const char *const *texts, const char *last)
{
	buffer_printf(&s->code, "(void)!%s(", function);
	for (size_t i = 0; texts[i]; i++) {
		buffer_puts(&s->code, i ? ", " : "");
		put_literal(&s->code, texts[i]);
	}
	buffer_printf(&s->code, "%s);\n", last);
	s->due = true;
}
