/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each step of the beginning needs those before it: signals of faults are caught before the device
 * is looked at, since a driver may fault. One message is answered after the other; while a cell
 * runs, only a read of stdin and a checkpoint take one from the channel.
 */
#define _GNU_SOURCE
#include "runtime/worker/worker-serve.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/ipc.h"
#include "common/sandbox/sandbox-apply.h"
#include "runtime/arena/meta.h"
#include "runtime/arena/private-pages.h"
#include "runtime/cuda/device.h"
#include "runtime/debugger/cell-stop.h"
#include "runtime/faults/host-fault.h"
#include "runtime/faults/interrupt.h"
#include "runtime/faults/memory-report.h"
#include "runtime/process/cell-stack.h"
#include "runtime/process/children.h"
#include "runtime/process/commit.h"
#include "runtime/process/threads.h"
#include "runtime/process/worker.h"
#include "runtime/worker/device-host.h"
#include "runtime/worker/worker-eviction.h"
#include "runtime/worker/worker-run.h"
#include "runtime/worker/worker-snapshot.h"

#define VALUE_MAX (1u << 20) /* the largest part of device memory that is asked for */

/* The passed descriptors become 3, 4, 5, 6, 1 and 2; all others are closed. */
static int place_descriptors(const int fds[WORKER_FDS], struct error *err)
{
	static const int target[WORKER_FDS] = {
		WORKER_CHANNEL_FD, WORKER_CONTROL_FD, WORKER_ARENA_FD, WORKER_LIVE_FD, 1, 2
	};
	int moved[WORKER_FDS], null;

	for (int i = 0; i < WORKER_FDS; i++) {
		moved[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 32);
		if (moved[i] < 0)
			return error_errno(err, "cannot move descriptor %d", fds[i]);
	}
	for (int i = 0; i < WORKER_FDS; i++) {
		if (dup3(moved[i], target[i], target[i] > 2 ? O_CLOEXEC : 0) < 0)
			return error_errno(err, "cannot place descriptor %d", target[i]);
	}
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0 || dup2(null, 0) < 0)
		return error_errno(err, "cannot open /dev/null");
	if (syscall(SYS_close_range, WORKER_LIVE_FD + 1, ~0u, 0))
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
	sandbox_report_put(&out, report);
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
	const struct device_host *host;
	const struct sandbox_policy policy = {
		.flags = start->flags,
		.hidden = start->hidden,
		.in_force = start->in_force,
		.filter = start->filter,
		.filter_len = start->filter_len,
	};

	bind_to_kernel(start->parent);
	worker.pid = getpid();
	if (place_descriptors(start->fds, err) || map_control(err))
		return -1;
	private_pages_init();
	sandbox_apply_worker(&policy, &report);
	if (cell_stack_init(err) || children_init(err) || threads_init(err) ||
	    host_fault_init(err) || interrupt_init(err))
		return -1;
	cell_stop_init();
	host = device_host_init();
	if (worker.control->device.driver == DRIVER_NONE)
		device_leave_alone(host, &info);
	else if (worker.control->device.driver == DRIVER_CHECKS)
		device_init_checks(host, &worker.control->device, &info);
	else if (device_init(host, &info, err))
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

/* Reads what lies in live buffers, which begin at multiples of 256 bytes; the rest stays as it is.
 * False when there is none, or one that cannot be read. */
static bool read_buffers(uint64_t address, char *ret, uint64_t size)
{
	struct address_description d;
	uint64_t end = address + size, n;
	bool any = false;

	for (uint64_t at = address; at < end; at += n) {
		n = 256 - at % 256 < end - at ? 256 - at % 256 : end - at;
		if (!device_describe(at, &d))
			return false;
		if (d.owner != OWNER_DEVICE || at < d.base || at - d.base >= d.size)
			continue;
		n = d.base + d.size < end ? d.base + d.size - at : end - at;
		if (device_read(at, ret + (at - address), n, NULL))
			return false;
		any = true;
	}
	return any;
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
	ok = size <= VALUE_MAX && buffer_extend(&bytes, size);
	if (ok)
		memset(bytes.data, 0, size);
	if (ok && address)
		ok = size <= have && !device_read(address, bytes.data, size, NULL);
	else if (ok)
		ok = read_buffers(stand_in, bytes.data, size);
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
		return commit_done(m, err);
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
	case WORKER_IN_PLACE_BEGIN:
		return commit_begin_in_place(m, err);
	case WORKER_IN_PLACE_END:
		return commit_end_in_place(m, err);
	case WORKER_LIBRARIES:
		return worker_snapshot_libraries(m, err);
	case WORKER_DEVICE_READ:
		return worker_snapshot_read(m, err);
	case WORKER_DEVICE_FILL:
		return worker_snapshot_fill(m, err);
	case WORKER_EVICTION_FILE:
		return worker_eviction_file(m, err);
	case WORKER_EVICT:
		return worker_evict(m, err);
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

void worker_serve(const struct worker_start *start)
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
