/* SPDX-License-Identifier: Apache-2.0 */
/* The image is filled where the state is left: kernel/state/commit.c for an interrupted cell, whose
 * pages are read from its worker, kernel/state/snapshot.c for an undo, whose pages are committed.
 */
#include "kernel/state/redo.h"

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
