/* SPDX-License-Identifier: Apache-2.0 */
/*
 * #include "file" of files beside the notebook. Later cells include them again, by their absolute
 * path, so that %cd does not matter; the functions and variables of such a file are defined only by
 * the cell that included it (clang-shim.h). A file that has changed since is reported once: its new
 * text is used by later cells, while existing definitions stay as they were.
 */
#ifndef CGPU_COMPILER_LOCAL_INCLUDE_H
#define CGPU_COMPILER_LOCAL_INCLUDE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct token_list;

/* Returns the file's path if it is a quoted name that is found from the working folder. */
bool local_include_path(const char *rest, size_t len, char ret[PATH_MAX]);
/* Calls `found` with the path of each file that a directive of these tokens includes by a quoted
 * name. */
void local_include_each(const struct token_list *tokens,
			void (*found)(void *context, const char *path), void *context);
/* Returns the first directive of these tokens that includes the file; TOKEN_NONE if there is
 * none. */
uint32_t local_include_find(const struct token_list *tokens, const char *path);

struct local_include {
	char *path; /* owned */
	int64_t size, seconds, nanoseconds;
	uint64_t hash;
};

/* The content of files that the session's cells have seen. */
struct local_includes {
	struct local_include *at; /* owned */
	size_t n;
};

void local_includes_release(struct local_includes *l);
/* Tells whether the file is known with another content. */
bool local_includes_differ(const struct local_includes *l, const char *path);
/* Checks a file. True if it was known with another content; the new one is recorded. */
bool local_includes_changed(struct local_includes *l, const char *path);
/* Records the current content of the files that these tokens include. */
void local_includes_note(struct local_includes *l, const struct token_list *tokens);

#endif
