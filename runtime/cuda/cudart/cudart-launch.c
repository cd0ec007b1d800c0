/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runtime API, chapters Execution Control and Occupancy, and the glue behind k<<<...>>>(). A kernel
 * is known by its name or by the address of its host stub.
 */
#define CUDA_ENABLE_DEPRECATED
#include "runtime/cuda/cudart/cudart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/launch-glue.h"
#include "common/text/demangle.h"
#include "runtime/cuda/code/device-code.h"
#include "runtime/cuda/code/registration.h"
#include "runtime/cuda/graphs/graphs.h"
#include "runtime/cuda/reports/call-errors.h"
#include "runtime/cuda/reports/hmm.h"
#include "runtime/cuda/rollback/images.h"
#include "runtime/cuda/rollback/preimage.h"
#include "runtime/cuda/session/capture.h"

#define CONFIGURATIONS_MAX 32

struct configuration {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
};

/* Launches that this thread has begun and not made. */
static _Thread_local struct {
	struct configuration configurations[CONFIGURATIONS_MAX];
	int depth;
	/* The way in which the stub that calls cudaLaunchKernel() next was called; NOT_A_STUB:
	 * the program itself calls that. */
	enum { NOT_A_STUB, LAUNCHED, CALLED_AS_FUNCTION } called_by;
} launches;

static const struct {
	CUdevice_attribute attribute;
	const char *what;
} limits[] = {
	{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, "blocks of the grid in x" },
	{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, "blocks of the grid in y" },
	{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, "blocks of the grid in z" },
	{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, "threads of a block in x" },
	{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, "threads of a block in y" },
	{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, "threads of a block in z" },
	{ CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, "threads of a block" },
};
enum { N_SIDES = 6, ALL_THREADS = N_SIDES, N_LIMITS };
_Static_assert(N_LIMITS == DEVICE_SHAPE_LIMITS, "one limit for each row");

/* The limits of the current device, asked for once in this process; NULL: it does not say.
 * device.lock is held. */
static const int *shape_limits(void)
{
	int d = device_current(), *max = device.contexts[d].shape_limits;

	for (int i = 0; !max[ALL_THREADS] && i < N_LIMITS; i++)
		if (device.driver->cuDeviceGetAttribute(&max[i], limits[i].attribute, d))
			return NULL;
	return max;
}

/* The error that the runtime API has for a shape that no device takes; the driver's would be
 * INVALID_VALUE. */
static cudaError_t check_shape(const struct configuration *c, const struct session_kernel *kernel)
{
	const unsigned shape[N_SIDES] = { c->grid.x,  c->grid.y,  c->grid.z,
					  c->block.x, c->block.y, c->block.z };
	unsigned long long threads = (unsigned long long)c->block.x * c->block.y * c->block.z;
	const int *max = shape_limits(), of_kernel = kernel->on[device_current()].threads;

	if (!max)
		return cudaErrorInvalidConfiguration;
	for (int i = 0; i < N_SIDES; i++) {
		if (shape[i] && shape[i] <= (unsigned)max[i])
			continue;
		call_errors_explain("%u %s; the device takes 1 to %d", shape[i], limits[i].what,
				    max[i]);
		return cudaErrorInvalidConfiguration;
	}
	if (threads > (unsigned long long)max[ALL_THREADS]) {
		call_errors_explain("%u * %u * %u threads in a block are %llu; the device takes %d",
				    c->block.x, c->block.y, c->block.z, threads, max[ALL_THREADS]);
		return cudaErrorInvalidConfiguration;
	}
	if (threads > (unsigned long long)of_kernel) {
		call_errors_explain(
			"%llu threads in a block; registers or __launch_bounds__ of this "
			"kernel allow %d",
			threads, of_kernel);
		return cudaErrorLaunchOutOfResources;
	}
	return cudaSuccess;
}

/* The driver has refused a launch: says why, if it is for the shared memory. */
static void explain_shared(const struct configuration *c, CUfunction f)
{
	int fixed = 0, most = 0;

	if (device.driver->cuFuncGetAttribute(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f) ||
	    device.driver->cuFuncGetAttribute(&most,
					      CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f))
		return;
	if (c->shared > (size_t)most)
		call_errors_explain(
			"%zu bytes of dynamic shared memory; this kernel may have %d beside "
			"its own %d",
			c->shared, most, fixed);
}

