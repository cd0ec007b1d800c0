/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcgpu-nvml.so: the library that is called libnvidia-ml.so.1 where cells run. As libcgpu-shim.so
 * it only passes arguments on, as words: six of them travel in registers, and nobody looks at those
 * behind the last one.
 */
#include <stddef.h>

#include "runtime/cuda/libcuda/nvml-shim.h"

#define PUBLIC __attribute__((visibility("default")))

typedef long word;
typedef int target_fn(word a, word b, word c, word d, word e, word f);

PUBLIC extern struct nvml_shim cgpu_nvml_shim;

static int call(unsigned number, word a, word b, word c, word d, word e, word f)
{
	const struct nvml_hooks *hooks = cgpu_nvml_shim.hooks;
	void *target;
	int result = hooks ? hooks->enter(number, &target) : NVML_ERROR_DRIVER_NOT_LOADED;

	if (result)
		return result;
	result = ((target_fn *)target)(a, b, c, d, e, f);
	hooks->leave();
	return result;
}

#define NVML(name, kind)                                                                           \
	PUBLIC target_fn name;                                                                     \
	int name(word a, word b, word c, word d, word e, word f)                                   \
	{                                                                                          \
		return call(NVML_##name, a, b, c, d, e, f);                                        \
	}
#include "runtime/cuda/libcuda/nvml.def"

PUBLIC const char *nvmlErrorString(int result);
const char *nvmlErrorString(int result)
{
	return cgpu_nvml_shim.hooks ? cgpu_nvml_shim.hooks->error_text(result)
				    : "Driver not loaded";
}

static const char *const names[] = {
#define NVML(name, kind) #name,
#include "runtime/cuda/libcuda/nvml.def"
};

struct nvml_shim cgpu_nvml_shim = {
	.version = NVML_SHIM_VERSION,
	.names = names,
};
