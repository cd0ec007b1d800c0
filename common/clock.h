/* SPDX-License-Identifier: Apache-2.0 */
/* The clock for durations and deadlines: it is not set, and stands still while the machine sleeps. */
#ifndef CGPU_COMMON_CLOCK_H
#define CGPU_COMMON_CLOCK_H

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

#endif