/* Everything that a launch needs but the launch itself. */
static cudaError_t prepare(struct session_kernel *kernel, const struct configuration *c,
			   void **args, CUfunction *ret_function, CUstream *ret_stream)
{
	const struct ptx_writes *writes;
	cudaError_t result;

	if (!kernel)
		return cudaErrorInvalidDeviceFunction;
	device_lock();
	result = cudart_error(device_code_function(kernel, ret_function));
	if (!result)
		result = check_shape(c, kernel);
	if (!result)
		result = cudart_stream(c->stream, ret_stream);
	if (!result)
		result = cudart_error(images_before_launch());
	if (!result) {
		writes = device_code_writes(kernel);
		result = cudart_error(writes ? hmm_check_launch(kernel->ptx_name, writes, args)
					     : CUDA_ERROR_OUT_OF_MEMORY);
		if (!result)
			result = cudart_error(preimage_save_launch(writes, args));
	}
	device_unlock();
	return result;
}

static cudaError_t launch(struct session_kernel *kernel, const struct configuration *c, void **args,
			  bool cooperative)
{
	struct session_stream *captured = capture_find(c->stream);
	struct session_launch l = {
		.grid = c->grid, .block = c->block, .shared = c->shared, .cooperative = cooperative
	};
	CUfunction f;
	CUstream s;
	cudaError_t result;

	if (captured)
		return graphs_capture_launch(captured, kernel, &l, args);
	result = prepare(kernel, c, args, &f, &s);
	if (result)
		return result;
	if (cooperative)
		result = cudart_error(device.driver->cuLaunchCooperativeKernel(
			f, c->grid.x, c->grid.y, c->grid.z, c->block.x, c->block.y, c->block.z,
			(unsigned)c->shared, s, args));
	else
		result = cudart_error(device.driver->cuLaunchKernel(
			f, c->grid.x, c->grid.y, c->grid.z, c->block.x, c->block.y, c->block.z,
			(unsigned)c->shared, s, args, NULL));
	if (result)
		explain_shared(c, f);
	return result;
}

cudaError_t cudart_launch(struct session_kernel *kernel, const struct session_launch *l,
			  void **args, cudaStream_t stream)
{
	struct configuration c = { l->grid, l->block, l->shared, stream };

	return launch(kernel, &c, args, l->cooperative);
}

/* Calls nest like the expressions they stand in. 0: go on with the call of the stub; else the error
 * is recorded. */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
				     struct CUstream_st *stream)
{
	if (launches.depth == CONFIGURATIONS_MAX) {
		call_errors_record("a launch nested too deep", cudaErrorInvalidConfiguration, 0);
		return 1;
	}
	launches.configurations[launches.depth++] =
		(struct configuration){ grid, block, shared, stream };
	return 0;
}

/* A stub does not look at the result, and launches. */
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
	struct configuration c = { 0 };

	launches.called_by = launches.depth ? LAUNCHED : CALLED_AS_FUNCTION;
	if (launches.depth)
		c = launches.configurations[--launches.depth];
	*grid = c.grid;
	*block = c.block;
	*shared = c.shared;
	*(cudaStream_t *)stream = c.stream;
	return launches.called_by == LAUNCHED ? cudaSuccess : cudaErrorMissingConfiguration;
}

static cudaError_t launch_by_stub(struct session_kernel *kernel, const struct configuration *c,
				  void **args)
{
	bool is_called = launches.called_by == CALLED_AS_FUNCTION;
	cudaError_t result = cudart_enter("launch");
	char name[64] = "a kernel", what[80] = "launch";

	launches.called_by = NOT_A_STUB;
	if (!result)
		result = is_called ? cudaErrorMissingConfiguration : launch(kernel, c, args, false);
	/* A launch that goes well costs no name. */
	if (result && kernel)
		demangle(kernel->ptx_name, name, sizeof(name));
	if (result == cudaErrorMissingConfiguration && is_called)
		call_errors_explain("it was called like a function: a CUDA kernel is launched with "
				    "%s<<<grid, block>>>(arguments)",
				    name);
	if (result)
		snprintf(what, sizeof(what), "the launch of %s", name);
	return cudart_leave(what, result);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
			       size_t shared, cudaStream_t stream)
{
	return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args,
			     size_t shared, cudaStream_t stream)
{
	struct configuration c = { grid, block, shared, stream };

	if (launches.called_by != NOT_A_STUB)
		return launch_by_stub(device_code_kernel_at(function), &c, args);
	return CUDART_CALL(launch(device_code_kernel_at(function), &c, args, false));
}

cudaError_t cudaLaunchCooperativeKernel(const void *stub, dim3 grid, dim3 block, void **args,
					size_t shared, cudaStream_t stream)
{
	struct configuration c = { grid, block, shared, stream };

	return CUDART_CALL(launch(device_code_kernel_at(stub), &c, args, true));
}

