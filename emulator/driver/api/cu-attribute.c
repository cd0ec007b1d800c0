/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API: attributes of streams and contexts which change nothing on the emulated device and
 * are answered as a device would that has them at their defaults; events of whole contexts.
 */
#include "emulator/driver/device/context.h"
#include "emulator/driver/stream/cu-stream.h"

/* ---- streams ---- */

CUresult cuStreamGetDevice(CUstream s, CUdevice *ret)
{
	CUresult result = cu_stream_ask("cuStreamGetDevice", s, ret);

	if (!result)
		*ret = cu_stream_is_default(s) ? context_device() : s->queue->device;
	return result;
}

CUresult cuStreamGetAttribute(CUstream s, CUstreamAttrID attribute, CUstreamAttrValue *ret)
{
	CUresult result = cu_stream_ask("cuStreamGetAttribute", s, ret);

	if (result)
		return result;
	*ret = (CUstreamAttrValue){ 0 };
	if (attribute == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY)
		ret->syncPolicy = CU_SYNC_POLICY_AUTO;
	return CUDA_SUCCESS;
}

CUresult cuStreamSetAttribute(CUstream s, CUstreamAttrID attribute, const CUstreamAttrValue *value)
{
	(void)attribute;
	return cu_stream_ask("cuStreamSetAttribute", s, value);
}

CUresult cuStreamCopyAttributes(CUstream dst, CUstream src)
{
	CUresult result = cu_stream_ask("cuStreamCopyAttributes", dst, dst);

	return result ? result : cu_stream_ask("cuStreamCopyAttributes", src, src);
}

CUresult cuStreamAttachMemAsync(CUstream s, CUdeviceptr address, size_t size, unsigned int flags)
{
	(void)size;
	if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST &&
	    flags != CU_MEM_ATTACH_SINGLE)
		return CUDA_ERROR_INVALID_VALUE;
	return cu_stream_ask("cuStreamAttachMemAsync", s, (const void *)(uintptr_t)address);
}

/* ---- contexts ---- */

/* A call on a context, NULL for the current one, made with it as the current one. */
static CUresult enter_context(const char *call, CUcontext c)
{
	CUresult result = gpu_enter(call, GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!c)
		c = context_current();
	return context_valid(c) ? cuCtxPushCurrent(c) : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult leave_context(CUresult result)
{
	CUcontext before;

	cuCtxPopCurrent(&before);
	return result;
}

CUresult cuCtxSynchronize_v2(CUcontext c)
{
	CUresult result = enter_context("cuCtxSynchronize", c);

	return result ? result : leave_context(cuCtxSynchronize());
}

CUresult cuCtxGetDevice_v2(CUdevice *ret, CUcontext c)
{
	CUresult result = enter_context("cuCtxGetDevice", c);

	return result ? result : leave_context(cuCtxGetDevice(ret));
}

/* The legacy stream is behind all blocking streams of the device. */
CUresult cuCtxRecordEvent(CUcontext c, CUevent e)
{
	CUresult result = enter_context("cuCtxRecordEvent", c);

	return result ? result : leave_context(cuEventRecord(e, CU_STREAM_LEGACY));
}

CUresult cuCtxWaitEvent(CUcontext c, CUevent e)
{
	CUresult result = enter_context("cuCtxWaitEvent", c);

	return result ? result : leave_context(cuStreamWaitEvent(CU_STREAM_LEGACY, e, 0));
}

CUresult cuCtxGetId(CUcontext c, unsigned long long *ret)
{
	CUresult result = gpu_enter("cuCtxGetId", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!c)
		c = context_current();
	if (!context_valid(c) || !ret)
		return ret ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
	*ret = (uintptr_t)c;
	return CUDA_SUCCESS;
}

CUresult cuCtxResetPersistingL2Cache(void)
{
	return gpu_enter("cuCtxResetPersistingL2Cache", GPU_CALL_ASYNC);
}

CUresult cuDeviceGetExecAffinitySupport(int *ret, CUexecAffinityType type, CUdevice device)
{
	CUresult result = gpu_enter("cuDeviceGetExecAffinitySupport", GPU_CALL_DEVICE);

	(void)type;
	if (result)
		return result;
	if (!ret || !gpu_has(device))
		return ret ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	*ret = 0;
	return CUDA_SUCCESS;
}

CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target,
				    CUflushGPUDirectRDMAWritesScope scope)
{
	(void)target;
	(void)scope;
	return gpu_enter("cuFlushGPUDirectRDMAWrites", GPU_CALL_ASYNC);
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *ret)
{
	CUresult result = gpu_enter("cuModuleGetLoadingMode", GPU_CALL_DEVICE);

	if (!result && ret)
		*ret = CU_MODULE_LAZY_LOADING;
	return result || ret ? result : CUDA_ERROR_INVALID_VALUE;
}
