/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The session's declarations as compiler processes are told them, one encoded text each: all of
 * them when a process starts, changes while it runs (COMPILER_DECLARATIONS).
 */
#ifndef CGPU_KERNEL_WORKERS_TOLD_DECLARATIONS_H
#define CGPU_KERNEL_WORKERS_TOLD_DECLARATIONS_H

#include <stddef.h>

struct buffer;
struct declaration_change;
struct error;

/* All zero: none. */
struct told_declarations {
	struct buffer *at;
	size_t n, cap;
};

void told_declarations_release(struct told_declarations *t);
/* Takes over that there are `total` from here on, of which the n of `changes` are new or different;
 * an index beyond the old ones leaves no gap. Appends the message that says so. */
int told_declarations_change(struct told_declarations *t, size_t total,
			     const struct declaration_change *changes, size_t n,
			     struct buffer *message, struct error *err);
/* Appends the message that says all of them. */
void told_declarations_put(const struct told_declarations *t, struct buffer *message);

#endif
