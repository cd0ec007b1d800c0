/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passes what a worker writes to the session: first the records of its ring, then the bytes of its
 * stdout and stderr pipes (raw writes and children). A result record is kept for the end of the
 * cell.
 */
#ifndef CGPU_KERNEL_WORKERS_OUTPUT_DRAIN_H
#define CGPU_KERNEL_WORKERS_OUTPUT_DRAIN_H

struct supervisor;
struct worker;

/* Takes what is there at the time of the call, so that a worker that keeps writing cannot hold the
 * caller. */
void output_drain(struct supervisor *s, struct worker *w);

#endif
