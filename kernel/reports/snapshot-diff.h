/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the session to a snapshot on disk: variables, heap, device memory. The comparison runs
 * on a thread, while the kernel answers others.
 */
#ifndef CGPU_KERNEL_REPORTS_SNAPSHOT_DIFF_H
#define CGPU_KERNEL_REPORTS_SNAPSHOT_DIFF_H

#include "kernel/supervisor/supervisor.h"

struct buffer;
struct error;
struct snapshot_diff;

/*
 * Starts a comparison, between cells. NULL on error. `done` is called from the loop; no cell may
 * run before that, and the caller frees the result after it. snapshots_cancel() cancels it.
 */
struct snapshot_diff *snapshot_diff_start(struct supervisor *s, const char *name,
					  snapshots_done *done, void *data, struct error *err);
/* Appends the result as lines, nothing when nothing differs. Called after `done`, from the loop. */
void snapshot_diff_put(const struct snapshot_diff *d, struct supervisor *s, struct buffer *out);
/* Frees the comparison. NULL is accepted. */
void snapshot_diff_free(struct snapshot_diff *d);

#endif
