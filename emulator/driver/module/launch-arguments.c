/* SPDX-License-Identifier: Apache-2.0 */
/* A program gives arguments as pointers to each, or as bytes that are packed already. */
#include "emulator/driver/module/launch-arguments.h"

#include <string.h>

#include "emulator/driver/module/cu-module.h"

CUresult launch_arguments_pack(CUfunction f, void **params, void **extra, char *packed)
{
	const struct ptx_function *p = f->ptx;
	const void *buffer = NULL;
	size_t size = 0;

	if (params) {
		for (size_t i = 0; i < p->param_count; i++)
			memcpy(packed + p->params[i].offset, params[i], p->params[i].size);
		return CUDA_SUCCESS;
	}
	for (size_t i = 0; extra && extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
		if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
			buffer = extra[i + 1];
		else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
			size = *(const size_t *)extra[i + 1];
		else
			return CUDA_ERROR_INVALID_VALUE;
	}
	if (size < p->param_size || (p->param_size && !buffer))
		return CUDA_ERROR_INVALID_VALUE;
	if (p->param_size)
		memcpy(packed, buffer, p->param_size);
	return CUDA_SUCCESS;
}
