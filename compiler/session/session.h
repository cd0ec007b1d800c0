/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiler's copy of the declarations of earlier cells, with the names that each one declares
 * and mentions. So a cell's translation unit starts with only those that the cell needs, however
 * long the session is.
 */
#ifndef CGPU_COMPILER_SESSION_H
#define CGPU_COMPILER_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/code/unit.h"
#include "common/text/names.h"
#include "compiler/text/cell-tokens.h"
#include "compiler/text/header-names.h"

struct buffer;
struct error;

struct session_entry;

/* One declaration of a name; a word may be both a tag and an ordinary name. */
struct session_link {
	uint32_t entry;
	uint32_t previous; /* link plus 1; 0 for none */
};

struct compiler_session {
	struct names names;
	struct session_entry *entries; /* owned */
	uint32_t n, cap;
	struct session_link *links; /* owned; all (name, entry) pairs */
	uint32_t n_links, cap_links;
	uint32_t *newest; /* by name: its last link plus 1; 0 for none */
	uint32_t n_newest;
	uint32_t n_dead_links; /* links of entries that were replaced */
	uint32_t n_hidden;
	/* Includes, and macros in front of them, are not written to a host cell. */
	bool headers_precompiled;
	struct header_names headers;
};

void session_init(struct compiler_session *s);
void session_release(struct compiler_session *s);

/* Removes the declarations from index `total` on. */
void session_truncate(struct compiler_session *s, uint32_t total);
/* Sets the declaration at an index, which is at most one behind the last; texts are copied. */
int session_set(struct compiler_session *s, uint32_t index, const struct declaration *d,
		struct error *err);

/* Hides a declaration from the cell being compiled, whose text replaces it. */
void session_hide(struct compiler_session *s, uint32_t index);
/* Hides a declaration also from other entries that use it, or, with left_out false, shows one again
 * that was not hidden before. */
void session_leave_out(struct compiler_session *s, uint32_t index, bool left_out);
void session_show_all(struct compiler_session *s);
/* Finds the declaration that has written this byte of the cell being compiled as C
 * (compiler/session/composition.h); TOKEN_NONE: none. */
uint32_t session_written_at(const struct compiler_session *s, size_t offset);
/* Tells whether earlier cells have declared a variable or function of this name that the cell being
 * compiled does not replace. */
bool session_declares(const struct compiler_session *s, const char *name, size_t len);
bool session_is_hidden(const struct compiler_session *s, uint32_t index);
/* Appends why the session does not know this name any more, or not in this cell; false when it
 * never did. */
bool session_why_unknown(const struct compiler_session *s, const char *name, size_t len,
			 struct buffer *out);

/* Returns the function, variable or macro with the nearest name; NULL for none. */
const struct declaration *session_nearest(const struct compiler_session *s, const char *name);

/* Returns the macros of the session. */
struct name_source session_names(struct compiler_session *s);

/* A name that the cell defines itself, so that the session's declaration of it must not precede
 * it. */
struct session_mask {
	const char *space; /* from declaration_space() */
	const char *name;
	size_t len;
	bool is_constant; /* an enumerator */
};

/* Tells whether an earlier cell has included this local file. */
bool session_includes(const struct compiler_session *s, const char *path);
/* Returns the path of an include of a local file, malloc-ed; NULL for any other declaration. */
char *session_included_path(const struct declaration *d);

/* Returns the last link of this name plus 1; 0 for none. */
static inline uint32_t session_newest(const struct compiler_session *s, uint32_t name)
{
	return name < s->n_newest ? s->newest[name] : 0;
}

uint32_t session_count(const struct compiler_session *s);
/* Returns a declaration; NULL behind the last one. */
const struct declaration *session_at(const struct compiler_session *s, uint32_t entry);

void session_each(const struct compiler_session *s,
		  void (*found)(void *context, const struct declaration *d), void *context);
/* Returns the index of the last declaration of this name; TOKEN_NONE for none. */
uint32_t session_index(const struct compiler_session *s, const char *name, size_t len);
/* Returns the declaration of this name, or NULL. */
const struct declaration *session_find(const struct compiler_session *s, const char *name,
				       size_t len);

#endif
