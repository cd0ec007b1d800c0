/* SPDX-License-Identifier: Apache-2.0 */
/* Warns, by a line for a cell, that little device memory is left before an allocation fails; it
 * says who holds most, and what to do. */
#ifndef CGPU_KERNEL_DEVICE_CAP_WATCH_H
#define CGPU_KERNEL_DEVICE_CAP_WATCH_H

struct buffer;
struct supervisor;

/*
 * Appends the warning to out if it is due. It is called when a cell was committed and its worker is
 * idle. A warning is not repeated until less memory is used. The available memory is the session's
 * limit, or what the other notebooks of the machine leave.
 */
void cap_watch_look(struct supervisor *s, struct buffer *out);

#endif
