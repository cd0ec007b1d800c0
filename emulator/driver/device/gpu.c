/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the emulated GPUs, as far as every part of the driver may look at it. */
#include "emulator/driver/device/gpu.h"

#include <stdio.h>

struct gpu gpu = {
	.init_lock = PTHREAD_MUTEX_INITIALIZER,
	.fault_lock = PTHREAD_MUTEX_INITIALIZER,
	.print_lock = PTHREAD_MUTEX_INITIALIZER,
	.debugger = { .lock = PTHREAD_MUTEX_INITIALIZER },
};

bool gpu_is_dead(void)
{
	return gpu.pending || gpu.hung;
}

void gpu_print(bool to_stderr, const char *text, size_t len)
{
	pthread_mutex_lock(&gpu.print_lock);
	if (gpu.print)
		gpu.print(gpu.print_data, to_stderr, text, len);
	else
		fwrite(text, 1, len, to_stderr ? stderr : stdout);
	pthread_mutex_unlock(&gpu.print_lock);
}

void gpu_hang(void)
{
	gpu.hung = 1;
	if (gpu.stop)
		gpu_stop(1);
}

/* Async-signal-safe: stores only. */
void gpu_stop(int on)
{
	gpu.stop = on;
	gpu.halt = on || gpu.pending;
	if (on && gpu.hung) {
		gpu.pending = CUDA_ERROR_LAUNCH_TIMEOUT;
		gpu.hung = 0;
	}
}
