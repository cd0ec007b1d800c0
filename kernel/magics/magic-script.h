/* SPDX-License-Identifier: Apache-2.0 */
/* The commands in a cell's text (kernel/session/magic.h says what they look like), and what of the
 * text is code. */
#ifndef CGPU_KERNEL_MAGICS_MAGIC_SCRIPT_H
#define CGPU_KERNEL_MAGICS_MAGIC_SCRIPT_H

#include "kernel/session/magic.h"

/* An unknown name, or a form that the magic has not, is an error that says what would be right. */
int magic_script_parse(struct magic_script *ret, const char *cell, struct error *err);
/* Only the code, whatever the commands are; malloc-ed, NULL when memory is out. */
char *magic_blank(const char *cell);
/* Is the cursor inside the name of a magic? Then where the name starts (bytes). */
bool magic_name_at(const char *cell, size_t cursor, size_t *ret_start);
/*
 * Is the cursor in an argument of a line magic? Then that, where the arguments start, and where the
 * word at the cursor does (bytes).
 */
const struct magic *magic_argument_at(const char *cell, size_t cursor, size_t *ret_args,
				      size_t *ret_start);
/* Is the cell a %%magic whose body has not been ended by an empty line? */
bool magic_wants_more(const char *cell);

#endif
