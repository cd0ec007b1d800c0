/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core dump that a real driver writes when device code faults, so that the report can name
 * thread and line: the driver itself tells a number only. It is asked for before the first context
 * is made, without memory and without an end of the process, into a folder of this worker's own;
 * the kernel process removes that when the worker is gone.
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
 * Device code has faulted: what the dump says of it. Waits for a dump that is not complete. false:
 * there is none, or it says nothing. Once: the file is gone then.
 */
bool device_dump_take(struct core_dump *ret);

#endif
