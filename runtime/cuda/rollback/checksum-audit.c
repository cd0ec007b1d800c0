/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A digest says nothing about when a buffer was changed, and a cell that has changed one by a stray
 * write and was committed is not found out before the next cell fails. So what is told is since
 * when.
 *
 * The emulated device asks before it writes to a buffer that was not saved (preimage.c), so there
 * are no digests there.
 */
#include "runtime/cuda/rollback/checksum-audit.h"

#include <stdlib.h>

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/buffer-checksum.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/memory/peers.h"
#include "runtime/cuda/memory/vmm-pool.h"
#include "runtime/cuda/reports/trace.h"
#include "runtime/cuda/rollback/digest.h"

#define PER_MESSAGE 1000
#define SUSPENDED_NS 10000000u /* less is a reading of two clocks */

static struct checksum_audit {
	uint64_t read_bytes, read_ns; /* of this cell */
	uint32_t covered;   /* a bit for each device: all that it reaches has a digest or a copy */
	uint64_t looked_ns; /* clock_suspended_ns() when that was looked at */
	struct {
		struct buffer_checksum *at;
		size_t n, cap;
	} expected; /* by the kernel process, while a session is taken over */
} audit;

/* ordinal: the device from which the buffer is seen. */
typedef bool buffer_question(const struct session_buffer *b, int ordinal);

/* Buffers of one device whose digests are wanted. */
struct batch {
	struct session_buffer **buffers;
	struct digest_range *ranges;
	size_t n;
};

static struct session_buffer *buffer_at(uint32_t i)
{
	return session_at(&device.session->buffers, struct session_buffer, i);
}

/* Host memory rolls back with the arena. */
static bool lacks_digest(const struct session_buffer *b, int ordinal)
{
	(void)ordinal;
	return !b->dead && b->kind < BUFFER_MANAGED && !b->digested;
}

/* A buffer that this cell has made or saved needs no digest. */
static bool is_to_be_read(const struct session_buffer *b, int ordinal)
{
	uint64_t serial = device.session->serial;

	return lacks_digest(b, ordinal) && b->born != serial && b->saved != serial &&
	       peers_reach(ordinal, b);
}

static bool has_digest(const struct session_buffer *b, int ordinal)
{
	(void)ordinal;
	return b->digested;
}

static void batch_add(struct batch *batch, struct session_buffer *b)
{
	batch->buffers[batch->n] = b;
	batch->ranges[batch->n++] = (struct digest_range){ b->address, b->size, 0 };
}

/* The buffers on device `where` that are wanted. */
static CUresult batch_open(struct batch *batch, int where, buffer_question *is_wanted, int ordinal)
{
	uint32_t n = device.session->buffers.n;

	*batch = (struct batch){ calloc(n + 1, sizeof(*batch->buffers)),
				 calloc(n + 1, sizeof(*batch->ranges)), 0 };
	if (!batch->buffers || !batch->ranges)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (uint32_t i = 0; i < n; i++)
		if (buffer_at(i)->device == where && is_wanted(buffer_at(i), ordinal))
			batch_add(batch, buffer_at(i));
	return CUDA_SUCCESS;
}

static void batch_close(struct batch *batch)
{
	free(batch->buffers);
	free(batch->ranges);
}

/* The buffers hold what the last cell has left, so this waits for nothing that the cell has begun,
 * as copies do. */
static CUresult batch_compute(struct batch *batch, int ordinal)
{
	int before = device_current();
	CUstream stream;
	CUresult result;

	if (!batch->n)
		return CUDA_SUCCESS;
	result = device_switch(ordinal);
	trace_hide();
	if (!result)
		result = device_own_stream(ordinal, &stream);
	if (!result)
		result = digest_compute(stream, batch->ranges, batch->n);
	trace_unhide();
	device_switch(before);
	return result;
}

static CUresult send(const struct buffer *items, uint32_t n)
{
	cleanup_buffer struct buffer message = BUFFER_INIT;
	struct error err = ERROR_INIT;

	record_put_u32(&message, n);
	buffer_append(&message, items->data, items->len);
	if (!buffer_check(items, &err) && !buffer_check(&message, &err) &&
	    !device.host->send(WORKER_DEVICE_CHECKSUMS, message.data, message.len, -1, &err))
		return CUDA_SUCCESS;
	log_error("device memory: %s", err.text);
	return CUDA_ERROR_OPERATING_SYSTEM;
}

