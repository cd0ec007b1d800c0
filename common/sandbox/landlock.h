/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The uses that cells have for Landlock. All are for the calling thread and its descendants,
 * and need no_new_privs.
 */
#ifndef CGPU_COMMON_SANDBOX_LANDLOCK_H
#define CGPU_COMMON_SANDBOX_LANDLOCK_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct hidden_path;

/* Tells whether this Linux has landlock_scope(). */
bool landlock_has_scopes(void);
/* Makes a domain of its own: nothing in it traces a process outside, or opens its memory in /proc
 * (Linux 5.19). It denies nothing else. */
int landlock_isolate(struct error *err);
/* No signals to, and no abstract sockets of, processes outside (Linux 6.12; ABI 6), beside what
 * landlock_isolate() does. It stops root, too. An older Linux does the latter, and it is an
 * error. */
int landlock_scope(struct error *err);

/*
 * Deny that files in this folder, or this one file, are read: reading is allowed for everything
 * beside it on each level of its path, as that is at this moment. Files that are made later in one
 * of the folders of that path cannot be read either, so this is the second choice after a
 * namespace. Nothing can be moved out: a file gets no access by a move that it had not before.
 * ERROR_STATE: it is not there; who calls must not go on.
 */
int landlock_hide(const struct hidden_path *h, struct error *err);

/* Deny that files are made, changed, moved or removed, but beneath these folders, in /dev and in
 * /proc. What is open stays as it is. */
int landlock_write_beneath(const char *const *folders, size_t n, struct error *err);

#endif
