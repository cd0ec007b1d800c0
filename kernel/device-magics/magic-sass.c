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
	.help = "Shows the machine code (SASS) that a GPU would run, as %ptx and %%ptx "
		"show the PTX.\n\n"
		"ptxas makes it, nvdisasm of the CUDA toolkit shows it. No GPU is "
		"needed. `--arch sm_90` says for which one (sm_75).",
	.run = sass,
	.words = "--arch",
	.word = MAGIC_WORD_CODE,
};
