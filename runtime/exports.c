/* SPDX-License-Identifier: Apache-2.0 */
/* Look-up of names for units. */
#define _GNU_SOURCE
#include "runtime/exports.h"

#include <dlfcn.h>
#include <string.h>

#include "runtime/cuda/device.h"


/* C++ units pass the address of this to __cxa_atexit(); it names the library that a destructor belongs to. */
static char dso_handle;

static uint64_t wrapped(const char *name)
{
#define EXPORT(symbol, function)       \
	if (strcmp(name, symbol) == 0) \
		return (uint64_t)(uintptr_t)function;
#include "runtime/exports.def"
#undef EXPORT
	if (strcmp(name, "__dso_handle") == 0)
		return (uint64_t)(uintptr_t)&dso_handle;
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
