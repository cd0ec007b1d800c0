/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgpu_checkpoint(): the cell so far is committed while it stands in this call. It is the end of a
 * cell and the beginning of the next in small: settle the device, tell the kernel, touch no session
 * memory until it has answered.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/protocol/ipc.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/arena/arena.h"
#include "runtime/cuda/device.h"
#include "runtime/debugger/cell-stop.h"
#include "runtime/exports/exports.h"
#include "runtime/faults/backtrace.h"
#include "runtime/memcheck/memcheck.h"
#include "runtime/process/cell-mode.h"
#include "runtime/process/commit.h"
#include "runtime/process/worker.h"

static int tell(struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_u32(&b, backtrace_caller_line());
	if (commit_put(&b, err) || buffer_check(&b, err))
		return -1;
	worker_set_phase(PHASE_ENDING);
	return worker_send(WORKER_CHECKPOINT, b.data, b.len, -1, err);
}

/* The kernel answers, or ends this process. */
static void await_commit(void)
{
	struct error err = ERROR_INIT;
	bool committed = false;

	while (!committed) {
		struct ipc_message m;
		int r = worker_receive(&m, -1, &err);

		if (r < 0)
			worker_exit(0);
		if (r > 0 && m.type == WORKER_COMMITTED) {
			/* The kernel's copy is of the state before. */
			device_pages_change();
			arena_end_all_in_place();
			if (commit_done(&m, &err))
				worker_exit(1);
			committed = true;
		}
		if (r > 0)
			ipc_message_release(&m);
	}
}

static int checkpoint(void)
{
	struct error err = ERROR_INIT;

	if (device_checkpoint_begin())
		return EIO;
	if (!commit_freeze_threads()) {
		device_checkpoint_end();
		return EBUSY;
	}
	cell_stop_suspend();
	if (tell(&err))
		worker_exit(0);
	await_commit();
	cell_stop_resume();
	device_checkpoint_end();
	worker_set_phase(PHASE_RUNNING);
	return 0;
}

int exports_checkpoint(void)
{
	int failed;

	if (worker.is_child || syscall(SYS_gettid) != worker.pid) {
		errno = EPERM;
		return -1;
	}
	/* Nothing of a checked cell is kept. */
	if (memcheck_on || worker.control->device.driver == DRIVER_CHECKS)
		return 0;
	cell_mode_enter_library();
	fflush(NULL);
	failed = checkpoint();
	cell_mode_leave_library();
	errno = failed;
	return failed ? -1 : 0;
}
