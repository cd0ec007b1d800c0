/* SPDX-License-Identifier: Apache-2.0 */
/* The gate that every driver API function passes. */
#include "emulator/driver/device/gpu.h"

#include <time.h>

#include "common/cuda/cuda-fault.h"
#include "emulator/driver/device/context.h"
#include "emulator/driver/device/inject.h"
#include "emulator/driver/device/queue.h"

#define GPU_POLL_NS 200000

/* A hung launch keeps the device busy until somebody stops it. */
static void wait_hung(void)
{
	struct timespec pause = { 0, GPU_POLL_NS };

	while (gpu.hung)
		nanosleep(&pause, NULL);
}

CUresult gpu_enter(const char *name, enum gpu_call kind)
{
	int code = inject_lost() ? CUDA_ERROR_UNKNOWN : inject_take(name);

	if (code) {
		if (cuda_fault_kind(code) == CUDA_FAULT_STICKY) {
			gpu_break(code, "A fault was injected for a test");
			gpu.sticky = code;
		}
		return code;
	}
	if (queue_in_host_function())
		return CUDA_ERROR_NOT_PERMITTED;
	if (kind == GPU_CALL_FREE)
		return CUDA_SUCCESS;
	if (!gpu.initialised)
		return CUDA_ERROR_NOT_INITIALIZED;
	if (gpu.sticky)
		return gpu.sticky;
	if (kind == GPU_CALL_DEVICE)
		return CUDA_SUCCESS;
	if (!context_current())
		return CUDA_ERROR_INVALID_CONTEXT;
	if (kind == GPU_CALL_ASYNC)
		return CUDA_SUCCESS;
	if (kind == GPU_CALL_SYNC) {
		queue_wait_device(context_device());
		return gpu_deliver();
	}
	if (gpu.pending)
		gpu.sticky = gpu.pending;
	return gpu.sticky;
}

CUresult gpu_deliver(void)
{
	wait_hung();
	if (gpu.pending)
		gpu.sticky = gpu.pending;
	return gpu.sticky;
}
