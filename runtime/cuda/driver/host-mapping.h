/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings of this process, as Linux tells them. Not for signal handlers. */
#ifndef CGPU_RUNTIME_CUDA_DRIVER_HOST_MAPPING_H
#define CGPU_RUNTIME_CUDA_DRIVER_HOST_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

struct host_mapping {
	uint64_t start, end;
	bool shared, readable, writable;
	char path[512]; /* "" for anonymous memory */
};

/* The first mapping in [start, end); false: there is none. */
bool host_mapping_find(uint64_t start, uint64_t end, struct host_mapping *ret);

#endif
