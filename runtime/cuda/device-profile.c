/* SPDX-License-Identifier: Apache-2.0 */
/* %%profile: counts of device code, which only the emulated device has. */
#include <stdlib.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/driver/driver.h"

#define REAL_DEVICE                                                                                \
	"%%profile counts on the emulated device only, and this is a real one: start the kernel "  \
	"with CGPU_DEVICE=emulated"

int device_profile_begin(struct error *err)
{
	int failed;

	if (!device.usable)
		return error_set(err, ERROR_STATE, "%s", device.info.problem);
	if (!device.driver->extension)
		return error_set(err, ERROR_UNSUPPORTED, REAL_DEVICE);
	device.host->enter_library();
	failed = device.driver->extension->profile_begin();
	device.host->leave_library();
	return failed ? error_set(err, ERROR_MEMORY, "out of memory for a profile") : 0;
}

int device_profile_take(struct buffer *ret, struct error *err)
{
	size_t len = 0;
	void *bytes;

	device.host->enter_library();
	bytes = device.driver->extension->profile_take(&len);
	buffer_append(ret, bytes, len);
	free(bytes);
	device.host->leave_library();
	if (!bytes)
		return error_set(err, ERROR_MEMORY, "out of memory for a profile");
	return buffer_check(ret, err);
}
