/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches by libraries. Of their code nothing is known, but of its arguments: each word of a
 * parameter that is an address in a buffer of the session has that buffer saved before the launch,
 * as a launch of a cell has (preimage.h). What the code reaches by pointers that lie in memory is
 * watched, or has its digest taken, as with any launch; `%gpu rollback whole` saves that, too.
 */
#include "runtime/cuda/libcuda/libcuda-real.h"

#include <string.h>

#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/rollback/preimage.h"

/* One parameter, or all of them in a block. */
struct words {
	const char *at;
	size_t size;
};

static CUresult save_words(const struct words *w)
{
	CUresult result = CUDA_SUCCESS;

	for (size_t i = 0; i + sizeof(uint64_t) <= w->size && !result; i += sizeof(uint64_t)) {
		uint64_t value;

		memcpy(&value, w->at + i, sizeof(value));
		result = preimage_save_pointer(value);
	}
	return result;
}

/* *ret_known: the driver has told what the parameters are. */
static CUresult save_parameters(CUfunction f, void **params, bool *ret_known)
{
	size_t offset, size, n = 0;
	CUresult result = CUDA_SUCCESS, end;

	while (!(end = device.driver->cuFuncGetParamInfo(f, n, &offset, &size)) && !result)
		result = save_words(&(struct words){ params[n++], size });
	*ret_known = n || end == CUDA_ERROR_INVALID_VALUE;
	return result;
}

static bool find_block(void *const *extra, struct words *ret)
{
	*ret = (struct words){ 0 };
	for (; extra[0] != CU_LAUNCH_PARAM_END; extra += 2) {
		if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
			ret->at = extra[1];
		else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
			memcpy(&ret->size, extra[1], sizeof(ret->size));
		else
			return false;
	}
	return ret->at;
}

/* The arguments of a launch, as the driver is given them. */
struct arguments {
	CUfunction f;
	void **params, **extra;
};

static CUresult save_arguments(void *data, bool *ret_known)
{
	const struct arguments *a = data;
	struct words block;

	if (a->params)
		return save_parameters(a->f, a->params, ret_known);
	*ret_known = !a->extra || find_block(a->extra, &block);
	return a->extra && *ret_known ? save_words(&block) : CUDA_SUCCESS;
}

#define LAUNCH(symbol, parameters, f, params, extra, ...)                                          \
	static CUresult guard_##symbol parameters                                                  \
	{                                                                                          \
		CUresult result =                                                                  \
			libcuda_save(save_arguments, &(struct arguments){ f, params, extra });     \
                                                                                                   \
		return result ? result                                                             \
			      : ((__typeof__(&guard_##symbol))libcuda.real[LIBCUDA_##symbol])(     \
					__VA_ARGS__);                                              \
	}
#define GRID                                                                                       \
	unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,              \
		unsigned shared, CUstream s

LAUNCH(cuLaunchKernel, (CUfunction f, GRID, void **params, void **extra), f, params, extra, f, gx,
       gy, gz, bx, by, bz, shared, s, params, extra)
LAUNCH(cuLaunchKernel_ptsz, (CUfunction f, GRID, void **params, void **extra), f, params, extra, f,
       gx, gy, gz, bx, by, bz, shared, s, params, extra)
LAUNCH(cuLaunchCooperativeKernel, (CUfunction f, GRID, void **params), f, params, NULL, f, gx, gy,
       gz, bx, by, bz, shared, s, params)
LAUNCH(cuLaunchCooperativeKernel_ptsz, (CUfunction f, GRID, void **params), f, params, NULL, f, gx,
       gy, gz, bx, by, bz, shared, s, params)
LAUNCH(cuLaunchKernelEx, (const CUlaunchConfig *config, CUfunction f, void **params, void **extra),
       f, params, extra, config, f, params, extra)
LAUNCH(cuLaunchKernelEx_ptsz,
       (const CUlaunchConfig *config, CUfunction f, void **params, void **extra), f, params, extra,
       config, f, params, extra)

const struct libcuda_guard libcuda_launch_guards[] = {
	LIBCUDA_GUARD(cuLaunchKernel, guard_cuLaunchKernel),
	LIBCUDA_GUARD(cuLaunchKernel_ptsz, guard_cuLaunchKernel_ptsz),
	LIBCUDA_GUARD(cuLaunchCooperativeKernel, guard_cuLaunchCooperativeKernel),
	LIBCUDA_GUARD(cuLaunchCooperativeKernel_ptsz, guard_cuLaunchCooperativeKernel_ptsz),
	LIBCUDA_GUARD(cuLaunchKernelEx, guard_cuLaunchKernelEx),
	LIBCUDA_GUARD(cuLaunchKernelEx_ptsz, guard_cuLaunchKernelEx_ptsz),
	{ 0, NULL },
};
