/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order is that of use: first the device lets go of pages whose mapping changes, then the arena
 * takes the committed state for its own, then the tables in it, and last the threads go on. The
 * session's tables are entered meanwhile (meta_enter()), as for any change of them.
 */
#define _GNU_SOURCE
#include "runtime/process/commit.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/protocol/ipc.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/arena/allocator.h"
#include "runtime/arena/arena.h"
#include "runtime/arena/meta.h"
#include "runtime/cuda/device.h"
#include "runtime/process/threads.h"
#include "runtime/process/worker.h"

#define FREEZE_MS 20000

static int say_refused(uint64_t address, uint64_t size, struct error *err)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;

	record_put_u64(&out, address);
	record_put_u64(&out, size);
	if (buffer_check(&out, err))
		return -1;
	return worker_send(WORKER_IN_PLACE_REFUSED, out.data, out.len, -1, err);
}

/* At most so many runs of a heap go with one commit; the rest goes with a later one. */
#define GIVEN_BACK_MAX 2048

struct given_back {
	struct buffer items;
	uint32_t n;
};

static bool put_range(void *data, uint64_t address, uint64_t size)
{
	struct given_back *g = data;

	if (g->n == GIVEN_BACK_MAX || g->items.failed)
		return false;
	record_put_u64(&g->items, address);
	record_put_u64(&g->items, size);
	g->n++;
	return true;
}

bool commit_freeze_threads(void)
{
	if (!threads_freeze(FREEZE_MS))
		return false;
	if (threads_any())
		device_finish_for_commit();
	return true;
}

int commit_put(struct buffer *out, struct error *err)
{
	struct given_back g = { BUFFER_INIT, 0 };
	uint64_t address, size;
	int failed;

	/* Threads that live on may write while the kernel copies. */
	if (threads_any())
		arena_leave_all_in_place();
	record_put_u8(out, threads_any());
	record_put_u8(out, arena_has_forked());
	allocator_give_back(put_range, &g);
	record_put_u32(out, g.n);
	buffer_append(out, g.items.data, g.items.len);
	failed = buffer_check(&g.items, err);
	buffer_release(&g.items);
	while (!failed && arena_take_left(&address, &size))
		failed = say_refused(address, size, err);
	return failed;
}

/* The arena memfd has nothing of these ranges yet, so there is no other way to map them. */
static void stay_in_place(struct record *r)
{
	for (uint32_t n = record_count(r, 16); n; n--) {
		uint64_t address = record_u64(r), size = record_u64(r);

		if (!arena_stay_in_place(address, size))
			worker_exit(1);
	}
}

int commit_done(const struct ipc_message *m, struct error *err)
{
	struct record r = record_open(m->data, m->len);
	uint32_t oldest = record_u32(&r);
	struct record waiting = r, stay;

	for (uint32_t n = record_count(&r, 8); n; n--)
		record_u64(&r);
	stay = r;
	for (uint32_t n = record_count(&r, 16); n; n--) {
		record_u64(&r);
		record_u64(&r);
	}
	if (record_check(&r, "WORKER_COMMITTED", err))
		return -1;
	if (m->n_fds && dup3(m->fds[0], WORKER_LIVE_FD, O_CLOEXEC) < 0)
		return error_errno(err, "cannot place the new live memfd");
	device_pages_change();
	meta_enter();
	arena_committed();
	allocator_committed(oldest);
	if (m->n_fds)
		arena_live_renewed();
	stay_in_place(&stay);
	device_cell_committed(&waiting);
	meta_leave();
	threads_thaw();
	atomic_fetch_add(&worker.control->committed, 1);
	return 0;
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
