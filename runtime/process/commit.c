/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order is that of use: first the device lets go of pages whose mapping changes, then the arena
 * takes the committed state for its own, then the tables in it, and last the threads go on. The
 * session's tables are entered meanwhile (meta_enter()), as for any change of them.
 */
#include "runtime/process/commit.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/record.h"
#include "common/protocol/ipc.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/arena/allocator.h"
#include "runtime/arena/arena.h"
#include "runtime/arena/meta.h"
#include "runtime/cuda/device.h"
#include "runtime/process/threads.h"
#include "runtime/process/worker.h"

static int say_refused(uint64_t address, uint64_t size, struct error *err)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;

	record_put_u64(&out, address);
	record_put_u64(&out, size);
	if (buffer_check(&out, err))
		return -1;
	return worker_send(WORKER_IN_PLACE_REFUSED, out.data, out.len, -1, err);
}

static int tell_refused(struct error *err)
{
	uint64_t address, size;

	while (arena_take_refused(&address, &size))
		if (say_refused(address, size, err))
			return -1;
	return 0;
}

int commit_done(const struct ipc_message *m, struct error *err)
{
	struct record r = record_open(m->data, m->len);
	uint32_t oldest = record_u32(&r);
	struct record waiting = r;

	for (uint32_t n = record_count(&r, 8); n; n--)
		record_u64(&r);
	if (record_check(&r, "WORKER_COMMITTED", err))
		return -1;
	device_pages_change();
	meta_enter();
	arena_committed();
	allocator_committed(oldest);
	device_cell_committed(&waiting);
	/* Between cells nobody may write what the kernel copies. */
	if (threads_any())
		arena_end_all_in_place(true);
	meta_leave();
	threads_thaw();
	atomic_fetch_add(&worker.control->committed, 1);
	return tell_refused(err);
}

int commit_begin_in_place(const struct ipc_message *m, struct error *err)
{
	struct record r = record_open(m->data, m->len);
	uint64_t address = record_u64(&r), size = record_u64(&r);

	if (record_check(&r, "WORKER_IN_PLACE_BEGIN", err))
		return -1;
	return threads_any() || !arena_begin_in_place(address, size)
		       ? say_refused(address, size, err)
		       : 0;
}

int commit_end_in_place(const struct ipc_message *m, struct error *err)
{
	struct record r = record_open(m->data, m->len);
	uint64_t address = record_u64(&r), size = record_u64(&r);

	if (record_check(&r, "WORKER_IN_PLACE_END", err))
		return -1;
	arena_end_in_place(address, size);
	return 0;
}
