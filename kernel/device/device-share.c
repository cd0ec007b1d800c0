/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	 none -- WORKER_DEVICE_ASK, granted or refused --> none
 *	   \---- WORKER_DEVICE_ASK, queued --> waiting -- granted, or wait_ms have passed --> none
 *	                                          \------ device_share_stop() --> none, no answer
 *
 * A session that comes back from where it was parked waits as well while idle ones have what it
 * needs and give it when they are asked.
 *
 * While it waits, it asks again whenever another kernel has written to the list, and each second in
 * any case: the end of a kernel is told a moment before Linux lets go of what it held.
 *
 * The holder of the list's lock may itself wait for a processor, so the list is tried again
 * when it cannot be had: a question for LOCK_MS at least, and what is to be said until it is.
 */
#include "kernel/device/device-share.h"

#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/memory-permit.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/base/loop.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/settings/size-text.h"
#include "kernel/share/share-file.h"
#include "kernel/state/device-memory.h"
#include "kernel/state/undo-log.h"
#include "kernel/workers/worker-pool.h"

#define AGAIN_MS 1000
#define LOCK_MS 10000   /* how long a kernel that has the list locked may stand still */
#define GIVING_MS 30000 /* how long an idle one may take to park */

static void stop_looking(struct supervisor *s)
{
	if (s->loop) {
		loop_remove(s->loop, s->share->watch);
		loop_remove(s->loop, s->share->tick);
	}
	s->share->watch = s->share->tick = NULL;
	s->share->waiting = false;
}

static void stop_saying(struct supervisor *s)
{
	if (s->loop)
		loop_remove(s->loop, s->share->say);
	s->share->say = NULL;
}

void device_share_release(struct supervisor *s)
{
	stop_looking(s);
	stop_saying(s);
	if (s->share->open)
		share_close(&s->share->share);
	s->share->open = false;
}

int device_share_open(struct supervisor *s, const char *path, const char *name, struct error *err)
{
	struct error why = ERROR_INIT;

	if (share_open(&s->share->share, path, name, &why)) {
		snprintf(s->share->problem, sizeof(s->share->problem), "%.300s", why.text);
		return error_set(err, why.code, "%s", why.text);
	}
	s->share->open = true;
	return 0;
}

/* Decides whether the session goes on alone. True: the list cannot be used, and nobody is kept
 * waiting by this session. */
static bool go_on_alone(struct supervisor *s, const struct error *err)
{
	if (err->code == ERROR_TIMEOUT || err->code == ERROR_LIMIT || err->code == ERROR_MEMORY)
		return false;
	log_warning("device memory is not shared with other kernels any more: %s", err->text);
	snprintf(s->share->problem, sizeof(s->share->problem), "%.300s", err->text);
	s->hooks->on_alone(s);
	device_share_release(s);
	return true;
}

static void answer(struct supervisor *s, bool granted, const char *why)
{
	struct worker *w = s->pool->active;
	device_share_answer *claimed = s->share->claimed;

	stop_looking(s);
	s->share->claimed = NULL;
	if (claimed)
		claimed(s, granted, why);
	else if (w)
		memory_permit_answer(&w->control->permit, s->share->number, granted, why);
}

static void refuse(struct supervisor *s, const char *reason)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct error err = ERROR_INIT;
	char size[SIZE_TEXT_MAX];

	buffer_printf(&text, "the notebooks on this machine share %s of device memory, and %s\n",
		      size_text(s->share->request.total, size), reason);
	if (share_table(&s->share->share, s->share->request.device, &text, NULL, &err))
		buffer_printf(&text, "%s\n", err.text);
	answer(s, false, buffer_text(&text));
}

static void ask(struct supervisor *s);

static void on_change(void *data)
{
	struct supervisor *s = data;

	share_file_drain(&s->share->share.file);
	ask(s);
}

static void on_tick(void *data)
{
	struct supervisor *s = data;

	s->share->tick = NULL;
	ask(s);
}

static void ask_later(struct supervisor *s)
{
	struct device_share *d = s->share;

	d->waiting = true;
	if (!d->watch && d->share.file.watch >= 0)
		d->watch = loop_add_fd(s->loop, d->share.file.watch, on_change, s);
	if (!d->tick)
		d->tick = loop_add_timer(s->loop, AGAIN_MS, on_tick, s);
}

static void queue(struct supervisor *s)
{
	struct device_share *d = s->share;

	if (loop_now_ms() - d->asked_ms >= (d->wait_ms ? d->wait_ms : GIVING_MS)) {
		share_leave_queue(&d->share, NULL);
		refuse(s,
		       d->wait_ms
			       ? "so much did not become free in the time that `%limit wait` gives."
			       : "so much did not become free.");
		return;
	}
	ask_later(s);
}

static void ask(struct supervisor *s)
{
	struct device_share *d = s->share;
	struct error err = ERROR_INIT;
	enum share_answer got;

	if (share_ask(&d->share, &d->request, &got, &err)) {
		if (err.code == ERROR_TIMEOUT &&
		    loop_now_ms() - d->asked_ms < (d->wait_ms > LOCK_MS ? d->wait_ms : LOCK_MS))
			ask_later(s);
		else if (go_on_alone(s, &err))
			answer(s, true, "");
		else
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
		refuse(s, d->wait_ms ? "it can never be free together with what this session holds."
				     : "so much is not free.");
		break;
	case SHARE_DEADLOCK:
		refuse(s, "all others wait for more, too: one has to give way, and this is the "
			  "last who came.");
		break;
	}
}

static void begin(struct supervisor *s, const struct share_request *r, device_share_answer *claimed)
{
	s->share->request = *r;
	s->share->claimed = claimed;
	s->share->asked_ms = loop_now_ms();
	if (s->share->open)
		ask(s);
	else
		answer(s, true, "");
}

