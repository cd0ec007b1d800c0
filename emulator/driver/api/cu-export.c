/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API: cuGetExportTable(), by which NVIDIA's own libraries reach undocumented functions of
 * the driver. There are none here. The CUDA runtime does not start without them: one of its tables
 * proves that the driver is NVIDIA's, which this one is not and does not pretend to be. So that
 * nobody looks for the error elsewhere, that is said once.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "emulator/driver/device/gpu.h"
#include "emulator/driver/device/queue.h"

/* The table that every version of the CUDA runtime asks for before its first call. */
static const unsigned char runtime_table[16] = {
	0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
	0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9,
};

static pthread_once_t told = PTHREAD_ONCE_INIT;

static void tell(void)
{
	/* A cell has its runtime from cgpu, so it is a library that comes here. */
	if (queue_threads.count)
		fputs("cgpu-emulator: a library of this cell uses NVIDIA's CUDA runtime, which "
		      "starts on NVIDIA's driver only: what\n"
		      "cgpu-emulator: it does with the device fails with an error of the "
		      "library.\n",
		      stderr);
	else
		fputs("cgpu-emulator: this program uses NVIDIA's CUDA runtime (cudaMalloc, "
		      "<<<...>>>), which starts on\n"
		      "cgpu-emulator: NVIDIA's driver only. Its calls fail with error 500. Build "
		      "it with `nvcc -cudart shared`,\n"
		      "cgpu-emulator: so that it finds cgpu's runtime beside this driver, or run "
		      "it as a %%cuda cell.\n",
		      stderr);
}

CUresult cuGetExportTable(const void **ret, const CUuuid *id)
{
	if (!ret || !id)
		return CUDA_ERROR_INVALID_VALUE;
	*ret = NULL;
	if (!memcmp(id->bytes, runtime_table, sizeof(runtime_table)))
		pthread_once(&told, tell);
	return CUDA_ERROR_NOT_FOUND;
}
