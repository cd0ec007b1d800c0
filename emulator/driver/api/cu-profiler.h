/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of <cudaProfiler.h>, which has a package of its own and may not be there. */
#ifndef CGPU_EMULATOR_CU_PROFILER_H
#define CGPU_EMULATOR_CU_PROFILER_H

#include "emulator/driver/device/gpu.h"

#pragma GCC visibility push(default)
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);
#pragma GCC visibility pop

#endif
