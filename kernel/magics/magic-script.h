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
/* A place in the arguments of a magic, or in the body of one; in bytes of the cell. */
struct magic_place {
	const struct magic *magic;
	size_t args;  /* where the arguments start; in a body: the line */
	size_t start; /* of the word at the place, which may be empty */
	bool in_body;
};

/* Tells whether the cursor is in the arguments or in the body of a magic, and not in code. */
bool magic_place_at(const char *cell, size_t cursor, struct magic_place *ret);
/* Tells whether the cell is a %%magic whose body is not yet ended by an empty line. */
bool magic_wants_more(const char *cell);

#endif
