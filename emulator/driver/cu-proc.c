/* SPDX-License-Identifier: Apache-2.0 */
/* Driver API: look-up of driver functions by name, and the extension of the emulator. */
#include <limits.h>
#include <string.h>

#include "common/buffer.h"
#include "emulator/driver/check.h"
#include "emulator/driver/cu-older.h"
#include "emulator/driver/cu-profile.h"
#include "emulator/driver/fat-binary-text.h"
#include "emulator/driver/findings.h"
#include "emulator/driver/inject.h"
#include "emulator/driver/memory.h"
#include "emulator/driver/queue.h"
#include "emulator/machine/source-line.h"

static const struct {
	const char *name;
	void *function;
} functions[] = {
#define DRIVER_API(name) { #name, (void *)name },
#include "emulator/driver/driver-api.def"
#undef DRIVER_API
};

/* Functions whose parameters differ by version: what callers of version `from` and later, but before `to`, get. */
static const struct {
	const char *name;
	int from, to;
	void *function;
} versioned[] = {
	{ "cuCtxCreate", 0, 11040, (void *)cu_older_ctx_create_v2 },
	{ "cuCtxCreate", 11040, 12050, (void *)cu_older_ctx_create_v3 },
	{ "cuDeviceComputeCapability", 0, INT_MAX, (void *)cu_older_device_capability },
	{ "cuGetProcAddress", 0, 12000, (void *)cu_older_get_proc_address },
	{ "cuStreamGetCtx", 12050, INT_MAX, (void *)cuStreamGetCtx_v2 },
};

static void *find_function(const char *name, int version)
{
	for (size_t i = 0; i < sizeof(versioned) / sizeof(versioned[0]); i++)
		if (!strcmp(versioned[i].name, name) && version >= versioned[i].from && version < versioned[i].to)
			return versioned[i].function;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	return NULL;
}

CUresult cuGetProcAddress(const char *name, void **ret, int version, cuuint64_t flags,
			  CUdriverProcAddressQueryResult *ret_status)
{
	(void)flags;
	if (!name || !ret)
		return CUDA_ERROR_INVALID_VALUE;
	*ret = find_function(name, version);
	if (ret_status)
		*ret_status = *ret ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	return *ret ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

static void set_print(emulator_print_fn print, void *data)
{
	gpu.print_data = data;
	gpu.print = print;
}

static int inject(const char *spec)
{
	return inject_add(spec) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static void *bytes(uint64_t address)
{
	return memory_bytes(address, 1, false);
}

static char *unpack(const void *image, size_t *ret_len)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	if (fat_binary_text(image, GPU_COMPUTE_MAJOR * 10 + GPU_COMPUTE_MINOR, &text, NULL))
		return NULL;
	*ret_len = text.len;
	return buffer_steal(&text);
}

static void pause_work(int on)
{
	queue_pause(on);
}

static void set_threads(int (*count)(void), void (*hold)(void), void (*release)(void))
{
	queue_threads.count = count;
	queue_threads.hold = hold;
	queue_threads.release = release;
}

static const struct emulator_extension extension = {
	.version = EMULATOR_EXTENSION_VERSION,
	.annotate = memory_annotate,
	.annotate_freed = memory_annotate_freed,
	.set_print = set_print,
	.last_fault = gpu_last_fault,
	.stop = gpu_stop,
	.inject = inject,
	.bytes = bytes,
	.check_begin = check_cell_begin,
	.check_end = check_cell_end,
	.set_source = source_line_set_reader,
	.set_call = findings_set_call,
	.begin = findings_forget,
	.quiet = findings_quiet,
	.unpack = unpack,
	.pause = pause_work,
	.set_threads = set_threads,
	.profile_hide = cu_profile_hide,
	.profile_begin = cu_profile_begin,
	.profile_take = cu_profile_take,
};

#pragma GCC visibility push(default)
const struct emulator_extension *cgpu_emulator_extension(uint32_t version);
#pragma GCC visibility pop

const struct emulator_extension *cgpu_emulator_extension(uint32_t version)
{
	return version == EMULATOR_EXTENSION_VERSION ? &extension : NULL;
}
