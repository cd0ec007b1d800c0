/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two uses that cells have for Landlock. Both are for the calling thread and its descendants,
 * and need no_new_privs.
 */
#ifndef CGPU_COMMON_SANDBOX_LANDLOCK_H
#define CGPU_COMMON_SANDBOX_LANDLOCK_H

struct error;

/* No signals to, and no abstract sockets of, processes outside (Linux 6.12; ABI 6). It stops root
 * too. */
int landlock_scope(struct error *err);

/*
 * Deny this one file to be read: reading is allowed for everything beside it on each level of its
 * path. Files that are made later in one of the folders of that path cannot be read either, so this
 * is the second choice after a namespace.
 */
int landlock_hide(const char *path, struct error *err);

#endif
