/* SPDX-License-Identifier: Apache-2.0 */
/* Driver API: error names and texts. Both work at any time, on a broken device too. */
#include "emulator/driver/device/gpu.h"

static const struct {
	CUresult code;
	const char *name;
	const char *text;
} errors[] = {
#define CU_ERROR(symbol, text) { symbol, #symbol, text },
#include "emulator/driver/api/cu-errors.def"
#undef CU_ERROR
};

CUresult cuGetErrorName(CUresult code, const char **ret)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (errors[i].code != code)
			continue;
		*ret = errors[i].name;
		return CUDA_SUCCESS;
	}
	*ret = NULL;
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult code, const char **ret)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (errors[i].code != code)
			continue;
		*ret = errors[i].text;
		return CUDA_SUCCESS;
	}
	*ret = NULL;
	return CUDA_ERROR_INVALID_VALUE;
}