int device_share_on_ask(struct supervisor *s, struct worker *w, struct record *r, struct error *err)
{
	struct device_share *d = s->share;
	uint64_t total, bytes;
	uint32_t device;

	d->number = record_u32(r);
	device = record_u32(r);
	total = record_u64(r);
	bytes = record_u64(r);
	if (record_check(r, "WORKER_DEVICE_ASK", err))
		return -1;
	if (device >= w->hello.n_devices)
		return error_set(err, ERROR_PROTOCOL, "the worker asks for memory of device %u",
				 device);
	/* Memory of a checker is host memory. */
	if (w->checks) {
		memory_permit_answer(&w->control->permit, d->number, true, "");
		return 0;
	}
	d->totals[device] = total;
	begin(s,
	      &(struct share_request){ .device = w->hello.uuids[device],
				       .total = total,
				       .bytes = bytes,
				       .waits = d->wait_ms > 0 },
	      NULL);
	return 0;
}

int device_share_on_held(struct worker *w, struct record *r, struct error *err)
{
	uint32_t n = record_count(r, 8);

	for (uint32_t i = 0; i < n; i++) {
		uint64_t bytes = record_u64(r);

		if (i < CHUNK_DEVICES_MAX)
			w->library_memory[i] = bytes;
	}
	return record_check(r, "WORKER_LIBRARY_MEMORY", err);
}

void device_share_claim(struct supervisor *s, uint32_t device, uint64_t bytes,
			device_share_answer *claimed)
{
	const struct worker_hello *h = &s->pool->hello;
	uint64_t total = s->share->totals[device];

	begin(s,
	      &(struct share_request){ .device = h->uuids[device < h->n_devices ? device : 0],
				       .total = total ? total : h->device_memory,
				       .bytes = bytes,
				       .waits = s->share->wait_ms > 0,
				       .returns = true },
	      claimed);
}

void device_share_stop(struct supervisor *s)
{
	struct error err = ERROR_INIT;

	if (!s->share->waiting)
		return;
	stop_looking(s);
	s->share->claimed = NULL;
	if (share_leave_queue(&s->share->share, &err))
		log_warning("%s", err.text);
}

void device_share_begin(struct supervisor *s)
{
	struct error err = ERROR_INIT;

	stop_saying(s);
	s->hooks->on_share_begin(s);
	if (s->share->open && share_holds(&s->share->share) &&
	    share_note_idle(&s->share->share, false, false, &err) && !go_on_alone(s, &err))
		log_info("%s", err.text);
}

struct sums {
	uint64_t held[CHUNK_DEVICES_MAX], parked[CHUNK_DEVICES_MAX];
};

static void add_chunks(void *data, struct device_chunks *c)
{
	struct sums *sums = data;

	device_chunks_sum(c, sums->held);
	device_chunks_sum_parked(c, sums->parked);
}

static void on_say(void *data);

static void say_what_is_held(struct supervisor *s)
{
	struct sums sums = { 0 };
	struct share *to = &s->share->share;
	struct error err = ERROR_INIT;
	int failed;

	add_chunks(&sums, &s->device.chunks);
	add_chunks(&sums, &s->device.waiting);
	/* Memory that undo keeps is not in use by the session, and not free either. */
	undo_log_each_chunks(&s->snapshot.undo, add_chunks, &sums);
	for (unsigned i = 0; s->pool->active && i < CHUNK_DEVICES_MAX; i++)
		sums.held[i] += s->pool->active->library_memory[i];
	failed = (!s->share->waiting && share_leave_queue(to, &err)) ||
		 share_note_idle(to, true, s->hooks->gives(s), &err);
	for (uint32_t i = 0; i < s->pool->hello.n_devices && !failed; i++) {
		const uint8_t *device = s->pool->hello.uuids[i];

		failed = share_hold(to, device, sums.held[i], &err) ||
			 share_park(to, device, sums.parked[i], &err);
	}
	stop_saying(s);
	if (!failed || go_on_alone(s, &err))
		return;
	log_warning("%s", err.text);
	if (s->loop)
		s->share->say = loop_add_timer(s->loop, AGAIN_MS, on_say, s);
}

/* Announces what is held; no cell has begun since it was asked for. */
static void on_say(void *data)
{
	struct supervisor *s = data;

	s->share->say = NULL;
	say_what_is_held(s);
}

void device_share_settle(struct supervisor *s)
{
	if (s->share->open)
		say_what_is_held(s);
	s->hooks->on_share_rest(s);
}

/* Appends each device with the lines of tell(). */
static int put_tables(struct supervisor *s,
		      int (*tell)(struct share *s, const uint8_t *device, struct buffer *out,
				  unsigned *ret_others, struct error *err),
		      struct buffer *out, struct error *err)
{
	for (uint32_t i = 0; s->share->open && i < s->pool->hello.n_devices; i++) {
		cleanup_buffer struct buffer table = BUFFER_INIT;
		unsigned others;

		struct error why = ERROR_INIT;

		if (tell(&s->share->share, s->pool->hello.uuids[i], &table, &others, &why))
			return go_on_alone(s, &why) ? 0 : error_set(err, why.code, "%s", why.text);
		if (others)
			buffer_printf(out, "notebooks that share device %u:\n%s", i,
				      buffer_text(&table));
	}
	return 0;
}

int device_share_table(struct supervisor *s, struct buffer *out, struct error *err)
{
	return put_tables(s, share_table, out, err);
}

int device_share_glance(struct supervisor *s, struct buffer *out, struct error *err)
{
	return put_tables(s, share_glance, out, err);
}
