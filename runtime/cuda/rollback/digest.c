/* SPDX-License-Identifier: Apache-2.0 */
/* The module with the kernel has the answers of one round in a variable of its own, so that nothing
 * is allocated for them. */
#include "runtime/cuda/rollback/digest.h"

#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/rollback/digest-kernel.h"

#define PER_THREAD 64   /* bytes, where there are enough of them */
#define BLOCKS_MAX 4096 /* more than a device runs at a time */

static CUresult load(int ordinal)
{
	CUmodule module;
	size_t size;
	CUresult result;

	if (device.contexts[ordinal].digest.module)
		return CUDA_SUCCESS;
	result = device.driver->cuModuleLoadDataEx(&module, digest_kernel, 0, NULL, NULL);
	if (result)
		return result;
	result = device.driver->cuModuleGetFunction(&device.contexts[ordinal].digest.function,
						    module, "digest");
	if (!result)
		result = device.driver->cuModuleGetGlobal(&device.contexts[ordinal].digest.slots,
							  &size, module, "digests");
	if (result)
		device.driver->cuModuleUnload(module);
	else
		device.contexts[ordinal].digest.module = module;
	return result;
}

static CUresult launch(CUfunction f, CUstream stream, struct digest_range *r, uint64_t slot)
{
	uint64_t blocks = r->size / (DIGEST_THREADS * PER_THREAD) + 1;
	void *args[] = { &r->address, &r->size, &slot };

	if (blocks > BLOCKS_MAX)
		blocks = BLOCKS_MAX;
	return device.driver->cuLaunchKernel(f, (unsigned)blocks, 1, 1, DIGEST_THREADS, 1, 1, 0,
					     stream, args, NULL);
}

/* n: up to DIGEST_SLOTS */
static CUresult compute(int ordinal, CUstream stream, struct digest_range *ranges, size_t n)
{
	uint64_t answers[DIGEST_SLOTS];
	CUresult result = device.driver->cuMemsetD8Async(device.contexts[ordinal].digest.slots, 0,
							 n * sizeof(answers[0]), stream);

	for (size_t i = 0; i < n && !result; i++)
		result = launch(device.contexts[ordinal].digest.function, stream, &ranges[i], i);
	if (!result)
		result = device.driver->cuMemcpyAsync((uintptr_t)answers,
						      device.contexts[ordinal].digest.slots,
						      n * sizeof(answers[0]), stream);
	if (!result)
		result = device.driver->cuStreamSynchronize(stream);
	for (size_t i = 0; i < n && !result; i++)
		ranges[i].digest = answers[i];
	return result;
}

CUresult digest_compute(CUstream stream, struct digest_range *ranges, size_t n)
{
	int ordinal = device_current();
	CUresult result = load(ordinal);

	for (size_t done = 0; done < n && !result; done += DIGEST_SLOTS)
		result = compute(ordinal, stream, ranges + done,
				 n - done < DIGEST_SLOTS ? n - done : DIGEST_SLOTS);
	return result;
}
