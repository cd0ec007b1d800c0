/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches that cannot go on: where their threads wait, and how it is known of threads that spin. A
 * worker whose blocks have only spun for a while is watched. When its whole state (registers,
 * places, shared and local memory) repeats and nothing it did meanwhile changed memory or asked for
 * the time, then it can only be freed from outside. When that holds for all workers of a launch for
 * MACHINE_STALL_SECONDS, and nothing else can free it either (machine.h, may_be_freed), the launch
 * has ended in a deadlock.
 */
#ifndef CGPU_EMULATOR_STALL_H
#define CGPU_EMULATOR_STALL_H

#include "emulator/warp/warp.h"

/* Add to the fault where the threads of the block are: parked ones and those that spin. */
void stall_list(const struct block *c, struct gpu_fault *f);

/* The worker's head block has spun for another turn. True: the launch is in a deadlock, to be
 * reported by this worker. */
bool stall_spun(struct machine_worker *k);
/* A block has ended or got on: whatever was watched is over. */
void stall_over(struct machine_worker *k);
/* The worker's share of the launch has ended. */
void stall_leave(struct machine_worker *k);

#endif
