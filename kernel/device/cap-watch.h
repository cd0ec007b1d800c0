/* SPDX-License-Identifier: Apache-2.0 */
/* A line for a cell that leaves little device memory, before an allocation fails: who holds the
 * most, and what to do. */
#ifndef CGPU_KERNEL_DEVICE_CAP_WATCH_H
#define CGPU_KERNEL_DEVICE_CAP_WATCH_H

struct buffer;
struct supervisor;

/*
 * A cell was committed and its worker is idle. Once it is told, it is not told again until less is
 * used. What may be used is the session's limit, or what the other notebooks of the machine leave.
 */
void cap_watch_look(struct supervisor *s, struct buffer *out);

#endif
