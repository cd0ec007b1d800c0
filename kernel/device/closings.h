/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for device memory that a cell has given up: it is free only when the kernel process has
 * closed its file descriptors, which a thread does (kernel/base/closer.h). The end of a cell waits
 * for that, and so does the beginning of one: a request of the next cell, here or in another
 * kernel, would be refused otherwise. The loop goes on meanwhile.
 */
#ifndef CGPU_KERNEL_DEVICE_CLOSINGS_H
#define CGPU_KERNEL_DEVICE_CLOSINGS_H

#include <stdbool.h>

struct loop_source;
struct supervisor;

struct closings {
	struct loop_source *watch, *deadline;
	bool late; /* a close hangs, and is not waited for any longer */
};

/* Tells whether all of it is free. If not, a cell that waits to begin or to end goes on when it
 * is. */
bool closings_are_done(struct supervisor *s);
/* Waits until all of it is free, for a limited time. */
void closings_await(struct supervisor *s);
void closings_release(struct supervisor *s);

#endif
