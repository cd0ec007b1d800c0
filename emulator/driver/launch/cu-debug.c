/* SPDX-License-Identifier: Apache-2.0 */
/* A launch without a debugger looks at one pointer. */
#include "emulator/driver/launch/cu-debug.h"

#include <stdlib.h>

#include "emulator/debug/debugger.h"
#include "emulator/driver/device/gpu.h"
#include "emulator/driver/launch/check.h"

void cu_debug_set(const struct device_debugger *d)
{
	atomic_store(&gpu.debugger.now, d);
}

bool cu_debug_wants(const struct ptx_function *kernel)
{
	const struct device_debugger *now =
		atomic_load_explicit(&gpu.debugger.now, memory_order_acquire);

	return now && debugger_wants(now, kernel);
}

struct debugger *cu_debug_begin(struct machine_launch *l, struct check *c)
{
	const struct device_debugger *now = atomic_load(&gpu.debugger.now);
	struct debugger *d = now ? malloc(sizeof(*d)) : NULL;

	if (!d)
		return NULL;
	debugger_init(d, &gpu.debugger, now);
	c->observers[l->observer_count++] = &d->observer;
	l->threads = 1;
	return d;
}

void cu_debug_end(struct debugger *d)
{
	if (!d)
		return;
	debugger_release(d);
	free(d);
}
