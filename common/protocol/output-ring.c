/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Positions grow without wrapping; a record may wrap around the end of the ring. The writer
 * publishes with a release store of ring_head, the reader frees with a release store of ring_tail
 * and wakes a writer that sleeps on ring_waiting.
 */
#include "common/protocol/output-ring.h"

#include <sched.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/futex.h"
#include "common/protocol/worker-protocol.h"

#define RECORD_MAX (OUTPUT_RING_SIZE / 4)

struct head {
	uint32_t type;
	uint32_t len;
};

static _Atomic int writer_lock;

static size_t padded(size_t len)
{
	return (sizeof(struct head) + len + 7) / 8 * 8;
}

static void copy_in(struct worker_control *c, uint64_t pos, const void *data, size_t len)
{
	size_t at = pos % OUTPUT_RING_SIZE;
	size_t first = OUTPUT_RING_SIZE - at < len ? OUTPUT_RING_SIZE - at : len;

	memcpy(c->ring + at, data, first);
	memcpy(c->ring, (const char *)data + first, len - first);
}

static void copy_out(const struct worker_control *c, uint64_t pos, void *data, size_t len)
{
	size_t at = pos % OUTPUT_RING_SIZE;
	size_t first = OUTPUT_RING_SIZE - at < len ? OUTPUT_RING_SIZE - at : len;

	memcpy(data, c->ring + at, first);
	memcpy((char *)data + first, c->ring, len - first);
}

static void wait_for_room(struct worker_control *c, uint64_t head, size_t need)
{
	for (;;) {
		uint64_t tail = atomic_load_explicit(&c->ring_tail, memory_order_acquire);

		if (head - tail + need <= OUTPUT_RING_SIZE)
			return;
		atomic_store(&c->ring_waiting, 1);
		tail = atomic_load(&c->ring_tail);
		if (head - tail + need <= OUTPUT_RING_SIZE)
			return;
		futex_wait(&c->ring_waiting, 1, NULL);
	}
}

static void write_one(struct worker_control *c, enum output_type type, const void *data, size_t len)
{
	uint64_t head = atomic_load_explicit(&c->ring_head, memory_order_relaxed);
	struct head h = { type, (uint32_t)len };

	wait_for_room(c, head, padded(len));
	copy_in(c, head, &h, sizeof(h));
	copy_in(c, head + sizeof(h), data, len);
	atomic_store_explicit(&c->ring_head, head + padded(len), memory_order_release);
}

void output_ring_write(struct worker_control *c, enum output_type type, const void *data,
		       size_t len)
{
	while (atomic_exchange_explicit(&writer_lock, 1, memory_order_acquire))
		sched_yield();
	do {
		size_t part = len < RECORD_MAX ? len : RECORD_MAX;
		bool more = (type == OUTPUT_DISPLAY || type == OUTPUT_COMM) && part < len;

		write_one(c, more ? OUTPUT_PART : type, data, part);
		data = (const char *)data + part;
		len = type == OUTPUT_RESULT ? 0 : len - part;
	} while (len);
	atomic_store_explicit(&writer_lock, 0, memory_order_release);
}

static int corrupt(struct worker_control *c, uint64_t head, struct error *err)
{
	atomic_store(&c->ring_tail, head);
	return error_set(err, ERROR_PROTOCOL,
			 "the cell has overwritten the output records of its worker");
}

static void release(struct worker_control *c, uint64_t tail)
{
	atomic_store_explicit(&c->ring_tail, tail, memory_order_seq_cst);
	if (atomic_exchange(&c->ring_waiting, 0))
		futex_wake(&c->ring_waiting);
}

int output_ring_read(struct worker_control *c, size_t max_text, enum output_type *ret_type,
		     struct buffer *data, struct error *err)
{
	uint64_t head = atomic_load_explicit(&c->ring_head, memory_order_acquire);
	uint64_t tail = atomic_load_explicit(&c->ring_tail, memory_order_relaxed);
	uint32_t type = 0;

	buffer_clear(data);
	if (head - tail > OUTPUT_RING_SIZE)
		return corrupt(c, head, err);
	while (tail != head) {
		struct head h;
		char *at;

		copy_out(c, tail, &h, sizeof(h));
		if (h.len > RECORD_MAX || padded(h.len) > head - tail || h.type < OUTPUT_STDOUT ||
		    h.type > OUTPUT_COMM)
			return corrupt(c, head, err);
		if (type &&
		    (h.type != type || h.type > OUTPUT_STDERR || data->len + h.len > max_text))
			break;
		at = buffer_extend(data, h.len);
		/* Memory is short: what is joined already is the text, and the rest comes with the
		 * next call. */
		if (!at && type) {
			data->failed = false;
			break;
		}
		type = h.type;
		if (at)
			copy_out(c, tail + sizeof(h), at, h.len);
		tail += padded(h.len);
	}
	if (!type)
		return 0;
	release(c, tail);
	*ret_type = (enum output_type)type;
	return buffer_check(data, err) ? -1 : 1;
}
