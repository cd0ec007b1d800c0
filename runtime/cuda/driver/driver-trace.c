/* SPDX-License-Identifier: Apache-2.0 */
/* The tracing driver: one wrapper a row of driver.def. */
#include "common/base/log.h"
#include "runtime/cuda/driver/driver.h"

/* The driver that is handed out, whose functions log, and the one behind it. */
static struct tracing_driver {
	struct cuda_driver driver;
	const struct cuda_driver *inner;
} tracing;

#define DRIVER(name, parameters, arguments)                                                        \
	static CUresult trace_##name parameters                                                    \
	{                                                                                          \
		CUresult result = tracing.inner->name arguments;                                   \
                                                                                                   \
		log_debug("driver: " #name " = %d", (int)result);                                  \
		return result;                                                                     \
	}
#include "runtime/cuda/driver/driver.def"
#undef DRIVER

const struct cuda_driver *driver_trace(const struct cuda_driver *inner)
{
	tracing.driver = (struct cuda_driver){
#define DRIVER(name, parameters, arguments) .name = trace_##name,
#include "runtime/cuda/driver/driver.def"
#undef DRIVER
		.library = inner->library,
		.extension = inner->extension,
	};
	tracing.inner = inner;
	return &tracing.driver;
}
