/* SPDX-License-Identifier: Apache-2.0 */
/* Driver API: what programs of earlier toolkits call, in terms of the functions of this one. */
#include "emulator/driver/api/cu-older.h"

CUresult cu_older_get_proc_address(const char *name, void **ret, int version, cuuint64_t flags)
{
	return cuGetProcAddress(name, ret, version, flags, NULL);
}

CUresult cu_older_ctx_create_v2(CUcontext *ret, unsigned flags, CUdevice device)
{
	return cuCtxCreate(ret, NULL, flags, device);
}

CUresult cu_older_ctx_create_v3(CUcontext *ret, CUexecAffinityParam *affinity, int affinities,
				unsigned flags, CUdevice device)
{
	(void)affinity;
	return affinities ? CUDA_ERROR_NOT_SUPPORTED : cuCtxCreate(ret, NULL, flags, device);
}

CUresult cu_older_device_capability(int *ret_major, int *ret_minor, CUdevice device)
{
	CUresult result = gpu_enter("cuDeviceComputeCapability", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret_major || !ret_minor || !gpu_has(device))
		return gpu_has(device) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE;
	*ret_major = gpu.capability / 10;
	*ret_minor = gpu.capability % 10;
	return CUDA_SUCCESS;
}

/* The host is -1. */
static CUmemLocation place_of(CUdevice device)
{
	return (CUmemLocation){ .type = device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST
								: CU_MEM_LOCATION_TYPE_DEVICE,
				.id = device == CU_DEVICE_CPU ? 0 : device };
}

static const CUDA_KERNEL_NODE_PARAMS *widen(CUDA_KERNEL_NODE_PARAMS *ret,
					    const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
	if (!p)
		return NULL;
	*ret = (CUDA_KERNEL_NODE_PARAMS){
		p->func,         p->gridDimX,  p->gridDimY,  p->gridDimZ,
		p->blockDimX,    p->blockDimY, p->blockDimZ, p->sharedMemBytes,
		p->kernelParams, p->extra,     NULL,         NULL
	};
	return ret;
}

CUresult cu_older_event_elapsed(float *ret_ms, CUevent start, CUevent end)
{
	return cuEventElapsedTime(ret_ms, start, end);
}

CUresult cu_older_advise(CUdeviceptr address, size_t size, CUmem_advise advice, CUdevice device)
{
	return cuMemAdvise(address, size, advice, place_of(device));
}

CUresult cu_older_prefetch(CUdeviceptr address, size_t size, CUdevice device, CUstream s)
{
	return cuMemPrefetchAsync(address, size, place_of(device), 0, s);
}

CUresult cu_older_begin_capture(CUstream s)
{
	return cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult cu_older_capture_info(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id)
{
	return cuStreamGetCaptureInfo(s, status, id, NULL, NULL, NULL, NULL);
}

CUresult cu_older_capture_info_v2(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id,
				  CUgraph *graph, const CUgraphNode **deps, size_t *n)
{
	return cuStreamGetCaptureInfo(s, status, id, graph, deps, NULL, n);
}

CUresult cu_older_update_capture(CUstream s, CUgraphNode *deps, size_t n, unsigned flags)
{
	return cuStreamUpdateCaptureDependencies(s, deps, NULL, n, flags);
}

CUresult cu_older_add_dependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
				   size_t n)
{
	return cuGraphAddDependencies(g, from, to, NULL, n);
}

CUresult cu_older_remove_dependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
				      size_t n)
{
	return cuGraphRemoveDependencies(g, from, to, NULL, n);
}

CUresult cu_older_edges(CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *n)
{
	return cuGraphGetEdges(g, from, to, NULL, n);
}

CUresult cu_older_dependencies(CUgraphNode node, CUgraphNode *deps, size_t *n)
{
	return cuGraphNodeGetDependencies(node, deps, NULL, n);
}

CUresult cu_older_dependents(CUgraphNode node, CUgraphNode *nodes, size_t *n)
{
	return cuGraphNodeGetDependentNodes(node, nodes, NULL, n);
}

CUresult cu_older_add_node(CUgraphNode *ret, CUgraph g, const CUgraphNode *deps, size_t n,
			   CUgraphNodeParams *params)
{
	return cuGraphAddNode(ret, g, deps, NULL, n, params);
}

