/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output_ring_read(): the output of a cell, in memory that the cell can write. Input: the
 * positions of the writer and of the reader, then what lies in the ring, which is filled with it.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/protocol/output-ring.h"
#include "common/protocol/worker-protocol.h"
#include "tests/fuzz/fuzz.h"

#define READS_MAX 64

static struct worker_control *control(void)
{
	static struct worker_control *c;

	if (!c)
		c = aligned_alloc(4096, sizeof(*c));
	if (!c)
		abort();
	return c;
}

static bool one(const uint8_t *data, size_t size)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct worker_control *c = control();
	uint64_t head = 0, tail = 0;
	enum output_type type;
	int got = 0;

	if (size < 16)
		return false;
	memcpy(&head, data, 8);
	memcpy(&tail, data + 8, 8);
	atomic_store(&c->ring_head, head);
	atomic_store(&c->ring_tail, tail);
	/* At the reader's position, and around the end of the ring. */
	for (size_t i = 16; i < size && i - 16 < OUTPUT_RING_SIZE; i++)
		c->ring[(tail + i - 16) % OUTPUT_RING_SIZE] = (char)data[i];
	for (int n = 0; n < READS_MAX; n++) {
		got = output_ring_read(c, 1000, &type, &b, NULL);
		if (got <= 0)
			break;
	}
	return got >= 0;
}

static void put(struct buffer *to, enum output_type type, const void *data, uint32_t len)
{
	const uint32_t head[2] = { type, len };
	static const char zeros[8];

	buffer_append(to, head, sizeof(head));
	buffer_append(to, data, len);
	buffer_append(to, zeros, (8 - len % 8) % 8);
}

static bool seed(unsigned i, struct buffer *to)
{
	cleanup_buffer struct buffer records = BUFFER_INIT;
	uint64_t tail = i ? OUTPUT_RING_SIZE - 24 : 0, head;

	if (i > 1)
		return false;
	put(&records, OUTPUT_STDOUT, "hello ", 6);
	put(&records, OUTPUT_STDOUT, "world\n", 6);
	put(&records, OUTPUT_STDERR, "oh", 2);
	put(&records, OUTPUT_CLEAR, "\1", 1);
	put(&records, OUTPUT_PART, "\1\0\0\0", 4);
	put(&records, OUTPUT_DISPLAY, "\0\0", 2);
	head = tail + records.len;
	buffer_append(to, &head, 8);
	buffer_append(to, &tail, 8);
	buffer_append(to, records.data, records.len);
	return true;
}

const struct fuzz_target fuzz_ring = { one, seed, 100000 };
