/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the commands in a cell's text, whose syntax is in kernel/session/magic.h, and finds the
 * code in it. */
#ifndef CGPU_KERNEL_MAGICS_MAGIC_SCRIPT_H
#define CGPU_KERNEL_MAGICS_MAGIC_SCRIPT_H

#include "kernel/session/magic.h"

/* Parses a cell. An unknown name, or a form that the magic does not have, is an error with a
 * suggestion. */
int magic_script_parse(struct magic_script *ret, const char *cell, struct error *err);
/* Returns only the code, also if commands are wrong; malloc-ed, NULL when memory is out. */
char *magic_blank(const char *cell);
/* Tells whether the cursor is inside the name of a magic; *ret_start is then the start of the name,
 * in bytes. */
bool magic_name_at(const char *cell, size_t cursor, size_t *ret_start);
/*
 * Finds the line magic whose argument the cursor is in, or NULL. *ret_args is the start of its
 * arguments, *ret_start that of the word at the cursor, in bytes.
 */
const struct magic *magic_argument_at(const char *cell, size_t cursor, size_t *ret_args,
				      size_t *ret_start);
/* Tells whether the cell is a %%magic whose body is not yet ended by an empty line. */
bool magic_wants_more(const char *cell);

#endif
