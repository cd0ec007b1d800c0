/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgpu-worker. Started by the kernel it is the zygote; each worker begins at worker_main(): own
 * process group, death with the kernel, descriptors in their places, containment, device, HELLO,
 * then one request after the other.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/cleanup.h"
#include "common/error.h"
#include "common/ipc.h"
#include "common/log.h"
#include "common/memory-permit.h"
#include "common/record.h"
#include "runtime/arena/allocator.h"
#include "runtime/arena/arena.h"
#include "runtime/arena/meta.h"
#include "runtime/arena/private-pages.h"
#include "runtime/cuda/device.h"
#include "runtime/exports/cell-stdio.h"
#include "runtime/exports/exports.h"
#include "runtime/faults/backtrace.h"
#include "runtime/faults/host-fault.h"
#include "runtime/faults/interrupt.h"
#include "runtime/faults/memory-report.h"
#include "runtime/loader/loader.h"
#include "runtime/loader/symbols.h"
#include "runtime/process/cell-mode.h"
#include "runtime/process/cell-stack.h"
#include "runtime/process/threads.h"
#include "runtime/process/worker.h"
#include "runtime/worker/sandbox-apply.h"
#include "runtime/worker/session-processes.h"
#include "runtime/worker/worker-park.h"
#include "runtime/worker/worker-run.h"
#include "runtime/worker/worker-snapshot.h"
#include "runtime/worker/zygote.h"

struct worker worker;

int worker_send(uint32_t type, const void *data, size_t len, int fd, struct error *err)
{
	return ipc_send(WORKER_CHANNEL_FD, type, data, len, fd >= 0 ? &fd : NULL, fd >= 0, err);
}

int worker_receive(struct ipc_message *ret, int timeout_ms, struct error *err)
{
	return ipc_receive(WORKER_CHANNEL_FD, timeout_ms, ret, err);
}

void worker_exit(int status)
{
	for (;;)
		syscall(SYS_exit_group, status);
}

/* Whole characters before the first zero one; *ret_end: there is a zero one. */
static size_t characters_in(const char *bytes, size_t len, size_t unit, bool *ret_end)
{
	static const char zero[sizeof(wchar_t)];
	size_t n = 0;

	while (n + unit <= len && memcmp(bytes + n, zero, unit) != 0)
		n += unit;
	*ret_end = n + unit <= len;
	return n;
}

ssize_t worker_read_characters(const void *from, size_t unit, void *ret, size_t len)
{
	const char *at = from;
	size_t have = 0, known = 0;
	bool end = false;

	while (have < len && !end) {
		/* Up to the end of the page: what follows may not be there. */
		size_t part = ARENA_PAGE - (uintptr_t)(at + have) % ARENA_PAGE;
		struct iovec local = { (char *)ret + have, part < len - have ? part : len - have };
		struct iovec remote = { (void *)(at + have), local.iov_len };
		ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

		if (n <= 0)
			break;
		have += (size_t)n;
		known += characters_in((const char *)ret + known, have - known, unit, &end);
	}
	return have ? (ssize_t)known : -1;
}

/* What the CUDA side needs of us. */
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

/* A thread that is stopped inside of a driver may have its lock; see runtime/cuda/device-wait.h. */
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

static struct device_host device_host = {
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
	.make_room = make_room,
	.device_freed = allocator_device_freed,
};

/* The five passed descriptors become 3, 4, 5, 1 and 2; all others are closed. */
static int place_descriptors(const int fds[5], struct error *err)
{
	static const int target[5] = { WORKER_CHANNEL_FD, WORKER_CONTROL_FD, WORKER_ARENA_FD, 1,
				       2 };
	int moved[5], null;

	for (int i = 0; i < 5; i++) {
		moved[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 32);
		if (moved[i] < 0)
			return error_errno(err, "cannot move descriptor %d", fds[i]);
	}
	for (int i = 0; i < 5; i++) {
		if (dup3(moved[i], target[i], target[i] > 2 ? O_CLOEXEC : 0) < 0)
			return error_errno(err, "cannot place descriptor %d", target[i]);
	}
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0 || dup2(null, 0) < 0)
		return error_errno(err, "cannot open /dev/null");
	if (syscall(SYS_close_range, WORKER_ARENA_FD + 1, ~0u, 0))
		return error_errno(err, "cannot close the zygote's descriptors");
	return 0;
}

