/* SPDX-License-Identifier: Apache-2.0 */
/* NVML of a machine with one GPU, whose compute mode is CGPU_PLAYED_COMPUTE_MODE (3: one process at
 * a time). */
#include <stdlib.h>

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *ret);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **ret);
int nvmlDeviceGetComputeMode(void *device, int *ret);

static char the_device;

int nvmlInit_v2(void)
{
	return 0;
}

int nvmlShutdown(void)
{
	return 0;
}

int nvmlDeviceGetCount_v2(unsigned *ret)
{
	*ret = 1;
	return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **ret)
{
	*ret = &the_device;
	return index ? 2 : 0;
}

int nvmlDeviceGetComputeMode(void *device, int *ret)
{
	const char *mode = getenv("CGPU_PLAYED_COMPUTE_MODE");

	*ret = mode ? atoi(mode) : 0;
	return device == &the_device ? 0 : 2;
}
