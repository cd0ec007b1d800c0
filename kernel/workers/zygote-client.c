/* SPDX-License-Identifier: Apache-2.0 */
/* ZYGOTE_FORK may be sent at once after ZYGOTE_SETUP: the socket keeps the order, so starting does
 * not wait for anybody. */
#include "kernel/workers/zygote-client.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/protocol/ipc.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/sandbox/hidden-paths.h"

#define END_MS 500
#define PASS_MAX 64 /* messages before the loop looks at others */

int zygote_client_start(struct zygote_client *z, const struct zygote_setup *setup,
			struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	z->ready = false;
	z->hidden = setup->hidden;
	if (process_spawn(&z->process, setup->dir, "cgpu-worker", NULL, PROCESS_FIXED_ADDRESSES,
			  err))
		return -1;
	record_put_u32(&b, WORKER_PROTOCOL_VERSION);
	record_put_bytes(&b, setup->seccomp, setup->seccomp_len);
	record_put_u32(&b, setup->flags);
	hidden_paths_put_one(setup->hidden, &b);
	if (buffer_check(&b, err) || ipc_send(z->process.sock, ZYGOTE_SETUP, b.data, b.len,
					      &setup->view, setup->view != 0, err)) {
		zygote_client_end(z);
		return error_wrap(err, "cannot set up the zygote");
	}
	for (size_t i = 0; i < setup->covered->n; i++)
		if (zygote_client_hide(z, setup->covered, i, err))
			return -1;
	return 0;
}

int zygote_client_hide(struct zygote_client *z, struct hidden_paths *list, size_t index,
		       struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	if (z->process.sock < 0)
		return error_set(err, ERROR_PEER_GONE, "there is no zygote");
	if (!hidden_paths_put_at(list, index, &b))
		return 0;
	if (buffer_check(&b, err))
		return -1;
	return ipc_send(z->process.sock, ZYGOTE_HIDE, b.data, b.len, NULL, 0, err);
}

int zygote_client_fork(struct zygote_client *z, uint32_t id, const int fds[WORKER_FDS],
		       struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	if (z->process.sock < 0)
		return error_set(err, ERROR_PEER_GONE, "there is no zygote");
	record_put_u32(&b, id);
	hidden_paths_put_one(z->hidden, &b);
	if (buffer_check(&b, err))
		return -1;
	return ipc_send(z->process.sock, ZYGOTE_FORK, b.data, b.len, fds, WORKER_FDS, err);
}

int zygote_client_load(struct zygote_client *z, uint32_t id, const char *const *paths, size_t n,
		       struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	if (z->process.sock < 0)
		return error_set(err, ERROR_PEER_GONE, "there is no zygote");
	record_put_u32(&b, id);
	record_put_u32(&b, (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		record_put_str(&b, paths[i]);
	if (buffer_check(&b, err))
		return -1;
	return ipc_send(z->process.sock, ZYGOTE_LOAD, b.data, b.len, NULL, 0, err);
}

static int on_ready(struct zygote_client *z, struct record *r, const struct zygote_events *events,
		    void *data, struct error *err)
{
	uint32_t version = record_u32(r);
	uint32_t n = record_count(r, 2);

	if (!r->failed && version != WORKER_PROTOCOL_VERSION)
		return error_set(err, ERROR_PROTOCOL,
				 "cgpu-worker speaks version %u of the protocol, this kernel %u: "
				 "install both from the same build",
				 version, WORKER_PROTOCOL_VERSION);
	for (uint32_t i = 0; i < n; i++) {
		const char *step = record_str(r);
		const char *why = record_str(r);

		events->on_issue(data, step, why);
	}
	if (record_check(r, "ZYGOTE_READY", err))
		return -1;
	z->ready = true;
	z->failures = 0;
	return 0;
}

static int on_message(struct zygote_client *z, const struct ipc_message *m,
		      const struct zygote_events *events, void *data, struct error *err)
{
	struct record r = record_open(m->data, m->len);
	uint32_t id, pid, e;

	if (m->type == ZYGOTE_READY)
		return on_ready(z, &r, events, data, err);
	if (m->type == ZYGOTE_LOADED) {
		id = record_u32(&r);
		return events->on_loaded(data, id, &r, err);
	}
	if (m->type != ZYGOTE_FORKED)
		return error_set(err, ERROR_PROTOCOL, "message %u from the zygote", m->type);
	id = record_u32(&r);
	pid = record_u32(&r);
	e = pid ? 0 : record_u32(&r);
	if (record_check(&r, "ZYGOTE_FORKED", err))
		return -1;
	events->on_forked(data, id, (pid_t)pid, (int)e);
	return 0;
}

int zygote_client_receive(struct zygote_client *z, const struct zygote_events *events, void *data,
			  struct error *err)
{
	for (int i = 0; i < PASS_MAX && z->process.sock >= 0; i++) {
		struct ipc_message m = { 0 };
		int n = ipc_receive_of(z->process.sock, z->process.pid, 0, &m, err);

		if (n <= 0)
			return n;
		n = on_message(z, &m, events, data, err);
		ipc_message_release(&m);
		if (n)
			return -1;
	}
	return 0;
}

void zygote_client_end(struct zygote_client *z)
{
	process_end(&z->process, END_MS);
	z->ready = false;
}
