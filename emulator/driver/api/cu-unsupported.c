/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API: functions that are there so that programs and libraries which name them are loaded,
 * and that answer CUDA_ERROR_NOT_SUPPORTED with a line that says why, once for each. They look at
 * none of their arguments, so one without parameters stands for any of them: <cuda.h>, which knows
 * better, is not included here.
 */
#include "emulator/driver/api/cu-unsupported.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/log.h"

#define NOT_SUPPORTED 801

enum reason {
#define REASON(symbol, text) symbol,
#define UNSUPPORTED(name, reason)
#include "emulator/driver/api/cu-unsupported.def"
#undef REASON
#undef UNSUPPORTED
};

static const char *const texts[] = {
#define REASON(symbol, text) text,
#define UNSUPPORTED(name, reason)
#include "emulator/driver/api/cu-unsupported.def"
#undef REASON
#undef UNSUPPORTED
};

enum function {
#define REASON(symbol, text)
#define UNSUPPORTED(name, reason) FUNCTION_##name,
#include "emulator/driver/api/cu-unsupported.def"
#undef REASON
#undef UNSUPPORTED
	FUNCTIONS
};

/* The functions whose line was printed. */
static _Atomic bool told[FUNCTIONS];

static int refuse(enum function function, const char *call, enum reason reason)
{
	if (!atomic_exchange(&told[function], true))
		log_warning("%s: not supported: %s", call, texts[reason]);
	return NOT_SUPPORTED;
}

#define REASON(symbol, text)
#define UNSUPPORTED(name, reason)                                                                  \
	__attribute__((visibility("default"))) int name(void);                                     \
	int name(void)                                                                             \
	{                                                                                          \
		return refuse(FUNCTION_##name, #name, reason);                                     \
	}
#include "emulator/driver/api/cu-unsupported.def"
#undef UNSUPPORTED

void *cu_unsupported(const char *name)
{
	static const struct {
		const char *name;
		int (*function)(void);
	} rows[] = {
#define UNSUPPORTED(name, reason) { #name, name },
#include "emulator/driver/api/cu-unsupported.def"
#undef UNSUPPORTED
#undef REASON
	};
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strncmp(rows[i].name, name, len) &&
		    (!rows[i].name[len] || !strncmp(rows[i].name + len, "_v", 2)))
			return (void *)rows[i].function;
	return NULL;
}
