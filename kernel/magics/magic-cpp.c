/* SPDX-License-Identifier: Apache-2.0 */
/* %%cpp: the line is for the compiler, so there is nothing to do before the cell is compiled. */
#include "kernel/session/magic.h"

static int cpp(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	(void)s;
	(void)c;
	(void)call;
	(void)err;
	return 0;
}

const struct magic magic_cpp = {
	.name = "cpp",
	.alias = "",
	.forms = MAGIC_CELL | MAGIC_COMPILER,
	.usage = "%%cpp [FLAGS]",
	.help = "The cell is C++20: classes, templates, exceptions, the standard "
		"library.\n\n"
		"Its `extern \"C\"` functions and variables are names of C cells "
		"afterwards, and it sees what C cells have declared. If it has `int "
		"main()`, that is run. FLAGS are clang's, for this cell.",
	.run = cpp,
};