static struct buffer_checksum checksum_of(const struct session_buffer *b)
{
	return (struct buffer_checksum){ b->address, b->size,         b->born,
					 b->digest,  b->suspended_ns, b->digested };
}

static CUresult announce(const struct batch *batch)
{
	CUresult result = CUDA_SUCCESS;

	for (size_t done = 0; done < batch->n && !result; done += PER_MESSAGE) {
		cleanup_buffer struct buffer items = BUFFER_INIT;
		size_t n = batch->n - done < PER_MESSAGE ? batch->n - done : PER_MESSAGE;

		for (size_t i = done; i < done + n; i++) {
			struct buffer_checksum c = checksum_of(batch->buffers[i]);

			buffer_checksum_put(&items, &c);
		}
		result = send(&items, (uint32_t)n);
	}
	return result;
}

/* Before device code of that cell runs. */
static CUresult batch_take(struct batch *batch, int ordinal, uint32_t cell)
{
	CUresult result = batch_compute(batch, ordinal);
	uint64_t suspended_ns = batch->n ? clock_suspended_ns() : 0;

	for (size_t i = 0; i < batch->n && !result; i++) {
		batch->buffers[i]->digest = batch->ranges[i].digest;
		batch->buffers[i]->suspended_ns = suspended_ns;
		batch->buffers[i]->digested = cell;
		audit.read_bytes += batch->ranges[i].size;
	}
	return result ? result : announce(batch);
}

static CUresult take_where(int where, buffer_question *is_wanted, int ordinal, uint32_t cell)
{
	struct batch batch;
	CUresult result = batch_open(&batch, where, is_wanted, ordinal);

	if (!result)
		result = batch_take(&batch, where, cell);
	batch_close(&batch);
	return result;
}

CUresult checksum_audit_rest(void)
{
	CUresult result = CUDA_SUCCESS;

	for (int i = 0; i < device.count && !result; i++)
		if (device.contexts[i].handle)
			result = take_where(i, lacks_digest, i, device.cell + 1);
	return result;
}

CUresult checksum_audit_reach(void)
{
	int ordinal = device_current();
	uint64_t began = clock_now_ns();
	CUresult result = CUDA_SUCCESS;

	if (audit.covered >> ordinal & 1)
		return CUDA_SUCCESS;
	for (int i = 0; i < device.count && !result; i++)
		if (device.contexts[i].handle)
			result = take_where(i, is_to_be_read, ordinal, device.cell);
	audit.read_ns += clock_now_ns() - began;
	if (!result)
		audit.covered |= 1u << ordinal;
	return result;
}

CUresult checksum_audit_forget(struct session_buffer *b)
{
	cleanup_buffer struct buffer item = BUFFER_INIT;
	struct buffer_checksum c;

	b->digested = 0;
	c = checksum_of(b);
	buffer_checksum_put(&item, &c);
	return send(&item, 1);
}

void checksum_audit_cell_begin(void)
{
	audit.read_bytes = audit.read_ns = 0;
}

void checksum_audit_cost(uint64_t *ret_bytes, uint64_t *ret_ns)
{
	*ret_bytes = audit.read_bytes;
	*ret_ns = audit.read_ns;
}

void checksum_audit_reset(void)
{
	audit.covered = 0;
}

/* ---- a session is taken over ---- */

void checksum_audit_expect(const struct buffer_checksum *c)
{
	if (!ARRAY_ROOM(audit.expected.at, audit.expected.n, &audit.expected.cap)) {
		log_error("device memory: no memory for the digest of the buffer at %#llx",
			  (unsigned long long)c->address);
		return;
	}
	audit.expected.at[audit.expected.n++] = *c;
}

/*
 * The digest that the session has for the buffer goes with the state that it is now in. If it has
 * none, the digest that was taken last before that state was left counts. true: the next worker
 * would not find it in the session.
 */
