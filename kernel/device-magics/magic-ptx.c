/* SPDX-License-Identifier: Apache-2.0 */
/* %ptx and %%ptx: device code as PTX, beside the source. */
#include "kernel/session/look.h"
#include "kernel/session/magic.h"

static int ptx(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	return look_run(s, c, call, LOOK_PTX, err);
}

const struct magic magic_ptx = {
	.name = "ptx",
	.alias = "",
	.forms = MAGIC_LINE | MAGIC_CELL | MAGIC_CODE | MAGIC_OPTIONS,
	.usage = "%ptx NAME, %%ptx",
	.help = "Shows the PTX of a CUDA kernel or device function, beside its lines of "
		"source.\n\n"
		"A cell that starts with `%%ptx` is compiled and shown, and not run: it "
		"defines nothing. `%%ptx --arch sm_80` compiles for another compute "
		"capability. `%%ptx` may stand above `%%cuda`.",
	.run = ptx,
	.words = "--arch",
	.word = MAGIC_WORD_CODE,
};
