/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From PTX to a module of the driver. Device code that launches kernels calls functions of CUDA's
 * device runtime. NVIDIA's drivers do not have them, so such a text is linked with libcudadevrt.a
 * of the toolkit or of pip's wheels; where that is not installed, it is loaded as it is, which is
 * enough for a driver that has them, as the emulated one.
 */
#ifndef CGPU_RUNTIME_CUDA_CODE_DEVICE_MODULE_H
#define CGPU_RUNTIME_CUDA_CODE_DEVICE_MODULE_H

#include <cuda.h>

struct error;

/*
 * On the thread's device. When the driver refuses, ERROR_COMPILE says why and what to do;
 * ERROR_NOT_FOUND: the driver of a GPU, since the code calls a function that it does not define,
 * and that neither the driver nor the device runtime has.
 */
CUresult device_module_load(const char *ptx, CUmodule *ret, struct error *err);

#endif
