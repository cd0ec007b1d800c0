/* SPDX-License-Identifier: Apache-2.0 */
/* %sass and %%sass: device code as a GPU's machine code, beside the source. */
#include "kernel/session/look.h"
#include "kernel/session/magic.h"

static int sass(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	return look_run(s, c, call, LOOK_SASS, err);
}

const struct magic magic_sass = {
	.name = "sass",
	.alias = "",
	.forms = MAGIC_LINE | MAGIC_CELL | MAGIC_CODE | MAGIC_OPTIONS,
	.usage = "%sass NAME, %%sass",
	.help = "As %ptx and %%ptx, with the machine code that a GPU would run: ptxas makes it, "
		"nvdisasm of the CUDA toolkit shows\n"
		"it. No GPU is needed. --arch sm_90 says of which one (sm_75).",
	.run = sass,
	.words = "--arch",
	.word = MAGIC_WORD_CODE,
};
