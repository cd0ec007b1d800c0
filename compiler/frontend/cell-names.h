/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that a cell gives a meaning of its own: the session's declarations of them must not stand
 * in front of it, and what headers have by these names is out of the way.
 */
#ifndef CGPU_COMPILER_CELL_NAMES_H
#define CGPU_COMPILER_CELL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct host_text;
struct session;

/* Fill h->masks. -1: ERROR_MEMORY. */
int cell_names_find(struct host_text *h, const struct session *session, struct error *err);
/* Clang says that the cell's declaration of this name contradicts a header's: from here on the name
 * is the cell's. False when no header has it, or it is taken already. */
bool cell_names_take(struct host_text *h, const struct session *session, const char *name,
		     size_t len);
/* Clang does not know a name that the cell defines further down: what earlier cells have declared
 * it to be holds until then. False when they have not, or it holds already. */
bool cell_names_keep(struct host_text *h, const struct session *session, const char *name,
		     size_t len);
/* The cell has no definition of this name after all: it is the header's. False when that is known
 * already. */
bool cell_names_leave(struct host_text *h, const char *name, size_t len);
/* What goes between the session's declarations and the cell's: the headers' meanings taken away. */
void cell_names_write(struct host_text *h, const struct session *session);

#endif
