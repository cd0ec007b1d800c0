/* SPDX-License-Identifier: Apache-2.0 */
/* State of the emulated GPUs and the gate that every driver API function passes. */
#include "emulator/driver/device/gpu.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/address-map.h"
#include "common/buffer.h"
#include "common/cuda-fault.h"
#include "emulator/driver/api/cu-context.h"
#include "emulator/driver/device/cu-coredump.h"
#include "emulator/driver/device/inject.h"
#include "emulator/driver/device/memory.h"
#include "emulator/driver/device/queue.h"
#include "emulator/ptx/machine-limits.h"
#include "emulator/report/gpu-fault.h"

#define GPU_MEMORY_DEFAULT (4 * GIB)
#define GPU_MEMORY_MIN (16 * MIB)
#define GPU_POLL_NS 200000

struct gpu gpu;

static const struct gpu_limits default_limits = {
	.stack = MACHINE_STACK_DEFAULT,
	.printf_fifo = 1024 * 1024,
	.malloc_heap = 8 * 1024 * 1024,
	.sync_depth = 2,
	.pending_launches = 2048,
	.l2_fetch = 64,
};

static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t fault_lock = PTHREAD_MUTEX_INITIALIZER;
static struct emulator_fault last_fault;
static bool has_fault;

/* "512M", "4G", "1000000"; 0 when it is no size. */
static uint64_t parse_size(const char *text)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10);

	switch (*end) {
	case 'G':
	case 'g':
		value *= 1024;
		/* fallthrough */
	case 'M':
	case 'm':
		value *= 1024;
		/* fallthrough */
	case 'K':
	case 'k':
		value *= 1024;
	}
	return value;
}

static int device_count(void)
{
	const char *text = getenv("CGPU_EMULATED_DEVICES");
	long n = text ? strtol(text, NULL, 10) : 1;

	return n < 1 ? 1 : n > GPU_DEVICES_MAX ? GPU_DEVICES_MAX : (int)n;
}

/* What programs are told, and by which they choose among their ways. Device code of any target
 * runs. */
static int capability(void)
{
	static const struct {
		const char *text;
		int value;
	} known[] = { { "7.5", 75 }, { "8.0", 80 }, { "8.6", 86 }, { "8.9", 89 }, { "9.0", 90 } };
	const char *text = getenv("CGPU_EMULATED_CAPABILITY");

	for (size_t i = 0; text && i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(text, known[i].text))
			return known[i].value;
	return known[0].value;
}

/* Of each device: together they have no more than half of what the machine has, unless somebody has
 * said so. */
static uint64_t memory_size(void)
{
	const char *text = getenv("CGPU_EMULATED_MEMORY");
	uint64_t size = text ? parse_size(text) : 0;
	uint64_t host = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	if (!size)
		size = host / 2 / (uint64_t)gpu.devices < GPU_MEMORY_DEFAULT
			       ? host / 2 / (uint64_t)gpu.devices
			       : GPU_MEMORY_DEFAULT;
	if (size < GPU_MEMORY_MIN)
		size = GPU_MEMORY_MIN;
	return size / GPU_GRANULARITY * GPU_GRANULARITY;
}

static bool has_hmm(void)
{
	const char *text = getenv("CGPU_EMULATED_HMM");

	return text && !strcmp(text, "1");
}

CUresult gpu_init(void)
{
	CUresult result = CUDA_SUCCESS;

	pthread_mutex_lock(&init_lock);
	if (!gpu.initialised) {
		inject_slow(INJECT_INIT);
		gpu.devices = device_count();
		gpu.memory = memory_size();
		gpu.capability = capability();
		gpu.has_hmm = has_hmm();
		for (int i = 0; i < gpu.devices; i++)
			gpu.limits[i] = default_limits;
		result = memory_init();
		gpu.initialised = result == CUDA_SUCCESS;
	}
	pthread_mutex_unlock(&init_lock);
	return result;
}

/* A hung launch keeps the device busy until somebody stops it. */
static void wait_hung(void)
{
	struct timespec pause = { 0, GPU_POLL_NS };

	while (gpu.hung)
		nanosleep(&pause, NULL);
}

