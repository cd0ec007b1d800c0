/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	 none -- WORKER_DEVICE_ASK, granted or refused --> none
 *	   \---- WORKER_DEVICE_ASK, queued --> waiting -- granted, or wait_ms have passed --> none
 *	                                          \------ device_share_stop() -------------> none, without an answer
 *
 * While it waits, it asks again whenever another kernel has written to the list, and each second in any case: the end of a
 * kernel is told a moment before Linux lets go of what it held.
 */
#include "kernel/supervisor/device-share.h"

#include <string.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/log.h"
#include "common/memory-permit.h"
#include "common/record.h"
#include "common/worker-protocol.h"
#include "kernel/loop.h"
#include "kernel/size-text.h"
#include "kernel/supervisor/supervisor-state.h"

#define AGAIN_MS 1000

int device_share_open(struct supervisor *s, const char *path, const char *name, struct error *err)
{
	if (share_open(&s->share.share, path, name, err))
		return -1;
	s->share.open = true;
	return 0;
}

static void stop_looking(struct supervisor *s)
{
	if (s->loop) {
		loop_remove(s->loop, s->share.watch);
		loop_remove(s->loop, s->share.tick);
	}
	s->share.watch = s->share.tick = NULL;
	s->share.waiting = false;
}

void device_share_release(struct supervisor *s)
{
	stop_looking(s);
	if (s->share.open)
		share_close(&s->share.share);
	s->share.open = false;
}

static void answer(struct supervisor *s, bool granted, const char *why)
{
	struct worker *w = s->pool.active;

	stop_looking(s);
	if (w)
		memory_permit_answer(&w->control->permit, s->share.number, granted, why);
}

static void refuse(struct supervisor *s, const char *reason)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct error err = ERROR_INIT;
	char size[SIZE_TEXT_MAX];

	buffer_printf(&text, "the notebooks on this machine share %s of device memory, and %s\n",
		      size_text(s->share.request.total, size), reason);
	if (share_table(&s->share.share, s->share.request.device, &text, NULL, &err))
		buffer_printf(&text, "%s\n", err.text);
	answer(s, false, buffer_text(&text));
}

static void ask(struct supervisor *s);

static void on_change(void *data)
{
	struct supervisor *s = data;

	share_file_drain(&s->share.share.file);
	ask(s);
}

static void on_tick(void *data)
{
	struct supervisor *s = data;

	s->share.tick = NULL;
	ask(s);
}

static void queue(struct supervisor *s)
{
	struct device_share *d = &s->share;

	if (loop_now_ms() - d->asked_ms >= d->wait_ms) {
		share_leave_queue(&d->share, NULL);
		refuse(s, "so much did not become free in the time that `%limit wait` gives.");
		return;
	}
	d->waiting = true;
	if (!d->watch && d->share.file.watch >= 0)
		d->watch = loop_add_fd(s->loop, d->share.file.watch, on_change, s);
	if (!d->tick)
		d->tick = loop_add_timer(s->loop, AGAIN_MS, on_tick, s);
}

static void ask(struct supervisor *s)
{
	struct device_share *d = &s->share;
	struct error err = ERROR_INIT;
	enum share_answer got;

	if (share_ask(&d->share, &d->request, &got, &err)) {
		answer(s, false, err.text);
		return;
	}
	switch (got) {
	case SHARE_GRANTED:
		answer(s, true, "");
		break;
	case SHARE_QUEUED:
		queue(s);
		break;
	case SHARE_FULL:
		refuse(s, d->wait_ms ? "it can never be free together with what this session holds." :
			  "so much is not free.");
		break;
	case SHARE_DEADLOCK:
		refuse(s, "all others wait for more, too: one has to give way, and this is the last who came.");
		break;
	}
}

int device_share_on_ask(struct supervisor *s, struct worker *w, struct record *r, struct error *err)
{
	struct device_share *d = &s->share;
	uint64_t total, bytes;
	uint32_t device;

	d->number = record_u32(r);
	device = record_u32(r);
	total = record_u64(r);
	bytes = record_u64(r);
	if (record_check(r, "WORKER_DEVICE_ASK", err))
		return -1;
	if (device >= w->hello.n_devices)
		return error_set(err, ERROR_PROTOCOL, "the worker asks for memory of device %u", device);
	d->request = (struct share_request){
		.device = w->hello.uuids[device], .total = total, .bytes = bytes, .waits = d->wait_ms > 0,
	};
	d->asked_ms = loop_now_ms();
	if (d->open)
		ask(s);
	else
		answer(s, true, "");
	return 0;
}

void device_share_stop(struct supervisor *s)
{
	struct error err = ERROR_INIT;

	if (!s->share.waiting)
		return;
	stop_looking(s);
	if (share_leave_queue(&s->share.share, &err))
		log_warning("%s", err.text);
}

void device_share_begin(struct supervisor *s)
{
	struct error err = ERROR_INIT;

	if (s->share.open && share_holds(&s->share.share) && share_note_idle(&s->share.share, false, &err))
		log_info("%s", err.text);
}

/* What undo keeps is not in the hands of the session, and not free either. */
static void sum_held(const struct supervisor *s, uint64_t held[CHUNK_DEVICES_MAX])
{
	const struct undo_log *log = &s->snapshot.undo;

	device_chunks_sum(&s->device.chunks, held);
	for (unsigned i = 0; i < log->n; i++)
		device_chunks_sum(&log->at[i].device.dropped, held);
}

void device_share_settle(struct supervisor *s)
{
	uint64_t held[CHUNK_DEVICES_MAX] = { 0 };
	struct error err = ERROR_INIT;
	int failed;

	if (!s->share.open)
		return;
	sum_held(s, held);
	failed = share_note_idle(&s->share.share, true, &err);
	for (uint32_t i = 0; i < s->pool.hello.n_devices && !failed; i++)
		failed = share_hold(&s->share.share, s->pool.hello.uuids[i], held[i], &err);
	if (failed)
		log_warning("%s", err.text);
}

int device_share_table(struct supervisor *s, struct buffer *out, struct error *err)
{
	for (uint32_t i = 0; s->share.open && i < s->pool.hello.n_devices; i++) {
		cleanup_buffer struct buffer table = BUFFER_INIT;
		unsigned others;

		if (share_table(&s->share.share, s->pool.hello.uuids[i], &table, &others, err))
			return -1;
		if (others)
			buffer_printf(out, "notebooks that share device %u:\n%s", i, buffer_text(&table));
	}
	return 0;
}
