/* SPDX-License-Identifier: Apache-2.0 */
/* %env: variables of the environment, for cells and `!` commands. */
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "kernel/declarations/setup.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"

extern char **environ;

static int env(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	char *name = call->args, *value = name + strcspn(name, "= \t");
	const char *texts[] = { name, NULL, NULL };

	(void)c;
	if (!*name) {
		for (char **e = environ; *e; e++)
			output_printf(&s->output, STREAM_STDOUT, "%s\n", *e);
		return 0;
	}
	if (*value) {
		*value++ = '\0';
		texts[1] = value + strspn(value, "= \t");
		if (setenv(name, texts[1], 1))
			return error_errno(err, "%%env %s", name);
		setup_add(&s->setup, "setenv", texts, ", 1");
		supervisor_surroundings(s->supervisor, "", name, texts[1]);
	}
	value = getenv(name);
	if (!value)
		return error_set(err, ERROR_NOT_FOUND, "%%env: %s is not set", name);
	output_printf(&s->output, STREAM_STDOUT, "%s=%s\n", name, value);
	return 0;
}

const struct magic magic_env = {
	.name = "env",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%env [NAME[=VALUE]]",
	.help = "Shows or sets variables of the environment, for cells and `!` commands.",
	.run = env,
};
