/* SPDX-License-Identifier: Apache-2.0 */
/* Driver API: look-up of driver functions by name, and the extension of the emulator. */
#include <limits.h>
#include <string.h>

#include "common/base/buffer.h"
#include "emulator/driver/api/cu-older.h"
#include "emulator/driver/api/cu-per-thread.h"
#include "emulator/driver/api/cu-profiler.h"
#include "emulator/driver/api/cu-unsupported.h"
#include "emulator/driver/device/inject.h"
#include "emulator/driver/device/memory.h"
#include "emulator/driver/device/queue.h"
#include "emulator/driver/launch/check.h"
#include "emulator/driver/launch/cu-busy.h"
#include "emulator/driver/launch/cu-debug.h"
#include "emulator/driver/memory/findings.h"
#include "emulator/driver/module/fat-binary-text.h"
#include "emulator/driver/stream/cu-profile.h"
#include "emulator/report/source-line.h"

static const struct {
	const char *name;
	void *function;
} functions[] = {
#define DRIVER_API(name) { #name, (void *)name },
#include "emulator/driver/api/driver-api.def"
#undef DRIVER_API
};

/* Functions whose parameters differ by version: what callers of version `from` and later, but
 * before `to`, get. */
static const struct {
	const char *name;
	int from, to;
	void *function;
} versioned[] = {
	{ "cuCtxCreate", 0, 11040, (void *)cu_older_ctx_create_v2 },
	{ "cuCtxCreate", 11040, 12050, (void *)cu_older_ctx_create_v3 },
	{ "cuDeviceComputeCapability", 0, INT_MAX, (void *)cu_older_device_capability },
	{ "cuGetProcAddress", 0, 12000, (void *)cu_older_get_proc_address },
	{ "cuEventElapsedTime", 0, 12080, (void *)cu_older_event_elapsed },
	{ "cuMemAdvise", 0, 12020, (void *)cu_older_advise },
	{ "cuMemcpyBatchAsync", 0, 13000, (void *)cu_older_copy_batch },
	{ "cuMemPrefetchAsync", 0, 12020, (void *)cu_older_prefetch },
	{ "cuStreamBeginCapture", 0, 10010, (void *)cu_older_begin_capture },
	{ "cuStreamGetCaptureInfo", 0, 11030, (void *)cu_older_capture_info },
	{ "cuStreamGetCaptureInfo", 11030, 12030, (void *)cu_older_capture_info_v2 },
	{ "cuStreamUpdateCaptureDependencies", 0, 12030, (void *)cu_older_update_capture },
	{ "cuGraphAddDependencies", 0, 12030, (void *)cu_older_add_dependencies },
	{ "cuGraphRemoveDependencies", 0, 12030, (void *)cu_older_remove_dependencies },
	{ "cuGraphGetEdges", 0, 12030, (void *)cu_older_edges },
	{ "cuGraphNodeGetDependencies", 0, 12030, (void *)cu_older_dependencies },
	{ "cuGraphNodeGetDependentNodes", 0, 12030, (void *)cu_older_dependents },
	{ "cuGraphAddNode", 0, 12030, (void *)cu_older_add_node },
	{ "cuGraphInstantiate", 0, INT_MAX, (void *)cu_older_instantiate },
	{ "cuGraphExecUpdate", 0, 12000, (void *)cu_older_exec_update },
	{ "cuGraphAddKernelNode", 0, 12000, (void *)cu_older_add_kernel },
	{ "cuGraphKernelNodeSetParams", 0, 12000, (void *)cu_older_set_kernel },
	{ "cuGraphExecKernelNodeSetParams", 0, 12000, (void *)cu_older_exec_set_kernel },
	{ "cuGraphKernelNodeGetParams", 0, 12000, (void *)cu_older_get_kernel },
	{ "cuCtxGetSharedMemConfig", 0, INT_MAX, (void *)cu_older_ctx_banks },
	{ "cuCtxSetSharedMemConfig", 0, INT_MAX, (void *)cu_older_ctx_set_banks },
	{ "cuFuncSetSharedMemConfig", 0, INT_MAX, (void *)cu_older_function_set_banks },
	{ "cuProfilerStart", 0, INT_MAX, (void *)cuProfilerStart },
	{ "cuProfilerStop", 0, INT_MAX, (void *)cuProfilerStop },
	{ "cuCtxGetDevice", 13000, INT_MAX, (void *)cuCtxGetDevice_v2 },
	{ "cuCtxSynchronize", 13000, INT_MAX, (void *)cuCtxSynchronize_v2 },
	{ "cuGraphInstantiateWithFlags", 11040, INT_MAX, (void *)cuGraphInstantiate },
	{ "cuStreamGetCtx", 12050, INT_MAX, (void *)cuStreamGetCtx_v2 },
};

static void *find_function(const char *name, int version)
{
	for (size_t i = 0; i < sizeof(versioned) / sizeof(versioned[0]); i++)
		if (!strcmp(versioned[i].name, name) && version >= versioned[i].from &&
		    version < versioned[i].to)
			return versioned[i].function;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	return cu_unsupported(name);
}

CUresult cuGetProcAddress(const char *name, void **ret, int version, cuuint64_t flags,
			  CUdriverProcAddressQueryResult *ret_status)
{
	if (!name || !ret)
		return CUDA_ERROR_INVALID_VALUE;
	*ret = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM ? cu_per_thread(name) : NULL;
	if (!*ret)
		*ret = find_function(name, version);
	if (ret_status)
		*ret_status =
			*ret ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
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

	if (fat_binary_text(image, (unsigned)gpu.capability, &text, NULL))
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
	.used = memory_used,
	.set_source = source_line_set_reader,
	.set_call = findings_set_call,
	.count_busy = cu_busy_count,
	.begin = findings_forget,
	.quiet = findings_quiet,
	.unpack = unpack,
	.pause = pause_work,
	.set_threads = set_threads,
	.profile_hide = cu_profile_hide,
	.profile_begin = cu_profile_begin,
	.profile_take = cu_profile_take,
	.guard = memory_guard,
	.guard_lift = memory_guard_lift,
	.guard_holds = memory_guard_holds,
	.reach_host = memory_reach_host,
	.debug = cu_debug_set,
};

#pragma GCC visibility push(default)
const struct emulator_extension *cgpu_emulator_extension(uint32_t version);
#pragma GCC visibility pop

const struct emulator_extension *cgpu_emulator_extension(uint32_t version)
{
	return version == EMULATOR_EXTENSION_VERSION ? &extension : NULL;
}
