/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of device memory, which a worker fills by messages: chunks, pre-images, checksums and
 * what it drops, between commits, rollbacks and undo. Input: [u8 operation, u64 numbers].
 */
#define _GNU_SOURCE
#include "kernel/state/device-memory.h"

#include <fcntl.h>
#include <stdlib.h>

#include "common/base/buffer.h"
#include "common/base/record.h"
#include "tests/fuzz/fuzz.h"

enum operation { CHUNK, PREIMAGE, CHECKSUMS, DROP, COMMIT, ROLLBACK, RESTORED, UNDO, OPERATIONS };

struct session {
	struct device_memory memory;
	struct device_undo undo;
};

static void undo(struct session *s)
{
	struct device_undo *steps[] = { &s->undo };

	if (!s->undo.valid || device_memory_undo_room(&s->memory, steps, 1, NULL))
		return;
	device_memory_undo(&s->memory, steps, 1, NULL);
	device_undo_release(&s->undo);
	s->undo = (struct device_undo){ 0 };
}

static int take(struct session *s, enum operation what, struct record *r)
{
	struct device_memory *m = &s->memory;
	struct device_preimage p;
	uint64_t id, size, address;

	switch (what) {
	case CHUNK:
		id = record_u64(r);
		size = record_u64(r);
		address = record_u64(r);
		return device_memory_chunk(m, id, size, address,
					   open("/dev/null", O_RDWR | O_CLOEXEC), NULL);
	case PREIMAGE:
		p.address = record_u64(r);
		p.size = record_u64(r);
		p.chunk = record_u64(r);
		p.offset = record_u64(r);
		return device_memory_preimage(m, &p, NULL);
	case CHECKSUMS:
		return device_memory_checksums(m, r, NULL);
	case DROP:
		return device_memory_drop(m, record_u64(r), NULL);
	case COMMIT:
		device_undo_release(&s->undo);
		device_memory_commit(m, &s->undo);
		return 0;
	case ROLLBACK:
		device_memory_rollback(m);
		return 0;
	case RESTORED:
		device_memory_restored(m, NULL);
		return 0;
	default:
		undo(s);
		return 0;
	}
}

static bool one(const uint8_t *data, size_t size)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct record r = record_open(data, size);
	struct session s = { 0 };
	bool taken = true;

	while (r.at < r.end && !r.failed)
		if (take(&s, (enum operation)(record_u8(&r) % OPERATIONS), &r))
			taken = false;
	device_memory_encode_preimages(&s.memory, &out);
	device_memory_encode_keeping(&s.memory, &out);
	device_memory_encode_checksums(&s.memory, &out);
	device_memory_encode_waiting(&s.memory, &out);
	for (size_t i = 0; i < s.memory.chunks.n; i++)
		device_chunk_encode(&s.memory.chunks.at[i], &out);
	device_undo_release(&s.undo);
	device_memory_release(&s.memory);
	return taken && !r.failed;
}

static void put(struct buffer *to, enum operation what, size_t n, const uint64_t *numbers)
{
	record_put_u8(to, (uint8_t)what);
	for (size_t i = 0; i < n; i++)
		record_put_u64(to, numbers[i]);
}

static bool seed(unsigned i, struct buffer *to)
{
	static const uint64_t chunk[] = { 1, 2u << 20, 0x300000000000 },
			      spare[] = { 2, 2u << 20, 0 },
			      preimage[] = { 0x300000000000, 1u << 20, 2, 0 }, first[] = { 1 };

	if (i > 1)
		return false;
	put(to, CHUNK, 3, chunk);
	put(to, COMMIT, 0, NULL);
	put(to, CHUNK, 3, spare);
	put(to, PREIMAGE, 4, preimage);
	put(to, i ? ROLLBACK : COMMIT, 0, NULL);
	put(to, i ? RESTORED : UNDO, 0, NULL);
	if (i)
		put(to, DROP, 1, first);
	put(to, COMMIT, 0, NULL);
	return true;
}

const struct fuzz_target fuzz_device = { one, seed, 30000 };
