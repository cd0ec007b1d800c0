/* SPDX-License-Identifier: Apache-2.0 */
/* Look-up of names for units. */
#define _GNU_SOURCE
#include "runtime/exports.h"

#include <dlfcn.h>
#include <string.h>

#include "runtime/cpp-runtime.h"
#include "runtime/cuda/device.h"

static uint64_t wrapped(const char *name)
{
#define EXPORT(symbol, function)       \
	if (strcmp(name, symbol) == 0) \
		return (uint64_t)(uintptr_t)function;
#include "runtime/exports.def"
#undef EXPORT
	return 0;
}

uint64_t exports_find(const char *name)
{
	uint64_t address = wrapped(name);

	if (!address)
		address = (uint64_t)(uintptr_t)device_symbol(name);
	if (!address)
		address = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, name);
	return address;
}
