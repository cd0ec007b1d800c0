/* SPDX-License-Identifier: Apache-2.0 */
/* Look-up of names for units. */
#define _GNU_SOURCE
#include "runtime/exports/exports.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "common/cell-display.h"
#include "common/cell-widgets.h"
#include "common/code/unit.h"
#include "runtime/cuda/device.h"
#include "runtime/display/display.h"
#include "runtime/exports/cpp-runtime.h"
#include "runtime/exports/thread-local.h"
#include "runtime/loader/initials.h"
#include "runtime/memcheck/callbacks.h"
#include "runtime/memcheck/memcheck-libc.h"

#if defined(__x86_64__)
extern int __cpu_indicator_init(void);
extern char __cpu_model[], __cpu_features2[];
#endif

static uint64_t wrapped(const char *name)
{
#define EXPORT(symbol, function)                                                                   \
	if (strcmp(name, symbol) == 0)                                                             \
		return (uint64_t)(uintptr_t)function;
#include "runtime/exports/exports.def"
#undef EXPORT
	return 0;
}

/* "memcpy@GLIBC_2.2.5", as `.symver` writes it; without a version it is the default one. */
static void *in_libraries(const char *name)
{
	const char *at = strchr(name, '@');
	char plain[256];

	if (!at || (size_t)(at - name) >= sizeof(plain))
		return dlsym(RTLD_DEFAULT, name);
	snprintf(plain, sizeof(plain), "%.*s", (int)(at - name), name);
	return dlvsym(RTLD_DEFAULT, plain, at + strspn(at, "@"));
}

uint64_t exports_find(const char *name)
{
	uint64_t address;

	if (!strncmp(name, UNIT_OF_LIBRARY, strlen(UNIT_OF_LIBRARY)))
		name += strlen(UNIT_OF_LIBRARY);
	address = wrapped(name);
	if (!address)
		address = (uint64_t)(uintptr_t)device_symbol(name);
	if (!address)
		address = (uint64_t)(uintptr_t)device_library_symbol(name);
	if (!address)
		address = (uint64_t)(uintptr_t)in_libraries(name);
	return address;
}
