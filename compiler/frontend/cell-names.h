/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that a cell redefines: the session's declarations of them must not be in front of it, and
 * the meanings that headers give them are hidden.
 */
#ifndef CGPU_COMPILER_CELL_NAMES_H
#define CGPU_COMPILER_CELL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct host_text;
struct compiler_session;

/* Fills h->masks. -1: ERROR_MEMORY. */
int cell_names_find(struct host_text *h, const struct compiler_session *session, struct error *err);
/* Makes a name the cell's, because clang says that the cell's declaration contradicts a header's.
 * False when no header has it, or it was done already. */
bool cell_names_take(struct host_text *h, const struct compiler_session *session, const char *name,
		     size_t len);
/* Keeps the session's declaration of a name that the cell defines further down, because clang does
 * not know it before that. False when there is none, or it was done already. */
bool cell_names_keep(struct host_text *h, const struct compiler_session *session, const char *name,
		     size_t len);
/* Makes a name the header's, because the cell does not define it after all. False when it was done
 * already. */
bool cell_names_leave(struct host_text *h, const char *name, size_t len);
/* Writes what goes between the session's declarations and the cell's text: directives that hide the
 * headers' meanings. */
void cell_names_write(struct host_text *h, const struct compiler_session *session);

#endif
