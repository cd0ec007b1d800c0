/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a process is a client of MPS is decided in cuInit(): the driver looks for the pipe of the
 * control daemon, and goes on without MPS when there is none (nvidia-cuda-mps-control(1)). So who
 * is to be no client is shown another folder before that.
 *
 * MPS lets programs use the device at the same time, for the price that a fault of one ends what
 * all of them do there. For cells that price is too high, and several processes share the device
 * without MPS, too, unless it is in exclusive mode: then the MPS server has the only context. The
 * compute mode is asked of NVML, which needs no cuInit().
 */
#include "runtime/cuda/driver/device-traits.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/protocol/worker-protocol.h"
#include "runtime/cuda/driver/device-state.h"

#define PIPES "CUDA_MPS_PIPE_DIRECTORY"
#define PIPES_DEFAULT "/tmp/nvidia-mps"
#define NO_PIPES "/proc/self/no-mps" /* nobody can make it */
#define EXCLUSIVE_PROCESS 3          /* of nvmlComputeMode_t */

static bool has_daemon(void)
{
	const char *given = getenv(PIPES);
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/control", given && *given ? given : PIPES_DEFAULT);
	return !access(path, F_OK);
}

/* A mode that is not known is taken for exclusive: by MPS the device can be used then, and without
 * it not at all. */
static bool is_exclusive(void *nvml)
{
	int (*init)(void) = dlsym(nvml, "nvmlInit_v2");
	int (*shutdown)(void) = dlsym(nvml, "nvmlShutdown");
	int (*count)(unsigned *) = dlsym(nvml, "nvmlDeviceGetCount_v2");
	int (*handle)(unsigned, void **) = dlsym(nvml, "nvmlDeviceGetHandleByIndex_v2");
	int (*compute_mode)(void *, int *) = dlsym(nvml, "nvmlDeviceGetComputeMode");
	unsigned n = 0;
	bool exclusive;

	if (!init || !shutdown || !count || !handle || !compute_mode || init())
		return true;
	exclusive = count(&n) != 0;
	for (unsigned i = 0; i < n; i++) {
		int mode = EXCLUSIVE_PROCESS;
		void *found;

		exclusive |= !handle(i, &found) &&
			     (compute_mode(found, &mode) || mode == EXCLUSIVE_PROCESS);
	}
	shutdown();
	return exclusive;
}

void device_traits_choose_mps(void *(*open_nvml)(void))
{
	void *nvml;

	if (!has_daemon())
		return;
	nvml = open_nvml();
	device.is_mps_client = !nvml || is_exclusive(nvml);
	if (!device.is_mps_client)
		setenv(PIPES, NO_PIPES, 1);
}

uint32_t device_traits(const struct cuda_driver *driver)
{
	int mode = CU_COMPUTEMODE_DEFAULT, hmm = 0;

	driver->cuDeviceGetAttribute(&mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 0);
	driver->cuDeviceGetAttribute(&hmm, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 0);
	return (mode == CU_COMPUTEMODE_EXCLUSIVE_PROCESS ? DEVICE_EXCLUSIVE : 0) |
	       (device.is_mps_client ? DEVICE_MPS : 0) | (hmm ? DEVICE_HMM : 0);
}
