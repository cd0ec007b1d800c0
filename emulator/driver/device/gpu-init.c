/* SPDX-License-Identifier: Apache-2.0 */
/* Number, memory and capability of the emulated GPUs, which environment variables say once for the
 * process. */
#include "emulator/driver/device/gpu.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/memory/address-map.h"
#include "emulator/driver/device/inject.h"
#include "emulator/driver/device/memory.h"
#include "emulator/ptx/machine-limits.h"

#define GPU_MEMORY_DEFAULT (4 * GIB)
#define GPU_MEMORY_MIN (16 * MIB)

static const struct gpu_limits default_limits = {
	.stack = MACHINE_STACK_DEFAULT,
	.printf_fifo = 1024 * 1024,
	.malloc_heap = 8 * 1024 * 1024,
	.sync_depth = 2,
	.pending_launches = 2048,
	.l2_fetch = 64,
};

/* "512M", "4G", "1000000"; 0 when it is no size. */
static uint64_t parse_size(const char *text)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10);

	switch (*end) {
	case 'G':
	case 'g':
		value *= 1024;
		/* fallthrough */
	case 'M':
	case 'm':
		value *= 1024;
		/* fallthrough */
	case 'K':
	case 'k':
		value *= 1024;
	}
	return value;
}

static int device_count(void)
{
	const char *text = getenv("CGPU_EMULATED_DEVICES");
	long n = text ? strtol(text, NULL, 10) : 1;

	return n < 1 ? 1 : n > GPU_DEVICES_MAX ? GPU_DEVICES_MAX : (int)n;
}

/* The compute capability that programs are told, by which they choose among their ways. Device code
 * of any target runs. */
static int capability(void)
{
	static const struct {
		const char *text;
		int value;
	} known[] = { { "7.5", 75 }, { "8.0", 80 }, { "8.6", 86 }, { "8.9", 89 }, { "9.0", 90 } };
	const char *text = getenv("CGPU_EMULATED_CAPABILITY");

	for (size_t i = 0; text && i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(text, known[i].text))
			return known[i].value;
	return known[0].value;
}

/* The memory of each device: together the devices have no more than half of what the machine has,
 * unless somebody has said so. */
static uint64_t memory_size(void)
{
	const char *text = getenv("CGPU_EMULATED_MEMORY");
	uint64_t size = text ? parse_size(text) : 0;
	uint64_t host = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	if (!size)
		size = host / 2 / (uint64_t)gpu.devices < GPU_MEMORY_DEFAULT
			       ? host / 2 / (uint64_t)gpu.devices
			       : GPU_MEMORY_DEFAULT;
	if (size < GPU_MEMORY_MIN)
		size = GPU_MEMORY_MIN;
	return size / GPU_GRANULARITY * GPU_GRANULARITY;
}

static bool has_hmm(void)
{
	const char *text = getenv("CGPU_EMULATED_HMM");

	return text && !strcmp(text, "1");
}

CUresult gpu_init(void)
{
	CUresult result = CUDA_SUCCESS;

	pthread_mutex_lock(&gpu.init_lock);
	if (!gpu.initialised) {
		inject_slow(INJECT_INIT);
		gpu.devices = device_count();
		gpu.memory = memory_size();
		gpu.capability = capability();
		gpu.has_hmm = has_hmm();
		for (int i = 0; i < gpu.devices; i++)
			gpu.device[i].limits = default_limits;
		result = memory_init();
		gpu.initialised = result == CUDA_SUCCESS;
	}
	pthread_mutex_unlock(&gpu.init_lock);
	return result;
}