static bool take_expected(struct session_buffer *b)
{
	uint32_t committed = b->digested;

	for (size_t i = 0; i < audit.expected.n; i++) {
		const struct buffer_checksum *c = &audit.expected.at[i];

		if (c->address != b->address || c->size != b->size || c->born != b->born)
			continue;
		if (!c->cell) {
			b->digested = 0;
			break;
		}
		if (!committed) {
			b->digest = c->digest;
			b->suspended_ns = c->suspended_ns;
			b->digested = c->cell;
		}
	}
	return b->digested != committed;
}

void checksum_audit_lost(struct session_buffer *b)
{
	struct buffer_checksum c = checksum_of(b);

	c.cell = 0;
	checksum_audit_expect(&c);
}

static void tell(const struct session_buffer *b, struct buffer *report)
{
	buffer_printf(report,
		      "device buffer `%s` (cell %u, %llu bytes at 0x%llx) is not what it was: ",
		      session_buffer_name(b), b->cell, (unsigned long long)b->size,
		      (unsigned long long)b->address);
	if (clock_suspended_ns() >= b->suspended_ns + SUSPENDED_NS)
		buffer_puts(
			report,
			"the machine was suspended, and its driver has not kept the content. Make "
			"the buffer again; the option NVreg_PreserveVideoMemoryAllocations=1 of "
			"the nvidia module has it kept\n");
	else
		buffer_printf(report,
			      "since cell %u, device code has written to it by a pointer into "
			      "other memory, so there is no copy; after `%%gpu rollback whole` "
			      "there are copies of all that device code reaches\n",
			      b->digested);
}

/* forget: of what has changed. */
static CUresult check_on(int ordinal, CUresult (*forget)(struct session_buffer *b),
			 struct buffer *report)
{
	struct batch batch;
	CUresult result = batch_open(&batch, ordinal, has_digest, ordinal);

	if (!result)
		result = batch_compute(&batch, ordinal);
	if (result && batch.n)
		buffer_printf(report,
			      "whether %zu device buffers are what they were cannot be found out: "
			      "error %d of the driver\n",
			      batch.n, (int)result);
	for (size_t i = 0; i < batch.n && !result; i++) {
		if (batch.ranges[i].digest == batch.buffers[i]->digest)
			continue;
		tell(batch.buffers[i], report);
		result = forget(batch.buffers[i]);
	}
	batch_close(&batch);
	return result;
}

void checksum_audit_after_suspend(struct buffer *report)
{
	uint64_t now = clock_suspended_ns();
	unsigned unknown = 0;

	if (now < audit.looked_ns + SUSPENDED_NS)
		return;
	audit.looked_ns = now;
	for (uint32_t i = 0; i < device.session->buffers.n; i++)
		unknown += lacks_digest(buffer_at(i), 0);
	for (int i = 0; i < device.count; i++)
		if (device.contexts[i].handle)
			device_note(check_on(i, checksum_audit_forget, report));
	if (unknown)
		buffer_printf(report,
			      "the machine was suspended, and whether %u device buffer%s what %s "
			      "is not known: there was no time for a digest\n",
			      unknown, unknown == 1 ? " is" : "s are",
			      unknown == 1 ? "it was" : "they were");
}

/* The kernel process forgets all of them at the end. */
static CUresult forget_here(struct session_buffer *b)
{
	b->digested = 0;
	return CUDA_SUCCESS;
}

void checksum_audit_check(struct buffer *report)
{
	uint32_t n = device.session->buffers.n;
	cleanup_free bool *is_expected = calloc(n + 1, sizeof(*is_expected));
	/* A snapshot has its digests, and its content comes later. */
	bool compares = !device.refill && !device.driver->extension;

	for (uint32_t i = 0; i < n && is_expected; i++)
		is_expected[i] = take_expected(buffer_at(i));
	audit.expected.n = 0;
	audit.looked_ns = clock_suspended_ns();
	for (int i = 0; i < device.count && compares; i++)
		if (device.contexts[i].handle)
			check_on(i, forget_here, report);
	for (uint32_t i = 0; i < n; i++)
		if (!is_expected || is_expected[i] || device.driver->extension)
			buffer_at(i)->digested = 0;
}
