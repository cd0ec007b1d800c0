/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libcgpu-shim.so, which stands before the CUDA driver under its name, has for the worker: a
 * place for each function. A call goes to the hooks, to the function in its place, and to the hooks
 * again.
 */
#ifndef CGPU_RUNTIME_CUDA_LIBCUDA_LIBCUDA_SHIM_H
#define CGPU_RUNTIME_CUDA_LIBCUDA_LIBCUDA_SHIM_H

#define LIBCUDA_SHIM_VERSION 2
#define LIBCUDA_SHIM_SYMBOL "cgpu_libcuda_shim"

/* Numbers of the functions. */
enum libcuda_number {
#define LIBCUDA(name, kind, words, handles) LIBCUDA_##name,
#include "runtime/cuda/libcuda/libcuda.def"
#undef LIBCUDA
	LIBCUDA_COUNT
};

struct libcuda_hooks {
	/* 0: the call may go on, and leave() follows; else what it returns at once, a CUresult. */
	int (*enter)(unsigned number);
	void (*leave)(unsigned number);
	/*
	 * Between these two, for each handle among the arguments: one of the runtime API becomes
	 * the driver's. 0, or what the call returns without the driver.
	 */
	int (*stream)(long *argument);
	int (*event)(long *argument);
	int (*config)(long *argument); /* of a launch: becomes a copy, good for this call */
};

struct libcuda_shim {
	unsigned version;
	const char *const *names;
	void *const *functions;            /* what programs call */
	void **targets;                    /* what these call */
	const struct libcuda_hooks *hooks; /* NULL: there is no driver, and all calls fail */
};

#endif
