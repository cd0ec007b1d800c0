/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that processes hold in files of memory, which is in no count of their own pages:
 * memfd_create(), open files of /dev/shm, MAP_SHARED, System V. A file that is closed and has a
 * name is a file like any other.
 */
#ifndef CGPU_KERNEL_CELL_RUN_SHARED_MEMORY_H
#define CGPU_KERNEL_CELL_RUN_SHARED_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct shared_memory {
	const pid_t *pids; /* of the processes */
	size_t n_pids;
	/* Descriptors of this process for files of memory that are counted elsewhere. */
	const int *known;
	size_t n_known;
	time_t since; /* files that have a name count if they are younger */
	/* Files of emulated device memory beyond those known count from here on. */
	uint64_t device_limit;
};

/* Returns the bytes of the machine's memory in all such files, each counted once. */
uint64_t shared_memory_bytes(const struct shared_memory *m);

/* Returns the bytes of files of memory of the whole machine, by one cheap call; 0: not known. */
uint64_t shared_memory_of_machine(void);

#endif
