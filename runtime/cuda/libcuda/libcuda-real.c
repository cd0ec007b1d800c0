/* SPDX-License-Identifier: Apache-2.0 */
/* The context that was current in the driver is so again when our work behind a library's call is
 * done. */
#include "runtime/cuda/libcuda/libcuda-real.h"

#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/rollback/preimage.h"
#include "runtime/cuda/session/pinning.h"

struct libcuda libcuda = {
	.load_lock = PTHREAD_MUTEX_INITIALIZER,
	.told_old = ATOMIC_FLAG_INIT,
	.told_foreign = ATOMIC_FLAG_INIT,
	.told_reset = ATOMIC_FLAG_INIT,
};

CUresult libcuda_save(CUresult (*arguments)(void *data, bool *ret_known), void *data)
{
	CUcontext before = NULL;
	int ordinal = device_current();
	CUresult result = CUDA_SUCCESS;
	bool known = false;

	if (!device.session || preimage_all_saved())
		return CUDA_SUCCESS;
	device.driver->cuCtxGetCurrent(&before);
	device_lock();
	if (arguments)
		result = arguments(data, &known);
	for (int i = 0; i < device.count && !result; i++) {
		if (!device.contexts[i].handle)
			continue;
		result = device_switch(i);
		if (!result)
			result = known ? preimage_save_rest() : preimage_save_all();
	}
	device_switch(ordinal);
	device_unlock();
	device.driver->cuCtxSetCurrent(before);
	device_context_changed();
	return result;
}

CUresult libcuda_renew_pinning(void)
{
	CUcontext before = NULL;
	CUresult result;

	if (!device.session || pinning_is_complete())
		return CUDA_SUCCESS;
	device.driver->cuCtxGetCurrent(&before);
	result = device_enter();
	if (!result)
		result = pinning_renew();
	device.driver->cuCtxSetCurrent(before);
	device_context_changed();
	return result;
}

CUresult libcuda_device(int *ret)
{
	CUresult (*real)(CUdevice *) = libcuda.real[LIBCUDA_cuCtxGetDevice];

	return real(ret);
}

/* Drivers cut memory from pieces of 2 MiB; small requests share them. The emulated one gives pages.
 */
uint64_t libcuda_cost(uint64_t bytes)
{
	uint64_t unit = device.driver->extension ? 4096
			: bytes < 1024 * 1024    ? 512
						 : 2 * 1024 * 1024;

	return bytes > UINT64_MAX - unit ? UINT64_MAX : round_up_to(bytes, unit);
}
