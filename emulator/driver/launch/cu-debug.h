/* SPDX-License-Identifier: Apache-2.0 */
/* The debugger of launches, if there is one (common/cuda/device-stop.h). */
#ifndef CGPU_EMULATOR_CU_DEBUG_H
#define CGPU_EMULATOR_CU_DEBUG_H

#include <stdbool.h>

struct check;
struct debugger;
struct device_debugger;
struct machine_launch;
struct ptx_function;

/* NULL: none. Async-signal-safe. */
void cu_debug_set(const struct device_debugger *d);

/* A launch of the kernel may stop: it is to run in the thread that asks for it, alone. */
bool cu_debug_wants(const struct ptx_function *kernel);

/*
 * Before machine_launch(), behind check_launch_begin(): the launch gets one host thread, and its
 * checks a debugger. NULL: memory is out, or the debugger is gone, and it stops nowhere.
 */
struct debugger *cu_debug_begin(struct machine_launch *l, struct check *c);
/* After it. */
void cu_debug_end(struct debugger *d);

#endif
