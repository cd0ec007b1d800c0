/* SPDX-License-Identifier: Apache-2.0 */
/* Modules and functions behind the driver's handles. */
#ifndef CGPU_EMULATOR_CU_MODULE_H
#define CGPU_EMULATOR_CU_MODULE_H

#include "emulator/driver/gpu.h"
#include "emulator/ptx/ptx-module.h"

struct CUfunc_st {
	struct CUfunc_st *next; /* of the same module */
	struct ptx_function *ptx;
	CUmodule module;
	int max_dynamic_shared; /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
	int carveout;
};

struct CUmod_st {
	uint64_t magic;
	struct ptx_module *ptx;
	struct CUfunc_st *functions; /* that were asked for */
};

bool cu_function_valid(CUfunction f);

#endif
