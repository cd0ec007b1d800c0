/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a cell has given up is free when the kernel process has closed its descriptors, which a thread does (kernel/closer.h). Who
 * depends on that waits: the next cell, whose request would be refused otherwise, and what other kernels are told.
 */
#ifndef CGPU_KERNEL_SUPERVISOR_CLOSINGS_H
#define CGPU_KERNEL_SUPERVISOR_CLOSINGS_H

#include <stdbool.h>

struct loop_source;
struct supervisor;

struct closings {
	struct loop_source *watch, *deadline;
	bool late;       /* a close hangs: nobody waits for it any longer */
	bool says_later; /* device_share_settle() is to be called again */
};

/* May the cell that waits begin? If not, it is begun when it may. */
bool closings_are_done(struct supervisor *s);
/* May others be told what is held? If not, device_share_settle() is called when they may. */
bool closings_let_say(struct supervisor *s);
void closings_release(struct supervisor *s);

#endif
