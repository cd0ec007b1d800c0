/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How busy and how warm a real GPU is, by `nvidia-smi`, which asks NVML: a process of its own that
 * writes a line twice a second. The kernel process only reads its pipe, and never waits for it: a
 * driver that hangs is a figure that gets old.
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
	char line[256]; /* as much of it as has come */
	size_t len;
	uint64_t at_ms;            /* of the last figures, 0: there were none */
	int busy_percent, celsius; /* -1: not told */
};

/* program: "nvidia-smi", looked for in PATH. uuid: of the GPU. ERROR_NOT_FOUND: it cannot be
 * started. */
int gpu_meter_start(struct gpu_meter *m, struct loop *loop, const char *program,
		    const uint8_t uuid[GPU_METER_UUID_SIZE], struct error *err);
/* Its process is killed, and reaped with the others that have ended. Accepts one that is stopped,
 * and no zeroed struct. */
void gpu_meter_stop(struct gpu_meter *m);
/* Are there figures that are not too old? */
bool gpu_meter_is_known(const struct gpu_meter *m);
/* Does its process still write? */
bool gpu_meter_runs(const struct gpu_meter *m);

#define GPU_METER_INIT { .pidfd = -1, .fd = -1 }

#endif
