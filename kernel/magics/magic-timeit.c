/* SPDX-License-Identifier: Apache-2.0 */
/*
 * %timeit: a loop around the cell's code (cgpu_t and cgpu_r of compiler/prelude/cgpu.h). Its head
 * takes the place of the blanked command, so that lines and columns of the code stay what they are;
 * its end stands behind the cell.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"

#define NUMBER_MAX 1000000000ul

struct options {
	unsigned long loops, rounds; /* 0: not given */
};

static int bad_number(const char *at, struct error *err)
{
	return error_set(err, ERROR_INPUT,
			 "%%timeit: -n and -r take a number from 1 to %lu, not `%.20s`", NUMBER_MAX,
			 at);
}

/* Takes the options off the line; *at is then where the code begins, or the end of the line. */
static int take_options(const char **at, struct options *ret, struct error *err)
{
	for (;;) {
		const char *p = *at + strspn(*at, " \t");
		unsigned long n;
		char *end;

		*at = p;
		if (p[0] != '-' || (p[1] != 'n' && p[1] != 'r') || !p[2 + strspn(p + 2, " \t")] ||
		    !strchr(" \t0123456789", p[2]))
			return 0;
		n = strtoul(p + 2, &end, 10);
		if (end == p + 2 || !n || n > NUMBER_MAX || (*end && !strchr(" \t\r\n", *end)))
			return bad_number(p + 2, err);
		*(p[1] == 'n' ? &ret->loops : &ret->rounds) = n;
		*at = end;
	}
}

/* Puts the head of the loop into the line from `line` to `code`. */
static int put_head(struct cell *c, const char *line, const char *code, const struct options *o,
		    struct error *err)
{
	char head[80];

	if (o->loops || o->rounds)
		snprintf(head, sizeof(head), "cgpu_r(%lu,%lu){", o->loops, o->rounds);
	else
		snprintf(head, sizeof(head), "cgpu_t{");
	return magic_script_put(&c->script, line, code, head, err);
}

static int timeit(struct session *s, struct cell *c, const struct magic_call *call,
		  struct error *err)
{
	const char *line = magic_script_line(&c->script, call->line), *code = line;
	struct options o = { 0 };

	(void)s;
	if (take_options(&code, &o, err))
		return -1;
	if (!code[strspn(code, " \t\r\n")])
		return error_set(err, ERROR_INPUT, "%%timeit: which code? %s", call->magic->usage);
	if (put_head(c, line, code, &o, err))
		return -1;
	buffer_puts(&c->behind, "\n;}");
	return buffer_check(&c->behind, err);
}

const struct magic magic_timeit = {
	.name = "timeit",
	.alias = "",
	.forms = MAGIC_LINE | MAGIC_CELL | MAGIC_CODE,
	.usage = "%timeit [-n LOOPS] [-r RUNS] CODE",
	.help = "Runs the cell's code again and again, and says how long one time "
		"takes.\n\n"
		"- `-n`: how often in a run. Without it a run takes 0.2 s.\n"
		"- `-r`: how many runs. Without it there are 7.\n\n"
		"The device is waited for at the end of a run, so launches are measured "
		"with their work. Functions are defined in a cell before.",
	.run = timeit,
};
