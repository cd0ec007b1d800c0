/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stops the cell at work and keeps what it has done so far where that is possible. The worker gets
 * INTERRUPT_MS to unwind it; then it is stopped and committed as it is, or, inside a CUDA call that
 * waits for a kernel that never ends, rolled back.
 */
#ifndef CGPU_KERNEL_CELL_RUN_INTERRUPT_H
#define CGPU_KERNEL_CELL_RUN_INTERRUPT_H

struct supervisor;

void interrupt_start(struct supervisor *s);
/* The cell runs, after a checkpoint or on another worker: a pending interrupt is sent to it. */
void interrupt_go_on(struct supervisor *s);
/* The cell has ended. */
void interrupt_stop(struct supervisor *s);

#endif
