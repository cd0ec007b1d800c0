/* SPDX-License-Identifier: Apache-2.0 */
/* The image is filled where the state is left: kernel/state/commit.c for an interrupted cell, whose
 * pages are read from its worker, kernel/state/snapshot.c for an undo, whose pages are committed.
 */
#include "kernel/state/redo.h"

#include <string.h>

#include "kernel/state/kept-memory.h"
#include "kernel/units/unit-table.h"

void redo_release(struct redo *r)
{
	dirty_ranges_release(&r->ranges);
	kept_memory_give(r->data, r->mapped);
	device_undo_release(&r->device);
	unit_records_free(r->units, r->n_units);
	*r = (struct redo){ 0 };
}

uint64_t redo_bytes(const struct redo *r)
{
	return r->mapped + device_undo_bytes(&r->device);
}

void redo_read(const struct redo *r, uint64_t address, void *out, size_t len)
{
	uint64_t end = address + len;
	const char *data = r->data;

	for (size_t i = 0; i < r->ranges.n; data += r->ranges.at[i++].size) {
		const struct dirty_range *range = &r->ranges.at[i];
		uint64_t from = range->address > address ? range->address : address;
		uint64_t range_end = range->address + range->size;
		uint64_t to = range_end < end ? range_end : end;

		if (from < to)
			memcpy((char *)out + (from - address), data + (from - range->address),
			       to - from);
	}
}
