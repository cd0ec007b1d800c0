/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API: launches as they were before cuLaunchKernel(): shape and arguments are given to the
 * function, call by call, and stay there for the next launch. Some libraries still launch in this
 * way.
 */
#include "emulator/driver/api/cu-older.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/driver/module/cu-module.h"

#define PARAMS_MAX 4096

static CUresult enter(const char *call, CUfunction f)
{
	CUresult result = gpu_enter(call, GPU_CALL_ASYNC);

	return result || cu_function_valid(f) ? result : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cu_older_set_block(CUfunction f, int x, int y, int z)
{
	CUresult result = enter("cuFuncSetBlockShape", f);

	if (!result)
		memcpy(f->older.block, (unsigned[]){ (unsigned)x, (unsigned)y, (unsigned)z },
		       sizeof(f->older.block));
	return result;
}

CUresult cu_older_set_shared(CUfunction f, unsigned bytes)
{
	CUresult result = enter("cuFuncSetSharedSize", f);

	if (!result)
		f->older.shared = bytes;
	return result;
}

CUresult cu_older_set_size(CUfunction f, unsigned size)
{
	CUresult result = enter("cuParamSetSize", f);

	if (result || size > PARAMS_MAX)
		return result ? result : CUDA_ERROR_INVALID_VALUE;
	f->older.size = size;
	return CUDA_SUCCESS;
}

CUresult cu_older_set_bytes(CUfunction f, int offset, void *bytes, unsigned n)
{
	CUresult result = enter("cuParamSetv", f);

	if (result)
		return result;
	if (!bytes || offset < 0 || offset > PARAMS_MAX || n > PARAMS_MAX - (unsigned)offset)
		return CUDA_ERROR_INVALID_VALUE;
	if (!f->older.params)
		f->older.params = calloc(1, PARAMS_MAX);
	if (!f->older.params)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memcpy(f->older.params + offset, bytes, n);
	return CUDA_SUCCESS;
}

CUresult cu_older_set_int(CUfunction f, int offset, unsigned value)
{
	return cu_older_set_bytes(f, offset, &value, sizeof(value));
}

CUresult cu_older_set_float(CUfunction f, int offset, float value)
{
	return cu_older_set_bytes(f, offset, &value, sizeof(value));
}

CUresult cu_older_launch_in(CUfunction f, int width, int height, CUstream s)
{
	CUresult result = enter("cuLaunchGridAsync", f);
	void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, NULL, CU_LAUNCH_PARAM_BUFFER_SIZE, NULL,
			  CU_LAUNCH_PARAM_END };
	const unsigned *block;

	if (result)
		return result;
	extra[1] = f->older.params;
	extra[3] = &f->older.size;
	block = f->older.block;
	return cuLaunchKernel(f, (unsigned)width, (unsigned)height, 1, block[0], block[1], block[2],
			      f->older.shared, s, NULL, extra);
}

CUresult cu_older_launch_grid(CUfunction f, int width, int height)
{
	return cu_older_launch_in(f, width, height, NULL);
}

CUresult cu_older_launch(CUfunction f)
{
	return cu_older_launch_in(f, 1, 1, NULL);
}

/* A context that nobody else has attached to is destroyed. */
CUresult cu_older_detach(CUcontext c)
{
	return cuCtxDestroy(c);
}
