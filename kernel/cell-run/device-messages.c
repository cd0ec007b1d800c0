/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker announces each chunk of device memory, each pre-image and each release before it relies
 * on it, so the tables here hold at any moment what the next worker needs.
 */
#include "kernel/cell-run/device-messages.h"

#include "common/base/record.h"
#include "common/protocol/ipc.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/device/closings.h"
#include "kernel/device/device-nodes.h"
#include "kernel/device/device-share.h"
#include "kernel/device/spare-context.h"
#include "kernel/state/device-memory.h"
#include "kernel/workers/worker-pool.h"
#include "kernel/workers/worker.h"

/* A worker that was stopped for a commit cannot drop chunks that the commit has kept. */
static int on_drop(struct supervisor *s, uint64_t id, struct error *err)
{
	if (!device_memory_waits(&s->device, id) && s->run.phase != RUN_RUNNING)
		return 0;
	if (device_memory_drop(&s->device, id, err))
		return -1;
	/* Between cells, others are told when the memory is closed. */
	if (s->run.phase == RUN_NONE && closings_are_done(s))
		device_share_settle(s);
	return 0;
}

static int on_device_memory(struct supervisor *s, struct ipc_message *m, struct record *r,
			    struct error *err)
{
	struct device_preimage p;
	uint64_t id, size, address;

	switch (m->type) {
	case WORKER_DEVICE_CHUNK:
		id = record_u64(r);
		size = record_u64(r);
		address = record_u64(r);
		return device_memory_chunk(&s->device, id, size, address,
					   m->n_fds ? m->fds[--m->n_fds] : -1, err);
	case WORKER_DEVICE_PREIMAGE:
		p.address = record_u64(r);
		p.size = record_u64(r);
		p.chunk = record_u64(r);
		p.offset = record_u64(r);
		return device_memory_preimage(&s->device, &p, err);
	case WORKER_DEVICE_CHECKSUMS:
		return device_memory_checksums(&s->device, r, err);
	default:
		return on_drop(s, record_u64(r), err);
	}
}

int device_messages_take(struct supervisor *s, struct worker *w, struct ipc_message *m,
			 struct record *r, struct error *err)
{
	switch (m->type) {
	case WORKER_DEVICE_NODE:
		if (m->n_fds)
			device_nodes_hold(s->nodes, m->fds[--m->n_fds]);
		return 0;
	case WORKER_DEVICE_ASK:
		return w == s->pool->active ? device_share_on_ask(s, w, r, err) : 0;
	case WORKER_DEVICE_SHORT:
		return spare_context_on_short(s, w, r, err);
	case WORKER_LIBRARY_MEMORY:
		return device_share_on_held(w, r, err);
	default:
		return w->checks ? 0 : on_device_memory(s, m, r, err);
	}
}
