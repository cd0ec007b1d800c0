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
	.help = "Heap blocks of 1 MB and more that the cell overwrites are not copied first: as "
		"fast as without transactions. If the\n"
		"cell fails, the content of all such blocks is what the cell made of it, and they "
		"are named; everything else\n"
		"is rolled back. %undo cannot go over it.",
	.run = nosnapshot,
};
