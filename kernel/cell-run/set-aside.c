/* SPDX-License-Identifier: Apache-2.0 */
/* The steps are those of a commit up to the copy of the worker's pages. After that the cell is as
 * one that has failed: its worker is ended, and the next one copies device memory back. */
#include "kernel/cell-run/set-aside.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/settings/size-text.h"
#include "kernel/state/commit.h"
#include "kernel/state/device-memory.h"
#include "kernel/state/redo.h"
#include "kernel/state/undo-log.h"
#include "kernel/units/unit-table.h"
#include "kernel/workers/worker.h"

int set_aside(struct supervisor *s, struct worker *w, struct error *err)
{
	struct commit_source from = { w->pid, w->pagemap, s->dirty_pages };
	struct redo redo;

	if (s->run.unsaved.len)
		return error_set(err, ERROR_STATE, "it has overwritten blocks that are not saved");
	if (commit_begin(&s->commit, &s->snapshot, &s->journal, &from, NULL, err) ||
	    commit_set_aside(&s->commit, &redo, err))
		return -1;
	redo.cell = s->run.cell;
	if (unit_table_take(&s->units, unit_table_committed(&s->units), &redo.units,
			    &redo.n_units)) {
		redo_release(&redo);
		return error_set(err, ERROR_MEMORY, "out of memory");
	}
	device_memory_set_aside(&s->device, &redo.device);
	if (!undo_log_set_redo(&s->snapshot.undo, &redo, &s->device))
		return error_set(err, ERROR_LIMIT, "it is more than --undo keeps");
	return 0;
}

void set_aside_put(const struct supervisor *s, struct buffer *out)
{
	const struct redo *r = &s->snapshot.undo.redo;
	uint64_t host = r->ranges.bytes, device = redo_bytes(r) - r->mapped;
	char size[SIZE_TEXT_MAX];

	for (size_t i = 0; i < s->device.preimages.n; i++)
		device += s->device.preimages.at[i].size;
	buffer_printf(out,
		      "What it had done is set aside, and `%%redo` before the next cell brings it "
		      "back: %s of variables and heap",
		      size_text(host, size));
	if (device)
		buffer_printf(out, ", %s of device memory", size_text(device, size));
	buffer_puts(out, ".");
}