/* Hints are left alone; what a device without clusters cannot give is refused. */
static cudaError_t launch_with_attributes(const cudaLaunchConfig_t *config, const void *stub,
					  void **args)
{
	struct configuration c;
	bool cooperative = false;

	if (!config || (config->numAttrs && !config->attrs))
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < config->numAttrs; i++) {
		const cudaLaunchAttribute *a = &config->attrs[i];

		if (a->id == cudaLaunchAttributeCooperative)
			cooperative = a->val.cooperative;
		else if (a->id == cudaLaunchAttributeClusterDimension &&
			 (a->val.clusterDim.x > 1 || a->val.clusterDim.y > 1 ||
			  a->val.clusterDim.z > 1))
			return cudaErrorNotSupported;
	}
	c = (struct configuration){ config->gridDim, config->blockDim, config->dynamicSmemBytes,
				    config->stream };
	return launch(device_code_kernel_at(stub), &c, args, cooperative);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *stub, void **args)
{
	return CUDART_CALL(launch_with_attributes(config, stub, args));
}

cudaError_t cudart_launch_host(cudaStream_t stream, cudaHostFn_t fn, void *data)
{
	struct session_stream *captured = capture_find(stream);
	struct cudart_host_call *c;
	CUstream s;
	cudaError_t result;

	if (captured)
		return graphs_capture(captured, &(struct session_node){ .kind = NODE_HOST,
									.host = { fn, data } });
	result = cudart_stream(stream, &s);
	if (result)
		return result;
	c = cudart_host_call(&(struct cudart_host_call){ .fn = fn, .data = data });
	if (!c)
		return cudaErrorMemoryAllocation;
	result = cudart_error(device.driver->cuLaunchHostFunc(s, cudart_call_host, c));
	if (result)
		free(c);
	return result;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *data)
{
	return CUDART_CALL(fn ? cudart_launch_host(stream, fn, data) : cudaErrorInvalidValue);
}

static cudaError_t function_at(const void *stub, CUfunction *ret)
{
	struct session_kernel *kernel = device_code_kernel_at(stub);

	return kernel ? cudart_error(device_code_function(kernel, ret))
		      : cudaErrorInvalidDeviceFunction;
}

static cudaError_t get_attributes(struct cudaFuncAttributes *ret, const void *stub)
{
	static const struct {
		CUfunction_attribute attribute;
		size_t offset;
		bool is_int;
	} rows[] = {
#define ROW(attribute, field, is_int)                                                              \
	{ CU_FUNC_ATTRIBUTE_##attribute, offsetof(struct cudaFuncAttributes, field), is_int }
		ROW(SHARED_SIZE_BYTES, sharedSizeBytes, false),
		ROW(CONST_SIZE_BYTES, constSizeBytes, false),
		ROW(LOCAL_SIZE_BYTES, localSizeBytes, false),
		ROW(MAX_THREADS_PER_BLOCK, maxThreadsPerBlock, true),
		ROW(NUM_REGS, numRegs, true),
		ROW(PTX_VERSION, ptxVersion, true),
		ROW(BINARY_VERSION, binaryVersion, true),
		ROW(CACHE_MODE_CA, cacheModeCA, true),
		ROW(MAX_DYNAMIC_SHARED_SIZE_BYTES, maxDynamicSharedSizeBytes, true),
		ROW(PREFERRED_SHARED_MEMORY_CARVEOUT, preferredShmemCarveout, true),
#undef ROW
	};
	CUfunction f;
	cudaError_t result = function_at(stub, &f);
	int value;

	if (result || !ret)
		return result ? result : cudaErrorInvalidValue;
	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		result = cudart_error(
			device.driver->cuFuncGetAttribute(&value, rows[i].attribute, f));
		if (result)
			return result;
		if (rows[i].is_int)
			*(int *)((char *)ret + rows[i].offset) = value;
		else
			*(size_t *)((char *)ret + rows[i].offset) = (size_t)value;
	}
	return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *ret, const void *stub)
{
	return CUDART_CALL(get_attributes(ret, stub));
}

static cudaError_t set_attribute(const void *stub, enum cudaFuncAttribute attribute, int value)
{
	CUfunction f;
	cudaError_t result = function_at(stub, &f);

	if (result)
		return result;
	/* The values of both enums are the same. */
	result = cudart_error(
		device.driver->cuFuncSetAttribute(f, (CUfunction_attribute)attribute, value));
	if (!result && attribute == cudaFuncAttributeMaxDynamicSharedMemorySize)
		device_code_kernel_at(stub)->dynamic_shared = value;
	return result;
}

cudaError_t cudaFuncSetAttribute(const void *stub, enum cudaFuncAttribute attribute, int value)
{
	return CUDART_CALL(set_attribute(stub, attribute, value));
}

static cudaError_t set_cache(const void *stub, enum cudaFuncCache config)
{
	CUfunction f;
	cudaError_t result = function_at(stub, &f);

	return result ? result
		      : cudart_error(device.driver->cuFuncSetCacheConfig(f, (CUfunc_cache)config));
}

