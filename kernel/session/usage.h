/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage_request, as the jupyter-resource-usage extension sends it: CPU and memory of the kernel
 * with all its children, memory of cells on the host and on an emulated device included, and of the
 * machine.
 */
#ifndef CGPU_KERNEL_SESSION_USAGE_H
#define CGPU_KERNEL_SESSION_USAGE_H

#include <stdint.h>

struct request;

/* The figures of the last request: percentages are averages over the time since then. */
struct usage {
	uint64_t at_ms;
	uint64_t cpu_ticks;
	uint64_t host_busy, host_total;
};

void usage_request(struct request *r);

#endif
