/* SPDX-License-Identifier: Apache-2.0 */
/* %load_ext: accepted because notebooks made for other kernels begin with it. */
#include <string.h>

#include "common/base/error.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"

static int load_ext(struct session *s, struct cell *c, const struct magic_call *call,
		    struct error *err)
{
	(void)c;
	if (!strncmp(call->args, "nvcc", 4)) {
		output_printf(&s->output, STREAM_STDOUT,
			      "%s is not needed: CUDA cells are built in.\n", call->args);
		return 0;
	}
	return error_set(err, ERROR_UNSUPPORTED,
			 "%%load_ext %s: that is an extension of IPython, and this kernel runs C "
			 "and CUDA. What it has is listed by %%help; take this line out",
			 call->args);
}

const struct magic magic_load_ext = {
	.name = "load_ext",
	.alias = "reload_ext",
	.forms = MAGIC_LINE,
	.usage = "%load_ext NAME",
	.help = "Is accepted for nvcc4jupyter, whose work is built in; there are no "
		"extensions to load.",
	.run = load_ext,
	.words = "nvcc4jupyter",
};
