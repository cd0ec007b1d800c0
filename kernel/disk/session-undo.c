/* SPDX-License-Identifier: Apache-2.0 */
/* Old content is written back into the arena and given back to the device, newest commit first. A
 * session that a loaded snapshot or a reset has replaced is brought back as a whole. A redo is a
 * commit whose pages come from the redo image.
 *
 * The old session is moved, not copied: its memfd, device memory and unit table go into the undo
 * entry, which owns them from then on, and the members of struct supervisor get the new ones. The
 * allocation of the entry is the only step that can fail, and it comes first. The serial number of
 * the state goes up, so that the old state and the new one are told apart.
 */
#include "kernel/disk/session-undo.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/device/closings.h"
#include "kernel/device/device-home.h"
#include "kernel/device/device-share.h"
#include "kernel/state/device-memory.h"
#include "kernel/state/redo.h"
#include "kernel/state/session-swap.h"
#include "kernel/state/snapshot.h"
#include "kernel/state/undo-log.h"
#include "kernel/units/unit-table.h"
#include "kernel/workers/worker-pool.h"

void session_undo_room(const struct supervisor *s, struct session_undo_room *ret)
{
	const struct undo_log *l = &s->snapshot.undo;

	*ret = (struct session_undo_room){
		.oldest = l->n ? l->at[0].serial : s->snapshot.serial,
		.bytes = undo_log_bytes(l),
		.bytes_max = l->bytes_max,
		.redo = l->redo.valid ? l->redo.cell : 0,
	};
}

/* Brings back the session that a loaded snapshot has replaced. Newer entries belong to memory that
 * is released here. */
static void swap_back(struct supervisor *s, struct undo_entry *e)
{
	struct snapshot *to = &s->snapshot;

	snapshot_touch(to);
	arena_file_release(&to->arena);
	to->arena = e->swap->arena;
	e->swap->arena = (struct arena_file)ARENA_FILE_INIT;
	to->heap_freed = e->heap_freed;
	to->serial = e->serial;
	memcpy(to->top, e->top, sizeof(to->top));
	device_memory_release(&s->device);
	s->device = e->swap->device;
	e->swap->device = (struct device_memory){ 0 };
	unit_table_release(&s->units);
	s->units = e->swap->units;
	unit_table_init(&e->swap->units);
	worker_pool_renew(s);
}

/* Undoes replacements among the n newest entries by bringing back the oldest replaced session.
 * Returns how many entries are older than that. */
static unsigned undo_swaps(struct supervisor *s, unsigned n)
{
	struct undo_log *l = &s->snapshot.undo;
	unsigned first = l->n - n, at = first;

	while (at < l->n && !l->at[at].swap)
		at++;
	if (at == l->n)
		return n;
	swap_back(s, &l->at[at]);
	undo_log_pop(l, l->n - at);
	return at - first;
}

static int undo(struct supervisor *s, unsigned all, struct error *err)
{
	struct undo_log *l = &s->snapshot.undo;
	struct device_undo *device[UNDO_COMMITS_MAX];
	struct redo redo = { 0 };
	uint32_t newest = undo_log_newest(l)->cell;
	unsigned n = undo_swaps(s, all);
	bool keeps;
	uint64_t units;

	undo_log_drop_redo(l);
	if (!n)
		return 0;
	units = l->at[l->n - n].units;
	for (unsigned i = 0; i < n; i++)
		device[i] = &l->at[l->n - 1 - i].device;
	if (device_memory_undo_room(&s->device, device, n, err))
		return -1;
	keeps = n == all && !snapshot_keep_redo(&s->snapshot, n, &redo, NULL);
	if (snapshot_undo(&s->snapshot, n, err)) {
		redo_release(&redo);
		return -1;
	}
	device_memory_undo(&s->device, device, n, keeps ? &redo.device : NULL);
	if (unit_table_take(&s->units, units, &redo.units, &redo.n_units))
		redo.valid = false;
	undo_log_pop(l, n);
	redo.cell = newest;
	undo_log_set_redo(l, &redo, &s->device);
	closings_await(s);
	device_share_settle(s);
	return 0;
}

