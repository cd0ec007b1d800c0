/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for pre-images that waits for the next cell (device_memory_recycle()), for a moment: cells
 * of `Run All` follow each other at once, and a notebook that rests holds nothing that it does not
 * need.
 *
 *	 in use -- commit, undo does not keep it --> waiting -- WORKER_DEVICE_PREIMAGE --> in use
 *	                                               |------- WORKER_DEVICE_DROP -----> closed
 *	                                               \------- the worker ends --------> closed
 *
 * A worker gives back what does not fit its next pre-image, all of it when the device is full, and
 * all of it when it is told so, when the session rests (rest.h). Where other kernels hold memory of
 * the device, nothing waits.
 */
#ifndef CGPU_KERNEL_DEVICE_SCRATCH_H
#define CGPU_KERNEL_DEVICE_SCRATCH_H

struct supervisor;
struct undo_entry;

/* Handles the undo log's entry of the commit at work, which is complete and not trimmed yet. */
void scratch_on_commit(struct supervisor *s, struct undo_entry *entry);

#endif
