/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures load and temperature of a real GPU with `nvidia-smi`, which asks NVML: a separate
 * process writes a line twice a second. The kernel process only reads its pipe and never waits for
 * it: when the driver hangs, the figures get old.
 */
#ifndef CGPU_KERNEL_SHOW_GPU_METER_H
#define CGPU_KERNEL_SHOW_GPU_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct loop;
struct loop_source;

#define GPU_METER_UUID_SIZE 16

struct gpu_meter {
	struct loop *loop;
	int pidfd; /* of its process, -1: none */
	int fd;    /* its standard output, -1: it has ended */
	struct loop_source *source;
	char line[256]; /* the current line, as far as it has come */
	size_t len;
	uint64_t at_ms;            /* of the last figures; 0: none yet */
	int busy_percent, celsius; /* -1: not reported */
};

/* Starts the process. program: "nvidia-smi", looked for in PATH. uuid: of the GPU. ERROR_NOT_FOUND:
 * it cannot be started. */
int gpu_meter_start(struct gpu_meter *m, struct loop *loop, const char *program,
		    const uint8_t uuid[GPU_METER_UUID_SIZE], struct error *err);
/* Kills the process, which is reaped with others that have ended. A stopped meter is accepted, a
 * zeroed struct is not. */
void gpu_meter_stop(struct gpu_meter *m);
/* Tells whether there are figures that are not too old. */
bool gpu_meter_is_known(const struct gpu_meter *m);
/* Tells whether the process still writes. */
bool gpu_meter_runs(const struct gpu_meter *m);

#define GPU_METER_INIT { .pidfd = -1, .fd = -1 }

#endif
