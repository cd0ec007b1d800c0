/* SPDX-License-Identifier: Apache-2.0 */
/* %cflags: flags for the C compiler, from this cell on. */
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "kernel/magics/magic.h"
#include "kernel/session/session.h"

static int cflags(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	char *copy;

	(void)c;
	if (*call->args) {
		copy = strdup(strcmp(call->args, "off") ? call->args : "");
		if (!copy)
			return error_set(err, ERROR_MEMORY, "%%cflags: out of memory");
		free(s->cflags);
		s->cflags = copy;
	}
	output_printf(&s->output, STREAM_STDOUT, "cflags: %s\n", s->cflags && *s->cflags ? s->cflags : "none");
	return 0;
}

const struct magic magic_cflags = {
	.name = "cflags",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%cflags [FLAGS|off]",
	.help = "Flags for the C code of this cell and all later ones, such as -O3 -ffast-math -DN=100 -Wno-unused-value.",
	.run = cflags,
};
