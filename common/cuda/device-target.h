/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What clang makes of the device code of cells: PTX for the compute capability of the device, which
 * is the number of its target (75 for sm_75), within these limits. nvcc makes that of %%cuda cells,
 * of the PTX version of its own release, and knows no other limit than the oldest.
 */
#ifndef CGPU_COMMON_CUDA_DEVICE_TARGET_H
#define CGPU_COMMON_CUDA_DEVICE_TARGET_H

/* The oldest that CUDA 13 knows. */
#define DEVICE_TARGET_OLDEST 75
/* The newest that clang 19 knows; later GPUs run it as well. */
#define DEVICE_TARGET_CLANG_NEWEST 90
/* The version of PTX, 78 for 7.8: a newer one would exclude older drivers. This one is of
 * CUDA 11.8, by "Release History" of the PTX ISA. */
#define DEVICE_TARGET_CLANG_PTX 78
#define DEVICE_TARGET_CLANG_CUDA 11080

#endif