cudaError_t cudaFuncSetCacheConfig(const void *stub, enum cudaFuncCache config)
{
	return CUDART_CALL(set_cache(stub, config));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *stub, enum cudaSharedMemConfig config)
{
	if ((unsigned)config > cudaSharedMemBankSizeEightByte)
		return CUDART_CALL(cudaErrorInvalidValue);
	return CUDART_CALL(device_code_kernel_at(stub) ? cudaSuccess
						       : cudaErrorInvalidDeviceFunction);
}

static cudaError_t function_name(const char **ret, const void *stub)
{
	const struct session_kernel *kernel = device_code_kernel_at(stub);

	if (!ret || !kernel)
		return ret ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
	*ret = kernel->ptx_name;
	return cudaSuccess;
}

cudaError_t cudaFuncGetName(const char **ret, const void *stub)
{
	return CUDART_CALL(function_name(ret, stub));
}

/* A kernel is known by the address of its stub, as the stubs of nvcc have it, so it is as good in
 * the next worker. */
static cudaError_t kernel_at(cudaKernel_t *ret, const void *stub)
{
	if (!ret || !device_code_kernel_at(stub))
		return ret ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
	*ret = (cudaKernel_t)(void *)stub;
	return cudaSuccess;
}

cudaError_t cudaGetKernel(cudaKernel_t *ret, const void *stub)
{
	return CUDART_CALL(kernel_at(ret, stub));
}

/* The driver's own, as calls of the driver API take it, those in graphs too: so it goes with the
 * worker and with the kernel. */
static cudaError_t driver_function(cudaFunction_t *ret, const void *stub)
{
	CUfunction f;
	cudaError_t result = ret ? function_at(stub, &f) : cudaErrorInvalidValue;

	if (!result)
		*ret = f;
	return result;
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *ret, const void *stub)
{
	return CUDART_CALL(driver_function(ret, stub));
}

static cudaError_t set_attribute_on(cudaKernel_t kernel, enum cudaFuncAttribute attribute,
				    int value, int ordinal)
{
	int before = device_current();
	cudaError_t result = cudart_has_device(ordinal) ? cudart_error(device_switch(ordinal))
							: cudaErrorInvalidDevice;

	if (!result)
		result = set_attribute(kernel, attribute, value);
	device_switch(before);
	return result;
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute,
					    int value, int ordinal)
{
	return CUDART_CALL(set_attribute_on(kernel, attribute, value, ordinal));
}

static cudaError_t parameter_info(const void *stub, size_t index, size_t *ret_offset,
				  size_t *ret_size)
{
	size_t offset, size;
	CUfunction f;
	cudaError_t result = ret_offset ? function_at(stub, &f) : cudaErrorInvalidValue;

	if (!result)
		result = cudart_error(device.driver->cuFuncGetParamInfo(f, index, &offset, &size));
	if (result)
		return result;
	*ret_offset = offset;
	if (ret_size)
		*ret_size = size;
	return cudaSuccess;
}

cudaError_t cudaFuncGetParamInfo(const void *stub, size_t index, size_t *ret_offset,
				 size_t *ret_size)
{
	return CUDART_CALL(parameter_info(stub, index, ret_offset, ret_size));
}

static cudaError_t active_blocks(int *ret, const void *stub, int threads, size_t shared)
{
	CUfunction f;
	cudaError_t result = function_at(stub, &f);

	if (result)
		return result;
	return cudart_error(device.driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(
		ret, f, threads, shared));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *ret, const void *stub, int threads,
							  size_t shared)
{
	return CUDART_CALL(active_blocks(ret, stub, threads, shared));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *ret, const void *stub,
								   int threads, size_t shared,
								   unsigned int flags)
{
	(void)flags;
	return CUDART_CALL(active_blocks(ret, stub, threads, shared));
}

/* The bytes that each of `blocks` blocks of a multiprocessor can have beside the static shared
 * memory of the kernel. */
static cudaError_t available_shared(size_t *ret, const void *stub, int blocks, int threads)
{
	int all, most, fixed, active;
	CUfunction f;
	cudaError_t result = function_at(stub, &f);

	if (result)
		return result;
	if (!ret || blocks <= 0 || threads <= 0)
		return cudaErrorInvalidValue;
	result = active_blocks(&active, stub, threads, 0);
	if (result)
		return result;
	if (device.driver->cuDeviceGetAttribute(
		    &all, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
		    device_current()) ||
	    device.driver->cuFuncGetAttribute(&most,
					      CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f) ||
	    device.driver->cuFuncGetAttribute(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f))
		return cudaErrorUnknown;
	if (blocks > active)
		return cudaErrorInvalidValue;
	all = all / blocks - fixed;
	*ret = (size_t)(all < 0 ? 0 : all < most ? all : most);
	return cudaSuccess;
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *ret, const void *stub, int blocks,
						      int threads)
{
	return CUDART_CALL(available_shared(ret, stub, blocks, threads));
}