static int map_control(struct error *err)
{
	worker.control = mmap(NULL, sizeof(*worker.control), PROT_READ | PROT_WRITE, MAP_SHARED,
			      WORKER_CONTROL_FD, 0);
	if (worker.control == MAP_FAILED)
		return error_errno(err, "cannot map the control area");
	meta_set_busy(&worker.control->allocator_busy);
	return 0;
}

/* Nothing of this outlives the kernel. */
static void bind_to_kernel(pid_t parent)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		worker_exit(0);
}

static int say_hello(const struct device_info *info, const struct sandbox_report *report,
		     struct error *err)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;

	record_put_u32(&out, WORKER_PROTOCOL_VERSION);
	record_put_str(&out, info->name);
	record_put_u8(&out, info->emulated);
	record_put_u32(&out, (uint32_t)info->driver_version);
	record_put_u32(&out, (uint32_t)info->capability);
	record_put_u64(&out, info->memory);
	record_put_u32(&out, report->n);
	buffer_append(&out, report->list->data, report->list->len);
	record_put_str(&out, info->problem);
	record_put_u32(&out, (uint32_t)info->devices);
	for (int i = 0; i < info->devices; i++)
		record_put_bytes(&out, info->uuids[i], DEVICE_UUID_SIZE);
	record_put_str(&out, info->passed_over);
	record_put_u64(&out, info->window);
	record_put_u32(&out, info->traits);
	record_put_u64(&out, info->most_memory);
	if (buffer_check(&out, err))
		return -1;
	return worker_send(WORKER_HELLO, out.data, out.len, -1, err);
}

static int prepare(const struct worker_start *start, struct error *err)
{
	cleanup_buffer struct buffer list = BUFFER_INIT;
	struct sandbox_report report = { &list, 0 };
	struct device_info info = { 0 };
	const struct sandbox_policy policy = {
		.flags = start->flags,
		.hidden = start->hidden,
		.hidden_already = !start->hide_by_landlock,
		.filter = start->filter,
		.filter_len = start->filter_len,
	};

	bind_to_kernel(start->parent);
	worker.pid = getpid();
	if (place_descriptors(start->fds, err) || map_control(err))
		return -1;
	private_pages_init();
	sandbox_apply_worker(&policy, &report);
	if (cell_stack_init(err) || exports_process_init(err) || threads_init(err) ||
	    host_fault_init(err))
		return -1;
	device_host.session_root = session_root();
	device_host.watch = &worker.control->watch;
	device_host.dump_folder = worker.control->dump_folder;
	if (worker.control->device.driver == DRIVER_NATIVE ||
	    worker.control->device.driver == DRIVER_EMULATED)
		device_host.driver =
			worker.control->device.driver == DRIVER_NATIVE ? "native" : "emulated";
	device_host.passed_over = worker.control->device.passed_over;
	device_host.window = worker.control->device.window;
	device_host.waits = worker.control->device.waits;
	if (worker.control->device.driver == DRIVER_NONE)
		device_leave_alone(&device_host, &info);
	else if (worker.control->device.driver == DRIVER_CHECKS)
		device_init_checks(&device_host, &worker.control->device, &info);
	else if (device_init(&device_host, &info, err))
		return -1;
	return say_hello(&info, &report, err);
}

static int report_device(const struct ipc_message *m, struct error *err)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct record r = record_open(m->data, m->len);

	record_put_u32(&out, record_u32(&r));
	device_report(&out);
	if (record_check(&r, "WORKER_DEVICE_INFO", err) || buffer_check(&out, err))
		return -1;
	return worker_send(WORKER_DEVICE_REPORT, out.data, out.len, -1, err);
}

