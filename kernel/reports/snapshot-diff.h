/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is different in the session of now from a snapshot on disk: variables, heap, device memory.
 * It is found out on a thread, while the kernel answers others.
 */
#ifndef CGPU_KERNEL_REPORTS_SNAPSHOT_DIFF_H
#define CGPU_KERNEL_REPORTS_SNAPSHOT_DIFF_H

#include "kernel/supervisor/supervisor.h"

struct error;
struct snapshot_diff;

/*
 * Between cells; none may be run before `done`, which is called from the loop, and after which it
 * is freed. NULL on error. snapshots_cancel() ends it.
 */
struct snapshot_diff *snapshot_diff_start(struct supervisor *s, const char *name,
					  snapshots_done *done, void *data, struct error *err);
/* When it is done: lines, none when nothing differs. */
const char *snapshot_diff_text(const struct snapshot_diff *d);
/* NULL is accepted. */
void snapshot_diff_free(struct snapshot_diff *d);

#endif
