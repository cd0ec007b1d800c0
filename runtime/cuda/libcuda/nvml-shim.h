/* SPDX-License-Identifier: Apache-2.0 */
/* libcgpu-nvml.so, which stands before NVML under its name, has a place for each function, which
 * the worker fills. */
#ifndef CGPU_RUNTIME_CUDA_LIBCUDA_NVML_SHIM_H
#define CGPU_RUNTIME_CUDA_LIBCUDA_NVML_SHIM_H

#define NVML_SHIM_VERSION 1
#define NVML_SHIM_SYMBOL "cgpu_nvml_shim"

/* Numbers of the functions. */
enum nvml_number {
#define NVML(name, kind) NVML_##name,
#include "runtime/cuda/libcuda/nvml.def"
	NVML_COUNT
};

/* nvmlReturn_t, as far as we return it ourselves. */
enum nvml_result {
	NVML_SUCCESS = 0,
	NVML_ERROR_UNINITIALIZED = 1,
	NVML_ERROR_INVALID_ARGUMENT = 2,
	NVML_ERROR_NOT_SUPPORTED = 3,
	NVML_ERROR_NOT_FOUND = 6,
	NVML_ERROR_INSUFFICIENT_SIZE = 7,
	NVML_ERROR_DRIVER_NOT_LOADED = 9,
	NVML_ERROR_FUNCTION_NOT_FOUND = 13,
	NVML_ERROR_ARGUMENT_VERSION_MISMATCH = 25,
	NVML_ERROR_UNKNOWN = 999,
};

struct nvml_hooks {
	/* 0: the call goes to *ret_target, and leave() follows; else what it returns at once. */
	int (*enter)(unsigned number, void **ret_target);
	void (*leave)(void);
	const char *(*error_text)(int result);
};

struct nvml_shim {
	unsigned version;
	const char *const *names;
	const struct nvml_hooks *hooks; /* NULL: this is no worker, and all calls fail */
};

#endif
