/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of cudaMemcpyBatchAsync() and its kin: n entries (attributes, places) apply to `count`
 * operations, each entry from its start up to the next entry's.
 */
#ifndef CGPU_COMMON_CUDA_BATCH_STARTS_H
#define CGPU_COMMON_CUDA_BATCH_STARTS_H

#include <stdbool.h>
#include <stddef.h>

/* Checks the starts: the first is 0, and the others ascend. */
static inline bool batch_starts_are_right(const size_t *starts, size_t n, size_t count)
{
	if (!starts || !n || n > count || starts[0])
		return false;
	for (size_t i = 1; i < n; i++)
		if (starts[i] <= starts[i - 1] || starts[i] >= count)
			return false;
	return true;
}

#endif
