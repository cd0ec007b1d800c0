/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log is a fixed array, oldest first, and entries own their pre-images, device memory and old
 * sessions. It has two limits: a push drops the oldest entry when the array is full, and
 * undo_log_trim() drops the oldest ones while all together hold too many bytes. If the newest entry
 * is incomplete or too large by itself, all entries go, since an older state can be reached only
 * through it.
 */
#include "kernel/state/undo-log.h"

#include <string.h>

static void entry_release(struct undo_entry *e)
{
	preimage_release(&e->preimage);
	device_undo_release(&e->device);
	session_swap_free(e->swap);
}

static uint64_t entry_bytes(const struct undo_entry *e)
{
	return preimage_bytes(&e->preimage) + e->kept_heap + device_undo_bytes(&e->device) +
	       (e->swap ? session_swap_bytes(e->swap) : 0);
}

static void drop_oldest(struct undo_log *l, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		entry_release(&l->at[i]);
	l->n -= n;
	memmove(&l->at[0], &l->at[n], l->n * sizeof(l->at[0]));
}

void undo_log_drop_redo(struct undo_log *l)
{
	redo_release(&l->redo);
}

void undo_log_clear(struct undo_log *l)
{
	undo_log_drop_redo(l);
	drop_oldest(l, l->n);
}

void undo_log_push(struct undo_log *l, const struct undo_entry *e)
{
	undo_log_drop_redo(l);
	if (l->n == UNDO_COMMITS_MAX)
		drop_oldest(l, 1);
	l->at[l->n++] = *e;
}

void undo_log_each_chunks(struct undo_log *l, undo_chunks_fn *fn, void *data)
{
	for (unsigned i = 0; i < l->n; i++) {
		fn(data, &l->at[i].device.dropped);
		if (l->at[i].swap)
			fn(data, &l->at[i].swap->device.chunks);
	}
	fn(data, &l->redo.device.dropped);
}

uint64_t undo_log_bytes(const struct undo_log *l)
{
	uint64_t bytes = redo_bytes(&l->redo);

	for (unsigned i = 0; i < l->n; i++)
		bytes += entry_bytes(&l->at[i]);
	return bytes;
}

bool undo_log_keeps_newest(const struct undo_log *l)
{
	const struct undo_entry *e = l->n ? &l->at[l->n - 1] : NULL;

	return e && e->preimage.valid && e->device.valid &&
	       (e->swap || entry_bytes(e) <= l->bytes_max);
}

void undo_log_trim(struct undo_log *l)
{
	uint64_t bytes = undo_log_bytes(l);
	unsigned n = 0;

	if (!undo_log_keeps_newest(l))
		n = l->n;
	for (; n + 1 < l->n && bytes > l->bytes_max; n++)
		bytes -= entry_bytes(&l->at[n]);
	drop_oldest(l, n);
}

void undo_log_pop(struct undo_log *l, unsigned n)
{
	while (n--)
		entry_release(&l->at[--l->n]);
}

bool undo_log_set_redo(struct undo_log *l, const struct redo *r, struct device_memory *d)
{
	undo_log_drop_redo(l);
	l->redo = *r;
	if (r->valid && r->device.valid && redo_bytes(r) <= l->bytes_max) {
		undo_log_trim(l);
		return true;
	}
	undo_log_drop_redo(l);
	d->keeping = KEEPING_NO;
	return false;
}

unsigned undo_log_depth(const struct undo_log *l, uint64_t serial)
{
	for (unsigned i = 0; i < l->n; i++)
		if (l->at[i].serial == serial)
			return l->n - i;
	return 0;
}
