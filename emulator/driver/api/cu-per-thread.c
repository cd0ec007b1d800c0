/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver API under the names that programs with a default stream of each thread call: NULL is
 * that stream, all else is the same function.
 */
#include "emulator/driver/api/cu-per-thread.h"

#include <string.h>

#include "emulator/driver/device/gpu.h"

#define OWN(stream) ((stream) ? (stream) : CU_STREAM_PER_THREAD)
#define DEFINE(name, function, parameters, arguments)                                              \
	__attribute__((visibility("default"))) CUresult name parameters;                           \
	CUresult name parameters                                                                   \
	{                                                                                          \
		return function arguments;                                                         \
	}

#define PER_THREAD(symbol, parameters, arguments)                                                  \
	DEFINE(symbol##_ptsz, symbol, parameters, arguments)
#define PER_THREAD_WAITS(symbol, parameters, arguments)                                            \
	DEFINE(symbol##_ptds, symbol, parameters, arguments)
#include "emulator/driver/api/cu-per-thread.def"
#undef PER_THREAD
#undef PER_THREAD_WAITS

__attribute__((visibility("default"))) CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *c,
								      CUfunction f, void **params,
								      void **extra);
CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *c, CUfunction f, void **params, void **extra)
{
	CUlaunchConfig own = c ? *c : (CUlaunchConfig){ .numAttrs = 0 };

	own.hStream = OWN(own.hStream);
	return cuLaunchKernelEx(c ? &own : NULL, f, params, extra);
}

__attribute__((visibility("default"))) CUresult
cuGetProcAddress_v2_ptsz(const char *name, void **ret, int version, cuuint64_t flags,
			 CUdriverProcAddressQueryResult *ret_status);
CUresult cuGetProcAddress_v2_ptsz(const char *name, void **ret, int version, cuuint64_t flags,
				  CUdriverProcAddressQueryResult *ret_status)
{
	if (!(flags & CU_GET_PROC_ADDRESS_LEGACY_STREAM))
		flags |= CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
	return cuGetProcAddress(name, ret, version, flags, ret_status);
}

static const struct {
	const char *symbol;
	void *function;
} rows[] = {
#define PER_THREAD(symbol, parameters, arguments) { #symbol, (void *)symbol##_ptsz },
#define PER_THREAD_WAITS(symbol, parameters, arguments) { #symbol, (void *)symbol##_ptds },
#include "emulator/driver/api/cu-per-thread.def"
#undef PER_THREAD
#undef PER_THREAD_WAITS
	{ "cuLaunchKernelEx", (void *)cuLaunchKernelEx_ptsz },
};

void *cu_per_thread(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *rest = rows[i].symbol + len;

		if (!strncmp(rows[i].symbol, name, len) && (!*rest || !strncmp(rest, "_v", 2)))
			return rows[i].function;
	}
	return NULL;
}
