/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Versions that do not go together (version-rules.h) are told on the stderr of the first cell that
 * uses the device or one of its libraries, before it runs, each once; `%doctor` has a row for each
 * as long as it is so.
 */
#ifndef CGPU_KERNEL_DEVICE_VERSION_WATCH_H
#define CGPU_KERNEL_DEVICE_VERSION_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buffer.h"

struct supervisor;
struct version_facts;

struct version_watch {
	size_t seen; /* what there was to look at, the last time that nothing was left to tell */
	struct buffer said; /* lines */
};

void version_watch_facts(const struct supervisor *s, struct version_facts *ret);
/* The cell of s->run is about to run. */
void version_watch_cell(struct supervisor *s);
void version_watch_release(struct version_watch *w);

#endif
