/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: the way into the machine (emulator/warp/machine.h says what a launch is). */
#ifndef CGPU_EMULATOR_MACHINE_LAUNCH_H
#define CGPU_EMULATOR_MACHINE_LAUNCH_H

#include "emulator/warp/machine.h"

struct machine_stats {
	uint64_t warp_instructions; /* decoded operations executed by all warps */
};

/*
 * Run the grid. 0: all blocks ended. 1: *fault says why it stopped (memory keeps what was written
 * until then). -1: err says why it could not start: limits of machine-limits.h, undecodable code,
 * host memory. stats may be NULL.
 */
int machine_launch(const struct machine_launch *l, struct gpu_fault *fault,
		   struct machine_stats *stats, struct error *err);

/* The checks of machine_launch() before it starts: 0, or -1 with the same error. */
int machine_launch_check(const struct machine_launch *l, struct error *err);

/* blocks of this shape that can be resident at once on the whole emulated device (cooperative
 * launches, occupancy). */
uint32_t machine_resident_blocks(const struct ptx_function *kernel, uint32_t threads_per_block,
				 uint32_t dynamic_shared);

/* This machine, for ptx_module_load() of modules that it is to run. */
extern const struct ptx_machine machine_ptx;

#endif
