/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API: functions whose parameters <cuda.h> has changed or that it calls deprecated, as
 * programs of earlier toolkits call them. Each is exported by the symbol that it had; the names
 * here are ours, since <cuda.h> gives the old ones to new functions.
 */
#ifndef CGPU_EMULATOR_CU_OLDER_H
#define CGPU_EMULATOR_CU_OLDER_H

#include "emulator/driver/device/gpu.h"

#define CU_OLDER(symbol) __asm__(symbol) __attribute__((visibility("default")))

CUresult cu_older_get_proc_address(const char *name, void **ret, int version, cuuint64_t flags)
	CU_OLDER("cuGetProcAddress");
CUresult cu_older_ctx_create_v2(CUcontext *ret, unsigned flags, CUdevice device)
	CU_OLDER("cuCtxCreate_v2");
CUresult cu_older_ctx_create_v3(CUcontext *ret, CUexecAffinityParam *affinity, int affinities,
				unsigned flags, CUdevice device) CU_OLDER("cuCtxCreate_v3");
CUresult cu_older_device_capability(int *ret_major, int *ret_minor, CUdevice device)
	CU_OLDER("cuDeviceComputeCapability");
CUresult cu_older_event_elapsed(float *ret_ms, CUevent start, CUevent end)
	CU_OLDER("cuEventElapsedTime");
CUresult cu_older_advise(CUdeviceptr address, size_t size, CUmem_advise advice, CUdevice device)
	CU_OLDER("cuMemAdvise");
CUresult cu_older_prefetch(CUdeviceptr address, size_t size, CUdevice device, CUstream s)
	CU_OLDER("cuMemPrefetchAsync");
CUresult cu_older_begin_capture(CUstream s) CU_OLDER("cuStreamBeginCapture");
CUresult cu_older_capture_info(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id)
	CU_OLDER("cuStreamGetCaptureInfo");
CUresult cu_older_capture_info_v2(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id,
				  CUgraph *graph, const CUgraphNode **deps, size_t *n)
	CU_OLDER("cuStreamGetCaptureInfo_v2");
CUresult cu_older_update_capture(CUstream s, CUgraphNode *deps, size_t n, unsigned flags)
	CU_OLDER("cuStreamUpdateCaptureDependencies");
CUresult cu_older_add_dependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
				   size_t n) CU_OLDER("cuGraphAddDependencies");
CUresult cu_older_remove_dependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
				      size_t n) CU_OLDER("cuGraphRemoveDependencies");
CUresult cu_older_edges(CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *n)
	CU_OLDER("cuGraphGetEdges");
CUresult cu_older_dependencies(CUgraphNode node, CUgraphNode *deps, size_t *n)
	CU_OLDER("cuGraphNodeGetDependencies");
CUresult cu_older_dependents(CUgraphNode node, CUgraphNode *nodes, size_t *n)
	CU_OLDER("cuGraphNodeGetDependentNodes");
CUresult cu_older_add_node(CUgraphNode *ret, CUgraph g, const CUgraphNode *deps, size_t n,
			   CUgraphNodeParams *params) CU_OLDER("cuGraphAddNode");
CUresult cu_older_instantiate(CUgraphExec *ret, CUgraph g, CUgraphNode *bad, char *text,
			      size_t size) CU_OLDER("cuGraphInstantiate");
CUresult cu_older_instantiate_v2(CUgraphExec *ret, CUgraph g, CUgraphNode *bad, char *text,
				 size_t size) CU_OLDER("cuGraphInstantiate_v2");
CUresult cu_older_exec_update(CUgraphExec e, CUgraph g, CUgraphNode *bad,
			      CUgraphExecUpdateResult *ret) CU_OLDER("cuGraphExecUpdate");
CUresult cu_older_add_kernel(CUgraphNode *ret, CUgraph g, const CUgraphNode *deps, size_t n,
			     const CUDA_KERNEL_NODE_PARAMS_v1 *p) CU_OLDER("cuGraphAddKernelNode");
CUresult cu_older_set_kernel(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *p)
	CU_OLDER("cuGraphKernelNodeSetParams");
CUresult cu_older_exec_set_kernel(CUgraphExec e, CUgraphNode node,
				  const CUDA_KERNEL_NODE_PARAMS_v1 *p)
	CU_OLDER("cuGraphExecKernelNodeSetParams");
CUresult cu_older_get_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *ret)
	CU_OLDER("cuGraphKernelNodeGetParams");
CUresult cu_older_wait_value_32(CUstream s, CUdeviceptr address, cuuint32_t value, unsigned flags)
	CU_OLDER("cuStreamWaitValue32");
CUresult cu_older_write_value_32(CUstream s, CUdeviceptr address, cuuint32_t value, unsigned flags)
	CU_OLDER("cuStreamWriteValue32");
CUresult cu_older_wait_value_64(CUstream s, CUdeviceptr address, cuuint64_t value, unsigned flags)
	CU_OLDER("cuStreamWaitValue64");
CUresult cu_older_write_value_64(CUstream s, CUdeviceptr address, cuuint64_t value, unsigned flags)
	CU_OLDER("cuStreamWriteValue64");
CUresult cu_older_copy_batch(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
			     CUmemcpyAttributes *attributes, size_t *indices, size_t n,
			     size_t *ret_failed, CUstream s) CU_OLDER("cuMemcpyBatchAsync");
CUresult cu_older_batch(CUstream s, unsigned n, CUstreamBatchMemOpParams *params, unsigned flags)
	CU_OLDER("cuStreamBatchMemOp");
CUresult cu_older_ctx_banks(CUsharedconfig *ret) CU_OLDER("cuCtxGetSharedMemConfig");
CUresult cu_older_ctx_set_banks(CUsharedconfig config) CU_OLDER("cuCtxSetSharedMemConfig");
CUresult cu_older_function_set_banks(CUfunction f, CUsharedconfig config)
	CU_OLDER("cuFuncSetSharedMemConfig");

/* Launches: cu-older-launch.c. */
CUresult cu_older_set_block(CUfunction f, int x, int y, int z) CU_OLDER("cuFuncSetBlockShape");
CUresult cu_older_set_shared(CUfunction f, unsigned bytes) CU_OLDER("cuFuncSetSharedSize");
CUresult cu_older_set_size(CUfunction f, unsigned size) CU_OLDER("cuParamSetSize");
CUresult cu_older_set_bytes(CUfunction f, int offset, void *bytes, unsigned n)
	CU_OLDER("cuParamSetv");
CUresult cu_older_set_int(CUfunction f, int offset, unsigned value) CU_OLDER("cuParamSeti");
CUresult cu_older_set_float(CUfunction f, int offset, float value) CU_OLDER("cuParamSetf");
CUresult cu_older_launch_in(CUfunction f, int width, int height, CUstream s)
	CU_OLDER("cuLaunchGridAsync");
CUresult cu_older_launch_grid(CUfunction f, int width, int height) CU_OLDER("cuLaunchGrid");
CUresult cu_older_launch(CUfunction f) CU_OLDER("cuLaunch");
CUresult cu_older_detach(CUcontext c) CU_OLDER("cuCtxDetach");

#endif
