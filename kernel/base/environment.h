/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of a session: that of the kernel process at its start, and what %env has changed
 * since then. It is a value, and not the environment of the kernel process, since cells decide over
 * it: a variable such as LD_PRELOAD would have the next zygote, compiler or other child run a
 * cell's code before any containment. So children of the kernel process inherit what it was started
 * with, and a process that is contained already is told the changes.
 */
#ifndef CGPU_KERNEL_BASE_ENVIRONMENT_H
#define CGPU_KERNEL_BASE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

struct error;

struct environment {
	char **texts;    /* NAME=VALUE; NULL at the end */
	bool *is_change; /* for each text: %env has set it */
	size_t n;
};

/* Copies the environment of this process. */
int environment_init(struct environment *e, struct error *err);
/* A zeroed struct is accepted. */
void environment_release(struct environment *e);
/* Sets a variable; both texts are copied. An error, ERROR_INPUT or ERROR_MEMORY, changes nothing.
 */
int environment_set(struct environment *e, const char *name, const char *value, struct error *err);
/* NAME=VALUE and the value, valid until the next environment_set(); NULL: it is not set. */
const char *environment_text(const struct environment *e, const char *name);
const char *environment_get(const struct environment *e, const char *name);

#endif
