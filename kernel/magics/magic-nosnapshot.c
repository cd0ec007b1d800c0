/* SPDX-License-Identifier: Apache-2.0 */
/* %%nosnapshot: large blocks that the cell overwrites are not copied first. */
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"

static int nosnapshot(struct session *s, struct cell *c, const struct magic_call *call,
		      struct error *err)
{
	(void)s;
	(void)call;
	(void)err;
	c->options.unsaved = true;
	return 0;
}

const struct magic magic_nosnapshot = {
	.name = "nosnapshot",
	.alias = "",
	.forms = MAGIC_CELL | MAGIC_CODE,
	.usage = "%%nosnapshot",
	.help = "Runs the cell without copies of the large heap blocks that it "
		"overwrites: fast, not rolled back.\n\n"
		"Blocks of 1 MB and more are meant. If the cell fails, their content is "
		"what the cell made of it, and they are named; everything else is "
		"rolled back. `%undo` cannot go over it.",
	.run = nosnapshot,
};
