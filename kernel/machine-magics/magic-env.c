/* SPDX-License-Identifier: Apache-2.0 */
/* %env: variables of the environment, for cells and `!` commands. */
#include <string.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "kernel/base/environment.h"
#include "kernel/declarations/setup.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"

static int env(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	const struct environment *e = supervisor_environment(s->supervisor);
	char *name = call->args, *value = name + strcspn(name, "= \t");
	const char *is;
	const char *texts[] = { name, NULL, NULL };

	(void)c;
	if (!*name) {
		for (size_t i = 0; i < e->n; i++)
			output_printf(&s->output, STREAM_STDOUT, "%s\n", e->texts[i]);
		return 0;
	}
	if (*value) {
		*value++ = '\0';
		texts[1] = value + strspn(value, "= \t");
		if (supervisor_set_variable(s->supervisor, name, texts[1], err))
			return error_wrap(err, "%%env");
		setup_add(&s->setup, "setenv", texts, ", 1");
	}
	is = environment_get(e, name);
	if (!is)
		return error_set(err, ERROR_NOT_FOUND, "%%env: %s is not set", name);
	output_printf(&s->output, STREAM_STDOUT, "%s=%s\n", name, is);
	return 0;
}

static enum magic_word complete(struct session *s, const char *before, magic_candidate *fn,
				void *data)
{
	const struct environment *e = supervisor_environment(s->supervisor);

	for (size_t i = 0; !*before && i < e->n; i++) {
		cleanup_free char *name = strndup(e->texts[i], strcspn(e->texts[i], "="));

		if (name)
			fn(data, name, "variable");
	}
	return MAGIC_WORD_NONE;
}

const struct magic magic_env = {
	.name = "env",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%env [NAME[=VALUE]]",
	.help = "Shows or sets variables of the environment, for cells and `!` commands.",
	.run = env,
	.complete = complete,
};
