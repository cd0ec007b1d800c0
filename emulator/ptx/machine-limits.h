/* SPDX-License-Identifier: Apache-2.0 */
/* Every limit and address constant of the machine. The driver reports the CUDA-visible ones as
 * device attributes. */
#ifndef CGPU_EMULATOR_MACHINE_LIMITS_H
#define CGPU_EMULATOR_MACHINE_LIMITS_H

#define MACHINE_LANES 32

/* Limits that CUDA programs can ask for; the values of compute capability 7.5 to 9.0 hardware. */
#define MACHINE_MAX_THREADS_PER_BLOCK 1024
#define MACHINE_MAX_BLOCK_XY 1024
#define MACHINE_MAX_BLOCK_Z 64
#define MACHINE_MAX_GRID_X 2147483647
#define MACHINE_MAX_GRID_YZ 65535
#define MACHINE_MAX_SHARED_STATIC (48 * 1024)
#define MACHINE_MAX_SHARED (96 * 1024) /* static and dynamic together, after opting in */
#define MACHINE_SHARED_RED_ZONE                                                                    \
	256 /* bytes between two arrays of shared memory that belong to none */
#define MACHINE_MAX_PARAMS 32764
#define MACHINE_SM_COUNT 16
#define MACHINE_THREADS_PER_SM 1024
#define MACHINE_BLOCKS_PER_SM 16
#define MACHINE_STACK_DEFAULT 1024
#define MACHINE_STACK_MAX (512 * 1024)
#define MACHINE_CALL_DEPTH_MAX 4096

/*
 * Generic addresses of what is no device buffer. They lie in the hole above the device alias of
 * common/memory/address-map.h, where neither buffers nor host memory are.
 */
#define MACHINE_SHARED_WINDOW 0x3a0000000000ull
#define MACHINE_LOCAL_WINDOW 0x3a1000000000ull
#define MACHINE_PARAM_WINDOW 0x3a2000000000ull
#define MACHINE_WORKSPACE 0x3a3000000000ull /* grid barrier of a cooperative launch, %envreg1/2 */
#define MACHINE_CODE_WINDOW 0x3a4000000000ull
#define MACHINE_WINDOW_SIZE 0x1000000000ull

#define MACHINE_CLUSTER_BARRIER 16 /* number of the barrier behind those of bar.sync */

#define MACHINE_OBSERVERS 4 /* that a launch may have */

#define MACHINE_STALL_SECONDS                                                                      \
	3 /* of no change at all, after which spinning threads are in a deadlock */

/* Scheduling. */
#define MACHINE_SLICE 4096 /* back edges a warp may take before another warp runs */
#define MACHINE_SLICE_MIN 256
#define MACHINE_LOST_RACE                                                                          \
	255 /* what a lock that was not got counts in back edges: others may hold it */
#define MACHINE_YIELD_MIN                                                                          \
	64 /* back edges a fragment may take while other fragments of its warp could run */
#define MACHINE_RESIDENT_BLOCKS 8 /* blocks a worker keeps in flight when they spin */

#endif
