/* SPDX-License-Identifier: Apache-2.0 */
/* Computes how many blocks of an entry a multiprocessor runs at once, and what limits that. */
#ifndef CGPU_COMPILER_OCCUPANCY_H
#define CGPU_COMPILER_OCCUPANCY_H

#include <stdint.h>

struct occupancy {
	uint32_t blocks;
	uint32_t warps, warps_max;
	const char *limit; /* "registers", "shared memory", "warps", "blocks" */
};

/* registers is per thread, 0: not known, and then no limit. -1: this sm is not known. */
int occupancy_of(uint32_t sm, uint32_t threads, uint32_t registers, uint32_t shared,
		 struct occupancy *ret);

#endif
