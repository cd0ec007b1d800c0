/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA runtime for cells in C: NVIDIA's own headers, as C has them. A cell that writes what
 * CUDA C++ allows and C does not is CUDA C++.
 */
#ifndef CGPU_CUDA_H
#define CGPU_CUDA_H

#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <driver_functions.h>
#include <library_types.h>

#include "cgpu-legacy.h"
#include "common/launch-glue.h"

/*
 * `constexpr int tile = 16;` is of C23, too. A cell of such constants alone is C, so that what
 * other cells have made with them follows when they are defined anew.
 */
#define constexpr const

/* To C they would be attributes that it does not know, and leaves out: a cell that has them is CUDA
 * C++. */
#undef __global__
#undef __device__
#undef __host__
#undef __constant__
#undef __shared__
#undef __managed__

#endif
