/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA side knows nothing of units, cells and the channel to the kernel. Each function here
 * answers one of its questions from the tables of the worker, and may be called by any thread.
 */
#include "runtime/worker/device-host.h"

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/record.h"
#include "common/protocol/memory-permit.h"
#include "runtime/arena/allocator.h"
#include "runtime/arena/arena.h"
#include "runtime/arena/meta.h"
#include "runtime/cuda/device.h"
#include "runtime/debugger/cell-stop.h"
#include "runtime/exports/cell-stdio.h"
#include "runtime/exports/exports.h"
#include "runtime/faults/backtrace.h"
#include "runtime/faults/host-fault.h"
#include "runtime/faults/interrupt.h"
#include "runtime/loader/loader.h"
#include "runtime/loader/symbols.h"
#include "runtime/process/cell-mode.h"
#include "runtime/process/threads.h"
#include "runtime/process/worker.h"

static void **session_root(void)
{
	return (void **)&arena_header()->root[ARENA_ROOT_DEVICE];
}

static int send_device(uint32_t message, const void *data, size_t len, int fd, struct error *err)
{
	return worker_send(message, data, len, fd, err);
}

static void *host_symbol(const char *name)
{
	const struct symbol *s = symbols_find(name);

	return s && s->kind != SYMBOL_LIBRARY ? (void *)s->address : NULL;
}

static void *own_function(const char *name)
{
	return (void *)loader_own_function(name);
}

static const char *name_of_pointer(uint64_t address)
{
	const struct symbol *s = symbols_at(address);

	if (!s || s->kind != SYMBOL_OBJECT)
		s = symbols_pointing_to(address);
	return s ? s->name : "";
}

static bool is_session_memory(uint64_t address, uint64_t size)
{
	for (int r = ARENA_DATA; r <= ARENA_HEAP; r++) {
		uint64_t offset = address - arena_start((enum arena_region)r),
			 top = arena_header()->top[r];

		if (offset < top && size <= top - offset)
			return true;
	}
	return false;
}

struct pointer_visit {
	void (*fn)(void *data, void *variable);
	void *data;
};

static void visit_pointer(void *data, const struct symbol *s)
{
	const struct pointer_visit *v = data;

	if (s->size == sizeof(void *) && is_session_memory(s->address, s->size))
		v->fn(v->data, (void *)(uintptr_t)s->address);
}

static void each_pointer(void (*fn)(void *data, void *variable), void *data)
{
	struct pointer_visit v = { fn, data };

	symbols_each_variable(visit_pointer, &v);
}

static void enter_device(void)
{
	worker_set_phase(PHASE_DEVICE);
}

static void leave_device(void)
{
	worker_set_phase(cell_mode.in_cell ? PHASE_RUNNING : PHASE_ENDING);
}

/* A thread that is stopped inside of a driver may have its lock; see
 * runtime/cuda/session/device-wait.h. */
static void enter_library(void)
{
	cell_mode_enter_library();
	threads_hold();
}

static void leave_library(void)
{
	threads_release();
	cell_mode_leave_library();
}

/*
 * Under the device's lock: one question at a time, whose answer the kernel process writes to the
 * permit. *b begins with the number of the question. As memory_permit_wait(); *ret_why: why not.
 */
static int ask_kernel(uint32_t type, uint32_t number, const struct buffer *b, const char **ret_why)
{
	struct memory_permit *p = &worker.control->permit;

	*ret_why = "the kernel process does not answer.";
	if (worker.is_child || buffer_check(b, NULL) ||
	    worker_send(type, b->data, b->len, -1, NULL))
		return 0;
	*ret_why = p->why;
	return memory_permit_wait(p, number, interrupt_pending);
}

static int ask_for_memory(int ordinal, uint64_t total, uint64_t bytes, const char **ret_why)
{
	uint32_t number = memory_permit_next(&worker.control->permit);
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_u32(&b, number);
	record_put_u32(&b, (uint32_t)ordinal);
	record_put_u64(&b, total);
	record_put_u64(&b, bytes);
	return ask_kernel(WORKER_DEVICE_ASK, number, &b, ret_why);
}

static bool make_room(uint64_t bytes)
{
	uint32_t number = memory_permit_next(&worker.control->permit);
	cleanup_buffer struct buffer b = BUFFER_INIT;
	const char *why;

	record_put_u32(&b, number);
	record_put_u64(&b, bytes);
	return ask_kernel(WORKER_DEVICE_SHORT, number, &b, &why) > 0;
}

static struct device_host host = {
	.session_alloc = meta_alloc,
	.session_free = meta_free,
	.heap_alloc = allocator_alloc,
	.heap_free = allocator_free,
	.print = cell_stdio_print,
	.send = send_device,
	.caller_line = backtrace_caller_line,
	.host_symbol = host_symbol,
	.own_function = own_function,
	.name_of_pointer = name_of_pointer,
	.describe = host_fault_describe,
	.is_session_memory = is_session_memory,
	.each_pointer = each_pointer,
	.enter_device = enter_device,
	.leave_device = leave_device,
	.enter_library = enter_library,
	.leave_library = leave_library,
	.enter_tables = meta_enter,
	.leave_tables = meta_leave,
	.call_in_thread = exports_thread_call,
	.thread_count = threads_count_awake,
	.hold_thread = threads_hold,
	.release_thread = threads_release,
	.device_made = allocator_device_made,
	.ask = ask_for_memory,
	.has_host_room = allocator_fits,
	.make_room = make_room,
	.device_freed = allocator_device_freed,
};

const struct device_host *device_host_init(void)
{
	const struct worker_device *as = &worker.control->device;

	host.session_root = session_root();
	host.watch = &worker.control->watch;
	host.debugger = cell_stop_device();
	host.dump_folder = worker.control->dump_folder;
	if (as->driver == DRIVER_NATIVE || as->driver == DRIVER_EMULATED)
		host.driver = as->driver == DRIVER_NATIVE ? "native" : "emulated";
	host.passed_over = as->passed_over;
	host.window = as->window;
	host.waits = as->waits;
	return &host;
}
