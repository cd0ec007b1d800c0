/* SPDX-License-Identifier: Apache-2.0 */
/* The clock for durations and deadlines: it cannot be set, and stops while the machine is
 * suspended. */
#ifndef CGPU_COMMON_BASE_CLOCK_H
#define CGPU_COMMON_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline int64_t clock_now_ms(void)
{
	return (int64_t)(clock_now_ns() / 1000000);
}

/* Readings of two clocks that are further apart do not belong to one moment. */
#define CLOCK_READ_NS 1000000u

/* Returns how long the machine has been suspended since boot; it is the same in all processes, to a
 * millisecond. */
static inline uint64_t clock_suspended_ns(void)
{
	uint64_t before, after;
	struct timespec t;

	do {
		before = clock_now_ns();
		clock_gettime(CLOCK_BOOTTIME, &t);
		after = clock_now_ns();
	} while (after - before > CLOCK_READ_NS);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec - before;
}

#endif
