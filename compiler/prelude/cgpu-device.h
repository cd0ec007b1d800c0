/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What device code of C++ cells has in CUDA, and clang's headers do not give it. Most is for the device's half; what the host's
 * half parses as well is declared there.
 */
#ifndef CGPU_DEVICE_H
#define CGPU_DEVICE_H

/* ---- launches in device code ---- */

/* compiler/clang-launches.hh tells what becomes of it. */
#define CGPU_LAUNCH [&] __host__ __device__ __attribute__((annotate(CGPU_LAUNCH_MARK)))

#ifdef __CUDA_ARCH__
extern "C" __device__ unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, CUstream_st *stream = 0);
#endif

/* ---- shared variables of classes ---- */

/* Whose constructor is not called. */
template <class T> union cgpu_room {
	T at;

	__host__ __device__ cgpu_room()
	{
	}

	__host__ __device__ ~cgpu_room()
	{
	}
};

/* ---- what a file of its own has ---- */

#include "cgpu-surface.h"

#endif
