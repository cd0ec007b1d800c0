/* SPDX-License-Identifier: Apache-2.0 */
/* The table of all functions of the runtime API, which stands above all chapters of it. */
#define _GNU_SOURCE
#define CUDA_ENABLE_DEPRECATED /* cells may call these */
#include "runtime/cuda/exports/cudart-table.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include "common/launch-glue.h"
#include "runtime/cuda/code/registration.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/exports/cudart-unsupported.h"

#define PLAIN_MAX 80

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

/* <cuda_runtime_api.h> may map a name to the symbol of a version. */
static const struct {
	const char *name;
	void *function;
} functions[] = {
#define CUDART(name) { TEXT(name), (void *)name },
#include "runtime/cuda/exports/cudart.def"
#undef CUDART
};

/* NVRTC makes PTX beside machine code, and PTX is what the emulated device runs: cells that ask for
 * the one get the other. */
static void *instead_of_machine_code(const char *name)
{
	static const char *const pairs[][2] = { { "nvrtcGetCUBIN", "nvrtcGetPTX" },
						{ "nvrtcGetCUBINSize", "nvrtcGetPTXSize" } };

	for (size_t i = 0; device.info.emulated && i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (!strcmp(name, pairs[i][0]))
			return dlsym(RTLD_DEFAULT, pairs[i][1]);
	return NULL;
}

/* The name without _ptds, of a call that waits for the device's legacy stream: that waits for the
 * streams of threads, so the call has no other form. False: it is none. */
static bool plain_name(const char *name, char ret[PLAIN_MAX])
{
	const char *suffix = strstr(name, "_ptds");

	if (!suffix || suffix[5] || (size_t)(suffix - name) >= PLAIN_MAX)
		return false;
	memcpy(ret, name, (size_t)(suffix - name));
	ret[suffix - name] = '\0';
	return true;
}

void *cudart_table_find(const char *name)
{
	char plain[PLAIN_MAX];
	void *p;

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	p = cudart_per_thread(name);
	if (!p && plain_name(name, plain))
		p = cudart_table_find(plain);
	if (!p)
		p = instead_of_machine_code(name);
	return p ? p : cudart_unsupported(name);
}
