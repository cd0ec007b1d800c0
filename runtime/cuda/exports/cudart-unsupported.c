/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of the runtime API that cells can link to and that answer cudaErrorNotSupported with a
 * line that says why. They look at none of their arguments, so one without parameters stands for
 * any of them: only their names are of the API.
 */
#include "runtime/cuda/cudart/cudart.h"

#include <stdio.h>
#include <string.h>

#include "runtime/cuda/exports/cudart-unsupported.h"

enum reason {
#define REASON(symbol, text) symbol,
#define UNSUPPORTED(name, reason)
#include "runtime/cuda/exports/cudart-unsupported.def"
#undef REASON
};

static const char *const texts[] = {
#define REASON(symbol, text) text,
#include "runtime/cuda/exports/cudart-unsupported.def"
#undef REASON
#undef UNSUPPORTED
};

static cudaError_t refuse(const char *call, enum reason reason)
{
	char line[256];
	int n = snprintf(line, sizeof(line), "%s: not supported: %s\n", call, texts[reason]);

	device_print(true, line, (size_t)n);
	return cudaErrorNotSupported;
}

#define REASON(symbol, text)
#define UNSUPPORTED(name, reason)                                                                  \
	static cudaError_t unsupported_##name(void)                                                \
	{                                                                                          \
		cudaError_t result_ = cudart_enter(#name);                                         \
                                                                                                   \
		if (!result_)                                                                      \
			result_ = refuse(#name, reason);                                           \
		return cudart_leave(#name, result_);                                               \
	}
#include "runtime/cuda/exports/cudart-unsupported.def"
#undef UNSUPPORTED

void *cudart_unsupported(const char *name)
{
	static const struct {
		const char *name;
		cudaError_t (*function)(void);
	} rows[] = {
#define UNSUPPORTED(name, reason) { #name, unsupported_##name },
#include "runtime/cuda/exports/cudart-unsupported.def"
#undef UNSUPPORTED
#undef REASON
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].name, name))
			return (void *)rows[i].function;
	return NULL;
}
