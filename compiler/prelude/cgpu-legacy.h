/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is gone from CUDA 13, and still in half of the programs that were written before: names, and
 * calls that took the number of a device where they take a location. For cells of C and C++, and
 * for nvcc.
 */
#ifndef CGPU_LEGACY_H
#define CGPU_LEGACY_H

#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit cudaDeviceReset
#define cudaThreadGetLimit cudaDeviceGetLimit
#define cudaThreadSetLimit cudaDeviceSetLimit
#define cudaThreadGetCacheConfig cudaDeviceGetCacheConfig
#define cudaThreadSetCacheConfig cudaDeviceSetCacheConfig

/* Of nvcc's texts the .cu alone: others may declare the driver's types themselves. */
#if defined(__CUDACC__) || (!defined(__cplusplus) && !defined(__NVCC__))
#include <cuda_runtime_api.h>

static inline struct cudaMemLocation cgpu_location(int number)
{
	struct cudaMemLocation l;

	l.type = number < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
	l.id = number < 0 ? 0 : number;
	return l;
}

#ifdef __cplusplus
static inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t n, int number,
					       cudaStream_t stream = 0)
{
	return cudaMemPrefetchAsync(p, n, cgpu_location(number), 0, stream);
}

static inline cudaError_t cudaMemAdvise(const void *p, size_t n, enum cudaMemoryAdvise advice,
					int number)
{
	return cudaMemAdvise(p, n, advice, cgpu_location(number));
}
#else
static inline cudaError_t cgpu_prefetch_to(const void *p, size_t n, int number, cudaStream_t stream,
					   cudaStream_t none)
{
	(void)none;
	return cudaMemPrefetchAsync(p, n, cgpu_location(number), 0, stream);
}

static inline cudaError_t cgpu_advise_for(const void *p, size_t n, enum cudaMemoryAdvise advice,
					  int number)
{
	return cudaMemAdvise(p, n, advice, cgpu_location(number));
}

#define cgpu_prefetch(p, n, where, a, b, ...)                                                      \
	_Generic((where),                                                                          \
		struct cudaMemLocation: cudaMemPrefetchAsync,                                      \
		default: cgpu_prefetch_to)(p, n, where, a, b)
#define cudaMemPrefetchAsync(p, n, ...) cgpu_prefetch((p), (n), __VA_ARGS__, 0, 0, )
#define cudaMemAdvise(p, n, advice, where)                                                         \
	_Generic((where), struct cudaMemLocation: cudaMemAdvise, default: cgpu_advise_for)(        \
		(p), (n), (advice), (where))
#endif
#endif

#endif
