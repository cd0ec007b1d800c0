/* SPDX-License-Identifier: Apache-2.0 */
/* The answer is one of the messages that come on the worker's channel; until it is there, this
 * process takes messages of that worker only. */
#include "kernel/workers/question.h"

#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/protocol/ipc.h"
#include "kernel/base/cpu-deadline.h"
#include "kernel/base/loop.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/faults/memory-report.h"
#include "kernel/workers/worker-pool.h"
#include "kernel/workers/worker.h"

/* As kernel/base/cpu-deadline.h counts. */
#define QUESTION_MS 1000

int question_ask(struct supervisor *s, uint32_t type, const struct buffer *body,
		 uint32_t answer_type, struct buffer *ret, struct error *err)
{
	struct worker *w = s->pool->active;
	uint64_t soon = loop_now_ms() + CPU_DEADLINE_LOOK_MS;
	const char *why = s->hooks->why_evicted(s);
	struct cpu_deadline p;
	int n = 0;

	if (!worker_pool_is_ready(s) && *why)
		return error_set(err, ERROR_STATE,
				 "the session is parked, and cannot come back at the moment: %s",
				 why);
	if (!worker_pool_is_ready(s))
		return error_set(err, ERROR_STATE, "a cell runs, or the session is being restored");
	if (worker_send(w, type, body->data, body->len, NULL, err))
		return -1;
	s->answer = ret;
	s->answer_type = answer_type;
	s->answered = false;
	while (!s->answered && n >= 0 && loop_now_ms() < soon)
		n = worker_receive_one(w, CPU_DEADLINE_LOOK_MS, err);
	if (!s->answered)
		cpu_deadline_begin(&p, w->pid, CPU_DEADLINE_ANSWER);
	while (!s->answered && n >= 0 && cpu_deadline_used_ms(&p) < QUESTION_MS)
		n = worker_receive_one(w, CPU_DEADLINE_LOOK_MS, err);
	s->answer = NULL;
	if (s->answered)
		return 0;
	if (n >= 0)
		return error_set(err, ERROR_TIMEOUT, "the worker does not answer");
	worker_kill(w); /* The death is recorded here before the loop hears of it. */
	return -1;
}

void question_on_message(struct supervisor *s, const struct ipc_message *m, struct record *r)
{
	if (!s->answer || m->type != s->answer_type || record_u32(r) != s->answer_id || r->failed)
		return;
	buffer_append(s->answer, r->at, (size_t)(r->end - r->at));
	s->answered = true;
}

static void decode_description(struct record *r, struct address_description *ret)
{
	const char *name;

	memset(ret, 0, sizeof(*ret));
	ret->owner = record_u8(r);
	ret->base = record_u64(r);
	ret->size = record_u64(r);
	ret->cell = record_u32(r);
	ret->freed_cell = record_u32(r);
	name = record_str(r);
	memcpy(ret->name, name, strnlen(name, sizeof(ret->name) - 1));
}

int question_describe(struct supervisor *s, const uint64_t *addresses, size_t n,
		      struct address_description *ret, struct error *err)
{
	cleanup_buffer struct buffer body = BUFFER_INIT, answer = BUFFER_INIT;
	struct record r;

	record_put_u32(&body, ++s->answer_id);
	record_put_u32(&body, (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		record_put_u64(&body, addresses[i]);
	if (buffer_check(&body, err) ||
	    question_ask(s, WORKER_DESCRIBE, &body, WORKER_DESCRIBED, &answer, err))
		return -1;
	r = record_open(answer.data, answer.len);
	if (record_count(&r, 26) != n)
		return error_set(err, ERROR_PROTOCOL,
				 "the worker describes other addresses than asked");
	for (size_t i = 0; i < n; i++)
		decode_description(&r, &ret[i]);
	return record_check(&r, "WORKER_DESCRIBED", err);
}

int question_read_device(struct supervisor *s, uint64_t address, void *out, size_t len,
			 struct error *err)
{
	cleanup_buffer struct buffer body = BUFFER_INIT, answer = BUFFER_INIT;
	struct record r;
	const void *bytes;
	size_t n;
	bool ok;

	record_put_u32(&body, ++s->answer_id);
	record_put_u64(&body, address);
	record_put_u64(&body, len);
	if (buffer_check(&body, err) ||
	    question_ask(s, WORKER_DEVICE_VALUE, &body, WORKER_DEVICE_VALUE_IS, &answer, err))
		return -1;
	r = record_open(answer.data, answer.len);
	ok = record_u8(&r);
	bytes = record_bytes(&r, &n);
	if (record_check(&r, "WORKER_DEVICE_VALUE_IS", err))
		return -1;
	if (!ok || n != len)
		return error_set(err, ERROR_NOT_FOUND, "the device does not give this memory");
	memcpy(out, bytes, len);
	return 0;
}

int question_device_report(struct supervisor *s, struct buffer *ret, struct error *err)
{
	cleanup_buffer struct buffer body = BUFFER_INIT;

	record_put_u32(&body, ++s->answer_id);
	if (buffer_check(&body, err))
		return -1;
	return question_ask(s, WORKER_DEVICE_INFO, &body, WORKER_DEVICE_REPORT, ret, err);
}

int question_memory_report(struct supervisor *s, const uint32_t *cells, size_t n,
			   struct memory_report *ret, struct error *err)
{
	cleanup_buffer struct buffer body = BUFFER_INIT, answer = BUFFER_INIT;

	record_put_u32(&body, ++s->answer_id);
	record_put_u32(&body, (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		record_put_u32(&body, cells[i]);
	if (buffer_check(&body, err) ||
	    question_ask(s, WORKER_MEMORY, &body, WORKER_MEMORY_REPORT, &answer, err))
		return -1;
	return memory_report_decode(ret, answer.data, answer.len, err);
}
