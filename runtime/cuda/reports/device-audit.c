/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The emulated device is this process's alone, so its answer is exact but for two things: arrays of
 * the session, whose rows the driver aligns, and what device code has taken by malloc(), up to the
 * limit of its heap. A GPU answers for all processes that use it, which says nothing of this one:
 * there the audit is left out.
 */
#include "runtime/cuda/reports/device-audit.h"

#include "common/base/buffer.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/memory/library-memory.h"
#include "runtime/cuda/memory/vmm-pool.h"

#define TOLERANCE (1024ull * 1024)
#define TRIES 3 /* a thread of the cell may be about to take something */

/* Arrays of the driver, behind which a buffer of the session stands. */
static uint64_t array_bytes(int ordinal)
{
	const struct session_array *a = &device.session->buffers;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		const struct session_buffer *b = session_at(a, struct session_buffer, i);

		if (b->kind == BUFFER_ARRAY && b->device == ordinal)
			bytes += b->size;
	}
	return bytes;
}

/* Bytes that may be taken and have no row. */
static uint64_t unseen(int ordinal)
{
	size_t heap = 0;

	device.driver->cuCtxGetLimit(&heap, CU_LIMIT_MALLOC_HEAP_SIZE);
	/* Rows of arrays are aligned: the smallest take several times their size. */
	return heap + 4 * array_bytes(ordinal) + TOLERANCE;
}

static uint64_t unknown_bytes(int ordinal)
{
	uint64_t taken = device.driver->extension->used(ordinal), known;

	device_lock();
	known = vmm_pool_taken(ordinal) + library_memory_bytes(ordinal) -
		library_memory_bytes_of(LIBRARY_LIMIT, ordinal) -
		library_memory_bytes_of(LIBRARY_UNKNOWN, ordinal);
	known += unseen(ordinal);
	device_unlock();
	return taken > known ? taken - known + TOLERANCE : 0;
}

static void audit(int ordinal, struct buffer *warnings)
{
	struct library_memory h = { .kind = LIBRARY_UNKNOWN,
				    .key = (uint64_t)ordinal,
				    .call = "not known" },
			      before = { 0 };
	char more[24], used[24], limit[24];

	library_memory_find(LIBRARY_UNKNOWN, h.key, &before);
	for (int i = 0; i < TRIES; i++) {
		h.bytes = unknown_bytes(ordinal);
		if (h.bytes <= before.bytes)
			break;
	}
	library_memory_settle(ordinal, 0, &h);
	if (h.bytes <= before.bytes)
		return;
	device_lock();
	buffer_printf(warnings,
		      "%s of device memory were taken by a way that is not counted; they count "
		      "from here on: %s of %s are used\n",
		      ledger_size_text(h.bytes - before.bytes, more),
		      ledger_size_text(ledger_used(), used), ledger_size_text(device.limit, limit));
	device_unlock();
}

void device_audit(struct buffer *warnings)
{
	int before = device_current();

	if (!device.driver->extension)
		return;
	for (int i = 0; i < device.count; i++)
		if (device.contexts[i].handle && !device_switch(i))
			audit(i, warnings);
	device_switch(before);
}