CUresult gpu_enter(const char *name, enum gpu_call kind)
{
	int code = inject_lost() ? CUDA_ERROR_UNKNOWN : inject_take(name);

	if (code) {
		if (cuda_fault_kind(code) == CUDA_FAULT_STICKY) {
			gpu_break(code, "A fault was injected for a test");
			gpu.sticky = code;
		}
		return code;
	}
	if (queue_in_host_function())
		return CUDA_ERROR_NOT_PERMITTED;
	if (kind == GPU_CALL_FREE)
		return CUDA_SUCCESS;
	if (!gpu.initialised)
		return CUDA_ERROR_NOT_INITIALIZED;
	if (gpu.sticky)
		return gpu.sticky;
	if (kind == GPU_CALL_DEVICE)
		return CUDA_SUCCESS;
	if (!context_current())
		return CUDA_ERROR_INVALID_CONTEXT;
	if (kind == GPU_CALL_ASYNC)
		return CUDA_SUCCESS;
	if (kind == GPU_CALL_SYNC) {
		queue_wait_device(context_device());
		return gpu_deliver();
	}
	if (gpu.pending)
		gpu.sticky = gpu.pending;
	return gpu.sticky;
}

CUresult gpu_deliver(void)
{
	wait_hung();
	if (gpu.pending)
		gpu.sticky = gpu.pending;
	return gpu.sticky;
}

bool gpu_is_dead(void)
{
	return gpu.pending || gpu.hung;
}

void gpu_record_fault(const struct gpu_fault *f, const struct machine_launch *l)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	gpu_fault_print(f, &text);
	pthread_mutex_lock(&fault_lock);
	/* The first one counts: others end because of it. */
	if (gpu.pending) {
		pthread_mutex_unlock(&fault_lock);
		return;
	}
	cu_coredump_write(f, l);
	last_fault = (struct emulator_fault){ .code = gpu_fault_code(f->kind) };
	if (f->access != GPU_ACCESS_NONE)
		last_fault.address = f->address;
	memcpy(last_fault.cta, f->cta, sizeof(last_fault.cta));
	memcpy(last_fault.thread, f->thread, sizeof(last_fault.thread));
	snprintf(last_fault.entry, sizeof(last_fault.entry), "%s", f->entry);
	if (f->frame_count) {
		snprintf(last_fault.file, sizeof(last_fault.file), "%s", f->frames[0].file);
		last_fault.line = f->frames[0].line;
	}
	snprintf(last_fault.text, sizeof(last_fault.text), "%s", buffer_text(&text));
	has_fault = true;
	gpu.pending = last_fault.code;
	gpu.halt = 1;
	pthread_mutex_unlock(&fault_lock);
	/* Who listens for output asks for the report, too; a program that takes us for its driver
	 * does not. */
	if (!gpu.print)
		gpu_print(true, buffer_text(&text), text.len);
	cu_coredump_abort(f);
}

void gpu_break(int code, const char *text)
{
	pthread_mutex_lock(&fault_lock);
	last_fault = (struct emulator_fault){ .code = code };
	snprintf(last_fault.text, sizeof(last_fault.text), "========= %s\n", text);
	has_fault = true;
	gpu.pending = code;
	pthread_mutex_unlock(&fault_lock);
}

int gpu_last_fault(struct emulator_fault *ret)
{
	bool found;

	pthread_mutex_lock(&fault_lock);
	found = has_fault;
	if (found)
		*ret = last_fault;
	pthread_mutex_unlock(&fault_lock);
	return found;
}

void gpu_print(bool to_stderr, const char *text, size_t len)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	if (gpu.print)
		gpu.print(gpu.print_data, to_stderr, text, len);
	else
		fwrite(text, 1, len, to_stderr ? stderr : stdout);
	pthread_mutex_unlock(&lock);
}

void gpu_hang(void)
{
	gpu.hung = 1;
	if (gpu.stop)
		gpu_stop(1);
}

/* Async-signal-safe: stores only. */
void gpu_stop(int on)
{
	gpu.stop = on;
	gpu.halt = on || gpu.pending;
	if (on && gpu.hung) {
		gpu.pending = CUDA_ERROR_LAUNCH_TIMEOUT;
		gpu.hung = 0;
	}
}
