/* SPDX-License-Identifier: Apache-2.0 */
/*
 * %%expect: a test of what earlier cells have defined, for notebooks that are marked. Code that is
 * tested runs in the process of the test, so a test that decides in there can be made to say what
 * it should: by a macro, a destructor, a message in place of the worker's. Here the worker says a
 * value, and the kernel process compares it with a text that the worker has never had.
 */
#include "kernel/magics/magic-expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"

static int expect(struct session *s, struct cell *c, const struct magic_call *call,
		  struct error *err)
{
	(void)s;
	if (!*call->args)
		return error_set(err, ERROR_INPUT,
				 "%%%%expect: say what the value is to be: %%%%expect 42, or "
				 "%%%%expect 3.14 +- 0.01");
	if (c->expected.len)
		return error_set(err, ERROR_INPUT, "%%%%expect: a cell has one value");
	buffer_puts(&c->expected, call->args);
	c->options.discarded = true;
	return buffer_check(&c->expected, err);
}

const struct magic magic_expect = {
	.name = "expect",
	.alias = "",
	.forms = MAGIC_CELL | MAGIC_CODE | MAGIC_OPTIONS,
	.usage = "%%expect VALUE [+- ERROR]",
	.help = "Fails unless the value of the cell is VALUE, as the notebook shows it, "
		"or a number that near.\n\n"
		"Nothing that the cell does is kept. The code that is tested cannot "
		"know VALUE: the kernel compares, in another process (docs/grading.md).",
	.run = expect,
};

/* Reads "3.14 +- 0.01". */
static bool read_range(const char *text, double *ret_value, double *ret_error)
{
	char *end;

	*ret_value = strtod(text, &end);
	end += strspn(end, " \t");
	if (end == text || strncmp(end, "+-", 2) != 0)
		return false;
	text = end + 2;
	*ret_error = strtod(text, &end);
	return end != text && !end[strspn(end, " \t")];
}

static bool is_expected(const char *expected, const char *value)
{
	double wanted, error, is;
	char *end;

	if (!read_range(expected, &wanted, &error))
		return !strcmp(expected, value);
	is = strtod(value, &end);
	return end != value && !*end && fabs(is - wanted) <= error;
}

void magic_expect_check(struct cell *c, const char *value)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	if (!c->expected.len || (value && is_expected(buffer_text(&c->expected), value)))
		return;
	if (value)
		buffer_printf(&text, "the value is %s, expected is %s", value,
			      buffer_text(&c->expected));
	else
		buffer_puts(&text,
			    "the cell has no value to compare: let it end with an expression "
			    "that has no `;` behind it");
	cell_fail_plain(c, "ExpectationFailed", buffer_text(&text));
}
