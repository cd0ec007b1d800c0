/* SPDX-License-Identifier: Apache-2.0 */
/* Modules and functions behind the driver's handles. */
#ifndef CGPU_EMULATOR_CU_MODULE_H
#define CGPU_EMULATOR_CU_MODULE_H

#include "emulator/driver/device/gpu.h"
#include "emulator/ptx/ptx-module.h"

struct buffer;
struct error;

struct CUfunc_st {
	struct CUfunc_st *next; /* of the same module */
	struct ptx_function *ptx;
	CUmodule module;
	int max_dynamic_shared; /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
	int carveout;
	struct {
		unsigned block[3], shared;
		char *params;
		size_t size;
	} older; /* what the next launch of cu-older-launch.c has */
};

struct CUmod_st {
	uint64_t magic;
	struct ptx_module *ptx;
	struct CUfunc_st *functions; /* that were asked for */
	int device;                  /* where its variables are, and its functions run */
	bool library; /* belongs to no context: other devices load it when they need it */
	char *text;   /* for that; NULL where there is one device */
	struct CUmod_st *twins[GPU_DEVICES_MAX];
};

bool cu_function_valid(CUfunction f);
/* The function, or the module, on the current device: of a library its twin there; NULL when it has
 * none. */
CUfunction cu_function_here(CUfunction f);
CUmodule cu_module_here(CUmodule m);
bool cu_module_valid(CUmodule m);

/*
 * The functions of modules and of libraries are made of these, without the gate of gpu_enter().
 * An image is PTX text or a fat binary; n JIT options say where messages go.
 */
CUresult cu_module_load(CUmodule *ret, const void *image, unsigned n, CUjit_option *options,
			void **values);
CUresult cu_module_read_file(const char *path, struct buffer *ret);
CUresult cu_module_load_file(CUmodule *ret, const char *path, unsigned n, CUjit_option *options,
			     void **values);
CUresult cu_module_function(CUfunction *ret, CUmodule m, const char *name);
/* The first n kernels of the module, and how many it has (ret_count can be NULL). */
CUresult cu_module_functions(CUfunction *ret, unsigned n, unsigned *ret_count, CUmodule m);

/* ELF and fat binaries start with a byte that no PTX text starts with. */
bool cu_module_is_text(const char *image);
/* Into the caller's buffer for messages, when there is one among the JIT options. */
void cu_module_log(const struct error *err, unsigned n, CUjit_option *options, void **values);

#endif
