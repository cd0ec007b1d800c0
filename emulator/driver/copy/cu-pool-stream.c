/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API, chapter Stream Ordered Memory Allocator: memory that is taken and freed in the order
 * of a stream. What is taken is there at once.
 */
#include "emulator/driver/device/context.h"
#include "emulator/driver/device/memory.h"
#include "emulator/driver/graph/graph.h"
#include "emulator/driver/memory/cu-pool.h"
#include "emulator/driver/memory/graph-memory.h"
#include "emulator/driver/stream/cu-stream.h"

static CUresult capture_alloc(CUstream s, CUdeviceptr *ret, size_t size)
{
	CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_MEM_ALLOC };
	CUresult result;

	params.alloc.poolProps = cu_pool_default(context_device())->props;
	params.alloc.bytesize = size;
	result = capture_add(s, &params);
	if (!result)
		*ret = cu_stream_point(s)->last[0]->params.alloc.dptr;
	return result;
}

/* pool NULL: the current one. Memory that waits to be freed may be what is missing. */
static CUresult allocate(const char *call, CUdeviceptr *ret, size_t size, CUmemoryPool p,
			 CUstream s)
{
	CUresult result = gpu_enter(call, GPU_CALL_ASYNC);
	uint64_t address;
	int device;

	if (result)
		return result;
	if (!cu_stream_queue(s))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!ret || !size)
		return CUDA_ERROR_INVALID_VALUE;
	if (capture_is_on(s))
		return capture_alloc(s, ret, size);
	p = p ? p : cu_pool_current(context_device());
	device = p->props.location.id;
	result = cu_pool_take(p, size);
	if (result)
		return result;
	result = memory_alloc(device, size, MAPPING_ALLOC, "", &address);
	if (result == CUDA_ERROR_OUT_OF_MEMORY) {
		queue_wait_device(device);
		result = memory_alloc(device, size, MAPPING_ALLOC, "", &address);
	}
	if (result) {
		cu_pool_give_back(p, size);
		return result;
	}
	memory_unwritten(address);
	memory_set_pool(address, p);
	*ret = address;
	return CUDA_SUCCESS;
}

CUresult cuMemAllocAsync(CUdeviceptr *ret, size_t size, CUstream s)
{
	return allocate("cuMemAllocAsync", ret, size, NULL, s);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *ret, size_t size, CUmemoryPool p, CUstream s)
{
	return cu_pool_valid(p) ? allocate("cuMemAllocFromPoolAsync", ret, size, p, s)
				: CUDA_ERROR_INVALID_VALUE;
}

static void run_free(void *data)
{
	uint64_t address = *(const uint64_t *)data;
	struct mapping m;

	if (memory_find_mapping(address, &m) && !memory_free(address, MAPPING_ALLOC))
		cu_pool_freed(&m);
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream s)
{
	CUresult result = gpu_enter("cuMemFreeAsync", GPU_CALL_ASYNC);
	struct queue *q = cu_stream_queue(s);
	struct mapping m;
	uint64_t at = address;

	if (result || !address)
		return result;
	if (!q)
		return CUDA_ERROR_INVALID_HANDLE;
	if (capture_is_on(s))
		return capture_add(s, &(CUgraphNodeParams){ .type = CU_GRAPH_NODE_TYPE_MEM_FREE,
							    .free.dptr = address });
	if (graph_has_memory(address))
		return CUDA_SUCCESS;
	if (!memory_find_mapping(address, &m) || m.kind != MAPPING_ALLOC || m.address != address)
		return CUDA_ERROR_INVALID_VALUE;
	return queue_do(q, run_free, &at, sizeof(at));
}
