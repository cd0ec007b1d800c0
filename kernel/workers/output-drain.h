/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Brings what a worker writes to the session: the records of its ring, then the bytes of its stdout
 * and stderr pipes (raw writes and children). A result record is kept for the end of the cell.
 */
#ifndef CGPU_KERNEL_WORKERS_OUTPUT_DRAIN_H
#define CGPU_KERNEL_WORKERS_OUTPUT_DRAIN_H

struct supervisor;
struct worker;

/* Takes what is there when it is called, and not without end what a busy worker adds meanwhile. */
void output_drain(struct supervisor *s, struct worker *w);

#endif
