/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warns about versions that do not work together (version-rules.h) on the stderr of the first cell
 * that uses the device or one of its libraries, before it runs, once for each rule; `%doctor` has a
 * row for each as long as the rule is broken.
 */
#ifndef CGPU_KERNEL_DEVICE_VERSION_WATCH_H
#define CGPU_KERNEL_DEVICE_VERSION_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buffer.h"

struct supervisor;
struct version_facts;

struct version_watch {
	/* libraries->n + 1 at the last check that left nothing to tell; 0: none did. */
	size_t seen;
	struct buffer said; /* the warnings that were given, lines */
};

void version_watch_facts(const struct supervisor *s, struct version_facts *ret);
/* Checks the cell of s->run, which is about to run. */
void version_watch_cell(struct supervisor *s);
void version_watch_release(struct version_watch *w);

#endif
