/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime API under the names that programs with a default stream of each thread call: NULL is
 * that stream, all else is the same function.
 */
#define CUDA_ENABLE_DEPRECATED
#include "runtime/cuda/cudart/cudart.h"

#include <string.h>

#include "common/launch-glue.h"
#include "runtime/cuda/exports/cudart-table.h"

#define OWN(stream) ((stream) ? (stream) : cudaStreamPerThread)

#define PER_THREAD(name, parameters, arguments)                                                    \
	cudaError_t name##_ptsz parameters;                                                        \
	cudaError_t name##_ptsz parameters                                                         \
	{                                                                                          \
		return name arguments;                                                             \
	}
#include "runtime/cuda/exports/cudart-per-thread.def"
#undef PER_THREAD

cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *stub,
				     void **args);
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *stub,
				     void **args)
{
	cudaLaunchConfig_t own = config ? *config : (cudaLaunchConfig_t){ .numAttrs = 0 };

	own.stream = OWN(own.stream);
	return cudaLaunchKernelExC(config ? &own : NULL, stub, args);
}

static const struct {
	const char *name;
	void *function;
} rows[] = {
#define PER_THREAD(name, parameters, arguments) { #name "_ptsz", (void *)name##_ptsz },
#include "runtime/cuda/exports/cudart-per-thread.def"
#undef PER_THREAD
	{ "__cudaLaunchKernel_ptsz", (void *)cudaLaunchKernel_ptsz },
	{ "cudaLaunchKernelExC_ptsz", (void *)cudaLaunchKernelExC_ptsz },
};

void *cudart_per_thread(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].name, name))
			return rows[i].function;
	return NULL;
}
