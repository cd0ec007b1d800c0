/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What %cd and %env have changed, as C statements: a worker that replaces another starts with the kernel's folder and
 * environment, so they run again before its first cell.
 */
#ifndef CGPU_KERNEL_SESSION_SETUP_H
#define CGPU_KERNEL_SESSION_SETUP_H

#include <stdbool.h>

#include "common/buffer.h"

struct setup {
	struct buffer code; /* empty: nothing was changed */
	bool due;           /* the worker at work has not run it */
};

void setup_release(struct setup *s);
/* The worker may be another one from here on. */
void setup_again(struct setup *s);
/* Adds a call of `function` with texts as arguments; `last` is added as it is ("" or ", 1"). */
void setup_add(struct setup *s, const char *function, const char *const *texts, const char *last);

#endif
