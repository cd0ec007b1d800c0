/* SPDX-License-Identifier: Apache-2.0 */
/* Driver API: a profiler that listens is asked to begin and to end. None does. */
#include "emulator/driver/api/cu-profiler.h"

CUresult cuProfilerStart(void)
{
	return gpu_enter("cuProfilerStart", GPU_CALL_ASYNC);
}

CUresult cuProfilerStop(void)
{
	return gpu_enter("cuProfilerStop", GPU_CALL_ASYNC);
}
