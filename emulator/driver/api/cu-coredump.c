/* SPDX-License-Identifier: Apache-2.0 */
/* Driver API, chapter Coredump Attributes Control. */
#include "emulator/driver/device/core-dump.h"

CUresult cuCoredumpGetAttribute(CUcoredumpSettings attribute, void *value, size_t *size)
{
	CUresult result = gpu_enter("cuCoredumpGetAttribute", GPU_CALL_ASYNC);

	return result ? result : core_dump_get(attribute, value, size);
}

CUresult cuCoredumpGetAttributeGlobal(CUcoredumpSettings attribute, void *value, size_t *size)
{
	CUresult result = gpu_enter("cuCoredumpGetAttributeGlobal", GPU_CALL_FREE);

	return result ? result : core_dump_get(attribute, value, size);
}

CUresult cuCoredumpSetAttribute(CUcoredumpSettings attribute, void *value, size_t *size)
{
	CUresult result = gpu_enter("cuCoredumpSetAttribute", GPU_CALL_ASYNC);

	if (result)
		return result;
	/* There is one pipe for all contexts. */
	if (attribute == CU_COREDUMP_PIPE || attribute == CU_COREDUMP_ENABLE_USER_TRIGGER)
		return CUDA_ERROR_NOT_PERMITTED;
	return core_dump_set(attribute, value, size);
}

CUresult cuCoredumpSetAttributeGlobal(CUcoredumpSettings attribute, void *value, size_t *size)
{
	CUresult result = gpu_enter("cuCoredumpSetAttributeGlobal", GPU_CALL_FREE);

	return result ? result : core_dump_set(attribute, value, size);
}