CUresult cu_older_instantiate(CUgraphExec *ret, CUgraph g, CUgraphNode *bad, char *text,
			      size_t size)
{
	if (bad)
		*bad = NULL;
	if (text && size)
		text[0] = '\0';
	return cuGraphInstantiate(ret, g, 0);
}

CUresult cu_older_instantiate_v2(CUgraphExec *ret, CUgraph g, CUgraphNode *bad, char *text,
				 size_t size)
{
	return cu_older_instantiate(ret, g, bad, text, size);
}

CUresult cu_older_exec_update(CUgraphExec e, CUgraph g, CUgraphNode *bad,
			      CUgraphExecUpdateResult *ret)
{
	CUgraphExecUpdateResultInfo info = { 0 };
	CUresult result = cuGraphExecUpdate(e, g, &info);

	if (bad)
		*bad = info.errorNode;
	if (ret)
		*ret = info.result;
	return result;
}

CUresult cu_older_add_kernel(CUgraphNode *ret, CUgraph g, const CUgraphNode *deps, size_t n,
			     const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
	CUDA_KERNEL_NODE_PARAMS wide;

	return cuGraphAddKernelNode(ret, g, deps, n, widen(&wide, p));
}

CUresult cu_older_set_kernel(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
	CUDA_KERNEL_NODE_PARAMS wide;

	return cuGraphKernelNodeSetParams(node, widen(&wide, p));
}

CUresult cu_older_exec_set_kernel(CUgraphExec e, CUgraphNode node,
				  const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
	CUDA_KERNEL_NODE_PARAMS wide;

	return cuGraphExecKernelNodeSetParams(e, node, widen(&wide, p));
}

CUresult cu_older_get_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *ret)
{
	CUDA_KERNEL_NODE_PARAMS wide;
	CUresult result = ret ? cuGraphKernelNodeGetParams(node, &wide) : CUDA_ERROR_INVALID_VALUE;

	if (!result)
		*ret = (CUDA_KERNEL_NODE_PARAMS_v1){ wide.func,         wide.gridDimX,
						     wide.gridDimY,     wide.gridDimZ,
						     wide.blockDimX,    wide.blockDimY,
						     wide.blockDimZ,    wide.sharedMemBytes,
						     wide.kernelParams, wide.extra };
	return result;
}

CUresult cu_older_wait_value_32(CUstream s, CUdeviceptr address, cuuint32_t value, unsigned flags)
{
	return cuStreamWaitValue32(s, address, value, flags);
}

CUresult cu_older_write_value_32(CUstream s, CUdeviceptr address, cuuint32_t value, unsigned flags)
{
	return cuStreamWriteValue32(s, address, value, flags);
}

CUresult cu_older_wait_value_64(CUstream s, CUdeviceptr address, cuuint64_t value, unsigned flags)
{
	return cuStreamWaitValue64(s, address, value, flags);
}

CUresult cu_older_write_value_64(CUstream s, CUdeviceptr address, cuuint64_t value, unsigned flags)
{
	return cuStreamWriteValue64(s, address, value, flags);
}

CUresult cu_older_batch(CUstream s, unsigned n, CUstreamBatchMemOpParams *params, unsigned flags)
{
	return cuStreamBatchMemOp(s, n, params, flags);
}

CUresult cu_older_copy_batch(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
			     CUmemcpyAttributes *attributes, size_t *indices, size_t n,
			     size_t *ret_failed, CUstream s)
{
	CUresult result = cuMemcpyBatchAsync(dsts, srcs, sizes, count, attributes, indices, n, s);

	if (result && ret_failed)
		*ret_failed = SIZE_MAX;
	return result;
}

/* Banks of shared memory have one width. */
CUresult cu_older_ctx_banks(CUsharedconfig *ret)
{
	CUresult result = gpu_enter("cuCtxGetSharedMemConfig", GPU_CALL_ASYNC);

	if (!result && ret)
		*ret = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
	return result || ret ? result : CUDA_ERROR_INVALID_VALUE;
}

CUresult cu_older_ctx_set_banks(CUsharedconfig config)
{
	(void)config;
	return gpu_enter("cuCtxSetSharedMemConfig", GPU_CALL_ASYNC);
}

CUresult cu_older_function_set_banks(CUfunction f, CUsharedconfig config)
{
	(void)f;
	(void)config;
	return gpu_enter("cuFuncSetSharedMemConfig", GPU_CALL_ASYNC);
}
