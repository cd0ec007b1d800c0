/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core dump that a real driver writes when device code faults, so that the report can name
 * thread and line: the driver itself tells a number only. CGPU_DEVICE_DUMP=on asks for it, before
 * the first context is made, without memory and without an end of the process, into a folder of
 * this worker's own; the kernel process removes that when the worker is gone.
 *
 * It is off otherwise, since with it NVIDIA's driver lies for a while (580.159 on an H200,
 * docs/gpu-results.md):
 *
 *	fault -> waits return success, also for what is queued behind it -> the dump is written ->
 *	calls return the error
 *
 * That took 0.08 s on an idle GPU, and up to 1.4 s where eleven processes used it. Nothing else
 * tells of the fault, so a cell that has used the device is committed only after five seconds in
 * which neither dump nor error came.
 */
#ifndef CGPU_RUNTIME_CUDA_REPORTS_DEVICE_DUMP_H
#define CGPU_RUNTIME_CUDA_REPORTS_DEVICE_DUMP_H

#include <stdbool.h>

#include "runtime/cuda/driver/driver.h"
#include "runtime/cuda/reports/core-dump.h"

/* After cuInit(). A driver that cannot, or a folder that cannot be made, is no error: then there
 * will be no dumps. */
void device_dump_ask(const struct cuda_driver *driver, const char *folder);

/*
 * No context could be made: is it worth trying without dumps? They are off then.
 */
bool device_dump_give_up(const struct cuda_driver *driver, CUresult why);

/*
 * The device has done all that it was told, and no error came: with dumps, wait until one would be
 * there, where the device was used since the last time. The error; CUDA_SUCCESS: there is none.
 */
CUresult device_dump_wait(void);

/*
 * Device code has faulted: what the dump says of it. Waits for a dump that is not complete. false:
 * there is none, or it says nothing. Once: the file is gone then.
 */
bool device_dump_take(struct core_dump *ret);

#endif
