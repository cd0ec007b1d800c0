/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers of a block. */
#ifndef CGPU_EMULATOR_BARRIER_H
#define CGPU_EMULATOR_BARRIER_H

struct block;
struct op;
struct warp;

/* The running fragment is at the barrier operation o: the next one, or NULL with w->event set. */
const struct op *barrier_arrive(struct warp *w, const struct op *o);
/* Threads have exited: barriers may be complete without them. */
void barrier_check(struct block *c);

#endif
