/* SPDX-License-Identifier: Apache-2.0 */
/* How many blocks of an entry a multiprocessor takes at once, and what keeps it from taking more.
 */
#ifndef CGPU_COMPILER_OCCUPANCY_H
#define CGPU_COMPILER_OCCUPANCY_H

#include <stdint.h>

struct occupancy {
	uint32_t blocks;
	uint32_t warps, warps_max;
	const char *limit; /* "registers", "shared memory", "warps", "blocks" */
};

/* registers: a thread, 0: not known, so they do not limit. -1: nothing is known of this sm. */
int occupancy_of(uint32_t sm, uint32_t threads, uint32_t registers, uint32_t shared,
		 struct occupancy *ret);

#endif
