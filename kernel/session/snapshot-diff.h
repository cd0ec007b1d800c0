/* SPDX-License-Identifier: Apache-2.0 */
/* What is different in the session of now from a snapshot on disk: variables, heap, device memory. */
#ifndef CGPU_KERNEL_SESSION_SNAPSHOT_DIFF_H
#define CGPU_KERNEL_SESSION_SNAPSHOT_DIFF_H

struct buffer;
struct error;
struct session;

/* Between cells. dir: the folder of snapshots. Nothing is appended when nothing differs. */
int snapshot_diff(struct session *s, int dir, const char *name, struct buffer *out, struct error *err);

#endif
