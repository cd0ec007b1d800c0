/* SPDX-License-Identifier: Apache-2.0 */
/* A launch from a unit test, as the code of a cell makes it. */
#ifndef CGPU_TESTS_DEVICE_LAUNCH_H
#define CGPU_TESTS_DEVICE_LAUNCH_H

#include <stddef.h>

#include "runtime/cuda/code/registration.h"

/* What clang makes of `k<<<grid, block, 0, stream>>>(*args[0], ...)`, where k has its stub at this
 * address. */
static inline void device_launch(const void *stub, dim3 grid, dim3 block, cudaStream_t stream,
				 void **args)
{
	size_t shared;

	if (__cudaPushCallConfiguration(grid, block, 0, stream))
		return;
	if (!__cudaPopCallConfiguration(&grid, &block, &shared, &stream))
		(void)cudaLaunchKernel(stub, grid, block, args, shared, stream);
}

#endif
