/* SPDX-License-Identifier: Apache-2.0 */
/* The tracing driver: one wrapper a row of driver.def. */
#include "common/base/log.h"
#include "runtime/cuda/driver/driver.h"

static const struct cuda_driver *traced;

#define DRIVER(name, parameters, arguments)                                                        \
	static CUresult trace_##name parameters                                                    \
	{                                                                                          \
		CUresult result = traced->name arguments;                                          \
                                                                                                   \
		log_debug("driver: " #name " = %d", (int)result);                                  \
		return result;                                                                     \
	}
#include "runtime/cuda/driver/driver.def"
#undef DRIVER

const struct cuda_driver *driver_trace(const struct cuda_driver *inner)
{
	static struct cuda_driver driver = {
#define DRIVER(name, parameters, arguments) .name = trace_##name,
#include "runtime/cuda/driver/driver.def"
#undef DRIVER
	};

	traced = inner;
	driver.library = inner->library;
	driver.extension = inner->extension;
	return &driver;
}
