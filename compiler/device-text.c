/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/device-text.h"

#include <string.h>

bool device_text_is_include(const char *rest, size_t len)
{
	static const char *const folders[] = { "cooperative_groups", "cub/", "cuda/", "thrust/", "nv/", "crt/" };
	static const char *const files[] = { "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "cuda_fp6.h", "cuda_fp4.h", "mma.h",
					     "curand_kernel.h", "cuda_pipeline.h", "cuda_awbarrier.h", "sm_", "device_atomic",
					     "math_constants.h" };

	if (len < 2)
		return false;
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (!strncmp(rest + 1, folders[i], strlen(folders[i])))
			return true;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (!strncmp(rest + 1, files[i], strlen(files[i])))
			return true;
	return false;
}
