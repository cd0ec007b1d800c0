/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rest of a session: no cell has come for a third of a second, so no further cell of `Run All`
 * follows. The worker gives back the memory that waits for pre-images (scratch.h), and computes
 * digests of device memory, by which the next cell finds out what a suspend of the machine has lost
 * (runtime/cuda/rollback/checksum-audit.h).
 */
#ifndef CGPU_KERNEL_CELL_RUN_REST_H
#define CGPU_KERNEL_CELL_RUN_REST_H

struct loop_source;
struct supervisor;

struct rest {
	struct loop_source *timer; /* NULL: there is nothing to do */
};

/* Starts the timer after a cell. */
void rest_begin(struct supervisor *s);
void rest_release(struct supervisor *s);

#endif
