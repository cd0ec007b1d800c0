/* SPDX-License-Identifier: Apache-2.0 */
/* Driver API: questions about a kernel and its occupancy. */
#include <string.h>

#include "common/base/error.h"
#include "emulator/decode/ptx-function.h"
#include "emulator/driver/module/cu-module.h"
#include "emulator/launch/machine-launch.h"
#include "emulator/ptx/machine-limits.h"
#include "emulator/warp/machine.h"

static int max_threads(const struct ptx_function *p)
{
	uint32_t n = p->max_threads[0] ? p->max_threads[0] : p->required_threads[0];
	const uint32_t *of = p->max_threads[0] ? p->max_threads : p->required_threads;

	if (!n)
		return MACHINE_MAX_THREADS_PER_BLOCK;
	for (int i = 1; i < 3; i++)
		n *= of[i] ? of[i] : 1;
	return (int)n;
}

CUresult cuFuncGetAttribute(int *ret, CUfunction_attribute attribute, CUfunction f)
{
	CUresult result = gpu_enter("cuFuncGetAttribute", GPU_CALL_ASYNC);
	struct error err = ERROR_INIT;

	if (result)
		return result;
	if (!ret || !cu_function_valid(f))
		return ret ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	if (ptx_function_prepare(f->ptx, &err))
		return CUDA_ERROR_INVALID_PTX;
	switch (attribute) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		*ret = max_threads(f->ptx);
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
		*ret = (int)f->ptx->static_shared;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
	case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
		*ret = 0;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
		*ret = (int)f->ptx->local_size;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_NUM_REGS:
		*ret = (int)f->ptx->registers;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION:
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
		*ret = gpu.capability;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*ret = f->max_dynamic_shared;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*ret = f->carveout;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute, int value)
{
	CUresult result = gpu_enter("cuFuncSetAttribute", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!cu_function_valid(f))
		return CUDA_ERROR_INVALID_HANDLE;
	switch (attribute) {
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		if (value < 0 || value + (int)f->ptx->static_shared > MACHINE_MAX_SHARED)
			return CUDA_ERROR_INVALID_VALUE;
		f->max_dynamic_shared = value;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		if (value < -1 || value > 100)
			return CUDA_ERROR_INVALID_VALUE;
		f->carveout = value;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cuFuncSetCacheConfig(CUfunction f, CUfunc_cache config)
{
	CUresult result = gpu_enter("cuFuncSetCacheConfig", GPU_CALL_ASYNC);

	(void)config;
	if (result)
		return result;
	return cu_function_valid(f) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuFuncGetParamInfo(CUfunction f, size_t index, size_t *ret_offset, size_t *ret_size)
{
	CUresult result = gpu_enter("cuFuncGetParamInfo", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!cu_function_valid(f))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!ret_offset || index >= f->ptx->param_count)
		return CUDA_ERROR_INVALID_VALUE;
	*ret_offset = f->ptx->params[index].offset;
	if (ret_size)
		*ret_size = f->ptx->params[index].size;
	return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char **ret, CUfunction f)
{
	CUresult result = gpu_enter("cuFuncGetName", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!ret || !cu_function_valid(f))
		return ret ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*ret = f->ptx->name;
	return CUDA_SUCCESS;
}

CUresult cuFuncGetModule(CUmodule *ret, CUfunction f)
{
	CUresult result = gpu_enter("cuFuncGetModule", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!ret || !cu_function_valid(f))
		return ret ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*ret = f->module;
	return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *ret, CUfunction f, int threads,
							      size_t shared, unsigned int flags)
{
	CUresult result = gpu_enter("cuOccupancyMaxActiveBlocksPerMultiprocessor", GPU_CALL_ASYNC);

	(void)flags;
	if (result)
		return result;
	if (!cu_function_valid(f))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!ret || threads <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (threads > max_threads(f->ptx) || shared + f->ptx->static_shared > MACHINE_MAX_SHARED) {
		*ret = 0;
		return CUDA_SUCCESS;
	}
	*ret = (int)(machine_resident_blocks(f->ptx, (uint32_t)threads, (uint32_t)shared) /
		     MACHINE_SM_COUNT);
	return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *ret, CUfunction f, int threads,
						     size_t shared)
{
	return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(ret, f, threads, shared, 0);
}

/* The widest block that fits, and as many of them as run at once. */
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *ret_grid, int *ret_block, CUfunction f,
						   CUoccupancyB2DSize shared_of, size_t shared,
						   int limit, unsigned int flags)
{
	CUresult result = gpu_enter("cuOccupancyMaxPotentialBlockSize", GPU_CALL_ASYNC);
	int best = 0, widest;

	(void)flags;
	if (result)
		return result;
	if (!cu_function_valid(f))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!ret_grid || !ret_block)
		return CUDA_ERROR_INVALID_VALUE;
	widest = limit > 0 && limit < max_threads(f->ptx) ? limit : max_threads(f->ptx);
	for (int threads = widest; threads > 0; threads -= (threads - 1) % MACHINE_LANES + 1) {
		size_t bytes = shared_of ? shared_of(threads) : shared;
		int blocks;

		result = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, threads, bytes);
		if (result)
			return result;
		if (blocks * threads <= best)
			continue;
		best = blocks * threads;
		*ret_grid = blocks * MACHINE_SM_COUNT;
		*ret_block = threads;
	}
	return best ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *ret_grid, int *ret_block, CUfunction f,
					  CUoccupancyB2DSize shared_of, size_t shared, int limit)
{
	return cuOccupancyMaxPotentialBlockSizeWithFlags(ret_grid, ret_block, f, shared_of, shared,
							 limit, 0);
}

/* The shared memory that each of `blocks` blocks of a multiprocessor can have beside the static one
 * of the kernel. */
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *ret, CUfunction f, int blocks, int threads)
{
	CUresult result;
	int active, most;
	size_t share;

	if (!ret || blocks <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	result = cuOccupancyMaxActiveBlocksPerMultiprocessor(&active, f, threads, 0);
	if (!result)
		result = cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
					    f);
	if (result || blocks > active)
		return result ? result : CUDA_ERROR_INVALID_VALUE;
	share = MACHINE_MAX_SHARED / (size_t)blocks;
	share = share > f->ptx->static_shared ? share - f->ptx->static_shared : 0;
	*ret = share < (size_t)most ? share : (size_t)most;
	return CUDA_SUCCESS;
}

/* Code is decoded when it is launched first or asked about: the one state that a caller can tell
 * apart is `loaded`. */
CUresult cuFuncLoad(CUfunction f)
{
	CUresult result = gpu_enter("cuFuncLoad", GPU_CALL_ASYNC);

	if (result)
		return result;
	return cu_function_valid(f) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *ret, CUfunction f)
{
	CUresult result = gpu_enter("cuFuncIsLoaded", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!ret || !cu_function_valid(f))
		return ret ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*ret = CU_FUNCTION_LOADING_STATE_LOADED;
	return CUDA_SUCCESS;
}