int session_undo(struct supervisor *s, uint64_t state, struct error *err)
{
	unsigned n;
	int failed;

	if (s->run.phase != RUN_NONE)
		return error_set(err, ERROR_STATE, "a cell runs");
	if (device_home_is_missed(s))
		return error_set(err, ERROR_STATE,
				 "the device memory of the session cannot be reached, so it cannot "
				 "be taken back: `%%gpu reset` tries the device again");
	s->hooks->settle_in_place(s);
	n = undo_log_depth(&s->snapshot.undo, state);
	if (!n)
		return error_set(err, ERROR_STATE,
				 "what is needed to go back that far is not kept any more");
	if (worker_pool_empty(s, err))
		return -1;
	failed = undo(s, n, err);
	worker_pool_refill(s);
	return failed;
}

/* No worker has the arena mapped. The image is used up, or on error as before. */
static int redo(struct supervisor *s, struct redo *r, struct error *err)
{
	struct device_undo *device = &r->device, inverse;
	struct undo_entry *entry;

	if (device_memory_undo_room(&s->device, &device, 1, err) ||
	    unit_table_reserve(&s->units, r->n_units, err) ||
	    snapshot_redo(&s->snapshot, &s->journal, r, err))
		return -1;
	entry = undo_log_newest(&s->snapshot.undo);
	entry->cell = r->cell;
	entry->units = unit_table_committed(&s->units);
	device_memory_undo(&s->device, &device, 1, &inverse);
	entry->device = inverse;
	unit_table_put(&s->units, r->units, r->n_units);
	r->n_units = 0;
	redo_release(r);
	undo_log_trim(&s->snapshot.undo);
	if (!s->snapshot.undo.n)
		s->device.keeping = KEEPING_NO;
	return 0;
}

int session_redo(struct supervisor *s, struct error *err)
{
	struct undo_log *l = &s->snapshot.undo;
	struct redo r;

	if (s->run.phase != RUN_NONE)
		return error_set(err, ERROR_STATE, "a cell runs");
	if (device_home_is_missed(s))
		return error_set(err, ERROR_STATE,
				 "the device memory of the session cannot be reached, so nothing "
				 "can be brought back: `%%gpu reset` tries the device again");
	if (!l->redo.valid || s->device.keeping != KEEPING_NO)
		return error_set(err, ERROR_STATE, "there is nothing that can be brought back");
	s->hooks->settle_in_place(s);
	if (worker_pool_empty(s, err))
		return -1;
	r = l->redo;
	l->redo = (struct redo){ 0 };
	if (redo(s, &r, err)) {
		l->redo = r;
		worker_pool_refill(s);
		return -1;
	}
	worker_pool_refill(s);
	closings_await(s);
	device_share_settle(s);
	return 0;
}

bool session_redo_changes(const struct supervisor *s, uint64_t address, uint64_t len)
{
	return snapshot_redo_changes(&s->snapshot, address, len);
}

void session_redo_symbols(const struct supervisor *s,
			  void (*fn)(void *data, const struct unit_symbol *symbol), void *data)
{
	const struct redo *r = &s->snapshot.undo.redo;

	for (size_t i = 0; i < r->n_units; i++)
		for (size_t k = 0; k < r->units[i].unit.n_symbols; k++)
			fn(data, &r->units[i].unit.symbols[k]);
}

int session_replace(struct supervisor *s, const struct session_state *to, struct error *err)
{
	struct session_swap *old = calloc(1, sizeof(*old));
	struct undo_entry e = { .swap = old };

	if (!old)
		return error_set(err, ERROR_MEMORY, "out of memory for the old session");
	e.cell = s->run.cell;
	e.serial = s->snapshot.serial;
	e.heap_freed = s->snapshot.heap_freed;
	e.units = unit_table_committed(&s->units);
	e.preimage.valid = e.device.valid = true;
	memcpy(e.top, s->snapshot.top, sizeof(e.top));
	*old = (struct session_swap){ s->snapshot.arena, s->device, s->units };
	undo_log_push(&s->snapshot.undo, &e);
	snapshot_touch(&s->snapshot);
	s->snapshot.arena = to->arena;
	s->snapshot.serial++;
	s->snapshot.heap_freed = to->heap_freed;
	memcpy(s->snapshot.top, to->top, sizeof(e.top));
	s->device = (struct device_memory){ 0 };
	s->units = to->units;
	return 0;
}
