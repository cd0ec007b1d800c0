/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No cell has come for a third of a second, so the next one of `Run All` is not on its way. The
 * worker gives back memory for pre-images that waits (scratch.h), and takes digests of device
 * memory, by which the next cell knows what a suspend of the machine has lost
 * (runtime/cuda/rollback/checksum-audit.h).
 */
#ifndef CGPU_KERNEL_CELL_RUN_REST_H
#define CGPU_KERNEL_CELL_RUN_REST_H

struct loop_source;
struct supervisor;

struct rest {
	struct loop_source *timer; /* NULL: there is nothing to do */
};

/* A cell has ended. */
void rest_begin(struct supervisor *s);
void rest_release(struct supervisor *s);

#endif