static int report_value(const struct ipc_message *m, struct error *err)
{
	cleanup_buffer struct buffer out = BUFFER_INIT, bytes = BUFFER_INIT;
	struct record r = record_open(m->data, m->len);
	uint32_t id = record_u32(&r);
	uint64_t stand_in = record_u64(&r), size = record_u64(&r), have = 0;
	uint64_t address = device_variable(stand_in, &have);
	bool ok;

	if (record_check(&r, "WORKER_DEVICE_VALUE", err))
		return -1;
	ok = address && size <= have && buffer_extend(&bytes, size) &&
	     !device_read(address, bytes.data, size, NULL);
	record_put_u32(&out, id);
	record_put_u8(&out, ok);
	record_put_bytes(&out, bytes.data, ok ? size : 0);
	if (buffer_check(&out, err))
		return -1;
	return worker_send(WORKER_DEVICE_VALUE_IS, out.data, out.len, -1, err);
}

static int handle(struct ipc_message *m, struct error *err)
{
	switch (m->type) {
	case WORKER_ATTACH:
		return worker_run_attach(m, err);
	case WORKER_RUN:
		return worker_run_cell(m, err);
	case WORKER_COMMITTED:
		return worker_run_committed(m, err);
	case WORKER_SCRATCH_UNWANTED:
		device_forget_scratch();
		return 0;
	case WORKER_EXPECT_SUSPEND:
		device_expect_suspend();
		return 0;
	case WORKER_INPUT:
		return 0; /* for a cell that has ended meanwhile */
	case WORKER_DESCRIBE:
		return worker_run_describe(m, err);
	case WORKER_LIMITS:
		return worker_run_limits(m, err);
	case WORKER_MEMORY:
		return memory_report_answer(m, err);
	case WORKER_LEND:
		return worker_run_lend(m, err);
	case WORKER_UNLEND:
		return worker_run_unlend(m, err);
	case WORKER_LIBRARIES:
		return worker_snapshot_libraries(m, err);
	case WORKER_DEVICE_READ:
		return worker_snapshot_read(m, err);
	case WORKER_DEVICE_FILL:
		return worker_snapshot_fill(m, err);
	case WORKER_PARK_FILE:
		return worker_park_file(m, err);
	case WORKER_PARK:
		return worker_park(m, err);
	case WORKER_DEVICE_INFO:
		return report_device(m, err);
	case WORKER_DEVICE_VALUE:
		return report_value(m, err);
	default:
		return error_set(err, ERROR_PROTOCOL, "message %u is none for a worker", m->type);
	}
}

/* An error of ours ends the worker; the kernel shows the text. */
static _Noreturn void give_up(const struct error *err)
{
	if (err->code == ERROR_PEER_GONE)
		worker_exit(0);
	if (worker.control && worker.control != MAP_FAILED)
		host_fault_raise(FAULT_INTERNAL, "%s", err->text);
	log_error("%s", err->text);
	worker_exit(1);
}

void worker_main(const struct worker_start *start)
{
	struct error err = ERROR_INIT;

	log_init("cgpu-worker");
	if (prepare(start, &err))
		give_up(&err);
	for (;;) {
		struct ipc_message m;

		if (worker_receive(&m, -1, &err) <= 0 || handle(&m, &err))
			give_up(&err);
		ipc_message_release(&m);
	}
}

int main(int argc, char **argv)
{
	log_init("cgpu-worker");
	if (fcntl(ZYGOTE_SOCKET_FD, F_GETFD) < 0) {
		fprintf(stderr, "cgpu-worker is a part of cgpu-kernel, which starts it.\n");
		return 2;
	}
	session_processes_mark(argv);
	return zygote_run(argc > 1 ? argv[1] : "");
}
