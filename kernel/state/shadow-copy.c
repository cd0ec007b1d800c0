/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two files are compared before anything is copied: what did not change stays as it is, and
 * costs undo nothing. Both are read with pread(), piece by piece into buffers that the processor's
 * cache holds: through a mapping, a page that is missing could be no memory to read from.
 */
#define _GNU_SOURCE
#include "kernel/state/shadow-copy.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/memory/address-map.h"
#include "kernel/base/parallel-for.h"
#include "kernel/state/arena-file.h"
#include "kernel/state/dirty-pages.h"
#include "kernel/state/journal.h"
#include "kernel/state/kept-memory.h"

#define SLICE (4ull * 1024 * 1024)
#define PIECE (64ull * 1024)
#define PROBES 4

/* ---- the table ---- */

static bool overlaps(const struct shadow_copy *w, uint64_t address, uint64_t size)
{
	return w->address < address + size && address < w->address + w->size;
}

uint64_t shadow_copies_bytes(const struct shadow_copies *t)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < t->n; i++)
		bytes += t->at[i].size;
	return bytes;
}

void shadow_copies_drop(struct shadow_copies *t, const struct shadow_files *f, unsigned i)
{
	const struct shadow_copy *w = &t->at[i];

	arena_file_punch(f->live, w->address - f->base, w->size, NULL);
	t->n--;
	memmove(&t->at[i], &t->at[i + 1], (t->n - i) * sizeof(t->at[0]));
}

void shadow_copies_release(struct shadow_copies *t)
{
	t->n = 0;
	t->written = false;
}

bool shadow_copies_adopt(struct shadow_copies *t, const struct shadow_files *f, uint64_t address,
			 uint64_t size)
{
	uint64_t bytes = size;

	if (size < SHADOW_COPY_MIN)
		return false;
	for (unsigned i = 0; i < t->n; i++) {
		bool gone = overlaps(&t->at[i], address, size);

		if (gone && (t->at[i].shared || t->at[i].size > size))
			return false;
		bytes += gone ? 0 : t->at[i].size;
	}
	if (bytes > t->bytes_max)
		return false;
	for (unsigned i = t->n; i-- > 0;)
		if (overlaps(&t->at[i], address, size))
			shadow_copies_drop(t, f, i);
	if (t->n == SHADOW_COPIES_MAX)
		return false;
	t->at[t->n++] = (struct shadow_copy){ .address = address, .size = size, .changed = true };
	return true;
}

bool shadow_copies_have_room(const struct shadow_copies *t, size_t n, uint64_t bytes)
{
	return t->n + n <= SHADOW_COPIES_MAX && shadow_copies_bytes(t) + bytes <= t->bytes_max;
}

void shadow_copies_add_fresh(struct shadow_copies *t, uint64_t address, uint64_t size)
{
	t->at[t->n++] = (struct shadow_copy){ .address = address,
					      .size = size,
					      .filled = true,
					      .stale = true,
					      .fresh = true,
					      .shared = true,
					      .unwanted = true };
}

void shadow_copies_overwritten(struct shadow_copies *t, const struct dirty_ranges *ranges)
{
	for (unsigned i = 0; i < t->n; i++)
		for (size_t k = 0; k < ranges->n && t->at[i].filled && !t->at[i].shared; k++)
			if (overlaps(&t->at[i], ranges->at[k].address, ranges->at[k].size))
				t->at[i].filled = false;
}

void shadow_copies_committed(struct shadow_copies *t)
{
	for (unsigned i = 0; t->written && i < t->n; i++)
		t->at[i].stale = t->at[i].shared;
	t->written = false;
}

static bool is_wanted(const struct shadow_copy *w, enum shadow_work which)
{
	return (w->stale && (which != SHADOW_UNWANTED || w->unwanted)) ||
	       (which == SHADOW_ALL && !w->filled);
}

bool shadow_copies_need_work(const struct shadow_copies *t, enum shadow_work which)
{
	for (unsigned i = 0; i < t->n; i++)
		if (is_wanted(&t->at[i], which))
			return true;
	return false;
}

bool shadow_copies_are_stale(const struct shadow_copies *t)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->at[i].stale)
			return true;
	return false;
}

bool shadow_copies_are_shared(const struct shadow_copies *t)
{
	return shadow_copies_shared_from(t, 0);
}

bool shadow_copies_share(const struct shadow_copies *t, uint64_t address, uint64_t size)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->at[i].shared && overlaps(&t->at[i], address, size))
			return true;
	return false;
}

static const struct shadow_copy *lowest_from(const struct shadow_copies *t, uint64_t address,
					     bool shared_only)
{
	const struct shadow_copy *next = NULL;

	for (unsigned i = 0; i < t->n; i++)
		if ((t->at[i].shared || !shared_only) && t->at[i].address >= address &&
		    (!next || t->at[i].address < next->address))
			next = &t->at[i];
	return next;
}

const struct shadow_copy *shadow_copies_from(const struct shadow_copies *t, uint64_t address)
{
	return lowest_from(t, address, false);
}

const struct shadow_copy *shadow_copies_shared_from(const struct shadow_copies *t, uint64_t address)
{
	return lowest_from(t, address, true);
}

void shadow_copies_unshare(struct shadow_copies *t, bool unwanted_only)
{
	for (unsigned i = 0; i < t->n; i++)
		if (!unwanted_only || t->at[i].unwanted)
			t->at[i].shared = t->at[i].filled = false;
	if (!unwanted_only)
		t->written = false;
}

int shadow_copies_read(const struct shadow_copies *t, int live, uint64_t base, uint64_t address,
		       void *out, size_t len)
{
	for (unsigned i = 0; i < t->n; i++) {
		const struct shadow_copy *w = &t->at[i];
		uint64_t from = w->address > address ? w->address : address;
		uint64_t to =
			w->address + w->size < address + len ? w->address + w->size : address + len;

		if (w->stale && from < to &&
		    arena_file_read(live, from - base, (char *)out + (from - address), to - from,
				    NULL))
			return -1;
	}
	return 0;
}

/* ---- copying ---- */

struct slice {
	struct shadow_copy *shadow;
	uint64_t at; /* offset in it */
	uint64_t size;
	bool changed, failed;
	struct preimage saved;
};

struct work {
	struct shadow_files files;
	uint64_t keep_bytes;
	_Atomic uint64_t saved_bytes; /* exceeds keep_bytes when undo has lost this commit */
	struct slice *slices;
	size_t n;
};

/* Cuts each shadow copy that has work into slices. */
static int make_slices(struct shadow_copies *t, enum shadow_work which, struct work *work,
		       struct error *err)
{
	size_t most = shadow_copies_bytes(t) / SLICE + t->n;

	work->slices = calloc(most + 1, sizeof(*work->slices));
	if (!work->slices)
		return error_set(err, ERROR_MEMORY, "out of memory to compare %zu pieces", most);
	for (unsigned i = 0; i < t->n; i++) {
		struct shadow_copy *w = &t->at[i];

		for (uint64_t at = 0; is_wanted(w, which) && at < w->size; at += SLICE)
			work->slices[work->n++] =
				(struct slice){ .shadow = w,
						.at = at,
						.size = w->size - at < SLICE ? w->size - at : SLICE,
						.failed = true };
	}
	return 0;
}

static uint64_t offset_of(const struct work *work, const struct slice *s, uint64_t at)
{
	return s->shadow->address - work->files.base + s->at + at;
}

/* ---- refresh ---- */

static int note_range(struct dirty_ranges *r, uint64_t address, struct error *err)
{
	struct dirty_range *last = r->n ? &r->at[r->n - 1] : NULL;

	if (last && last->address + last->size == address) {
		last->size += ARENA_PAGE;
	} else {
		if (r->n == r->cap) {
			size_t cap = r->cap ? r->cap * 2 : 8;
			struct dirty_range *at = realloc(r->at, cap * sizeof(*at));

			if (!at)
				return error_set(err, ERROR_MEMORY, "out of memory for %zu ranges",
						 cap);
			r->at = at;
			r->cap = cap;
		}
		r->at[r->n++] = (struct dirty_range){ address, ARENA_PAGE };
	}
	r->bytes += ARENA_PAGE;
	return 0;
}

/* Saves the old content of one page for undo. The first page of a slice takes the room for the
 * whole slice. */
static int save_page(struct work *work, struct slice *s, uint64_t at, const char *old,
		     struct error *err)
{
	struct preimage *p = &s->saved;

	if (atomic_fetch_add(&work->saved_bytes, ARENA_PAGE) + ARENA_PAGE > work->keep_bytes)
		return 0;
	if (!p->data) {
		p->data = kept_memory_take(s->size, err);
		if (!p->data)
			return -1;
		p->mapped = s->size;
	}
	if (note_range(&p->ranges, s->shadow->address + s->at + at, err))
		return -1;
	memcpy(p->data + p->ranges.bytes - ARENA_PAGE, old, ARENA_PAGE);
	return 0;
}

static int refresh_piece(struct work *work, struct slice *s, uint64_t at, size_t len,
			 struct error *err)
{
	char old[PIECE], new[PIECE];
	uint64_t offset = offset_of(work, s, at);

	if (arena_file_read(work->files.arena, offset, old, len, err) ||
	    arena_file_read(work->files.live, offset, new, len, err))
		return -1;
	if (!memcmp(old, new, len))
		return 0;
	s->changed = true;
	for (size_t page = 0; page < len && atomic_load(&work->saved_bytes) <= work->keep_bytes;
	     page += ARENA_PAGE)
		if (memcmp(old + page, new + page, ARENA_PAGE) &&
		    save_page(work, s, at + page, old + page, err))
			return -1;
	return arena_file_write(work->files.arena, offset, new, len, err);
}

static int refresh_slice(struct work *work, struct slice *s, struct error *err)
{
	for (uint64_t at = 0; at < s->size; at += PIECE) {
		size_t len = s->size - at < PIECE ? s->size - at : PIECE;

		/* Once too much has changed, the old content of this slice is not needed. */
		if (s->changed && atomic_load(&work->saved_bytes) > work->keep_bytes)
			return arena_file_copy(work->files.live, work->files.arena,
					       offset_of(work, s, at), s->size - at, err);
		if (refresh_piece(work, s, at, len, err))
			return -1;
	}
	return 0;
}

static int work_on_slice(void *data, size_t i, struct error *err)
{
	struct work *work = data;
	struct slice *s = &work->slices[i];

	const struct shadow_files *f = &work->files;
	bool up = s->shadow->stale;
	int failed;

	if (up && !s->shadow->fresh)
		failed = refresh_slice(work, s, err);
	else
		failed = arena_file_copy(up ? f->live : f->arena, up ? f->arena : f->live,
					 offset_of(work, s, 0), s->size, err);
	if (failed)
		return -1;
	s->failed = false;
	return 0;
}

/* Tells whether some pages, spread over the slice, all differ. */
static bool looks_new(const struct work *work, const struct slice *s)
{
	char old[ARENA_PAGE], new[ARENA_PAGE];

	for (uint64_t i = 0; i < PROBES; i++) {
		uint64_t at =
			(s->size / PROBES * i + s->size / PROBES / 3) / ARENA_PAGE * ARENA_PAGE;
		uint64_t offset = offset_of(work, s, at);

		if (arena_file_read(work->files.live, offset, new, sizeof(new), NULL) ||
		    arena_file_read(work->files.arena, offset, old, sizeof(old), NULL) ||
		    !memcmp(new, old, sizeof(new)))
			return false;
	}
	return true;
}

static bool may_save(const struct slice *s)
{
	return s->shadow->stale && !s->shadow->fresh;
}

/* Estimates whether the changes exceed what is kept, so that nothing needs to be saved. */
static bool is_too_much(const struct work *work)
{
	uint64_t bytes = 0, new = 0;

	for (size_t i = 0; i < work->n; i++)
		bytes += may_save(&work->slices[i]) ? work->slices[i].size : 0;
	for (size_t i = 0; bytes > work->keep_bytes && i < work->n && new <= work->keep_bytes; i++)
		new += may_save(&work->slices[i]) && looks_new(work, &work->slices[i])
			       ? work->slices[i].size
			       : 0;
	return new > work->keep_bytes;
}

static void drop_saved(struct work *work)
{
	for (size_t i = 0; i < work->n; i++)
		preimage_release(&work->slices[i].saved);
}

/* Joins the saved parts to one list. */
static int join_saved(struct work *work, struct preimage **ret, struct error *err)
{
	struct preimage **last = ret;

	for (size_t i = 0; i < work->n; i++) {
		struct preimage *p = &work->slices[i].saved;

		if (!p->mapped)
			continue;
		/* Give back the unused end of the block. */
		kept_memory_give(p->data + p->ranges.bytes, p->mapped - p->ranges.bytes);
		p->mapped = p->ranges.bytes;
		p->valid = true;
		*last = malloc(sizeof(**last));
		if (!*last) {
			drop_saved(work);
			return error_set(err, ERROR_MEMORY, "out of memory for what undo keeps");
		}
		**last = *p;
		*p = (struct preimage){ 0 };
		last = &(*last)->next;
	}
	return 0;
}

static void end_refresh(struct shadow_copies *t, enum shadow_work which, const struct work *work)
{
	for (unsigned i = 0; i < t->n; i++) {
		struct shadow_copy *w = &t->at[i];
		bool wanted = is_wanted(w, which), changed = w->changed && !wanted, failed = false;

		for (size_t k = 0; wanted && k < work->n; k++) {
			changed |= work->slices[k].shadow == w && work->slices[k].changed;
			failed |= work->slices[k].shadow == w && work->slices[k].failed;
		}
		if (!wanted)
			continue;
		if (w->stale)
			w->unused = changed ? 0 : w->unused + 1;
		w->changed = changed || !w->stale;
		if (!failed) {
			w->stale = w->fresh = false;
			w->filled = true;
		}
	}
}

static int refresh(struct shadow_copies *t, const struct shadow_files *f, enum shadow_work which,
		   uint64_t keep_bytes, struct preimage **ret, bool *ret_lost, struct error *err)
{
	struct work work = { .files = *f, .keep_bytes = keep_bytes };
	int failed;

	*ret = NULL;
	*ret_lost = true;
	if (make_slices(t, which, &work, err))
		return -1;
	atomic_store(&work.saved_bytes, is_too_much(&work) ? keep_bytes + 1 : 0);
	failed = parallel_for(work.n, work_on_slice, &work, err);
	end_refresh(t, which, &work);
	if (failed || atomic_load(&work.saved_bytes) > keep_bytes)
		drop_saved(&work);
	else
		*ret_lost = (failed = join_saved(&work, ret, err)) != 0;
	free(work.slices);
	return failed;
}

int shadow_copies_refresh(struct shadow_copies *t, const struct shadow_files *f,
			  enum shadow_work which, uint64_t keep_bytes, struct preimage **ret,
			  bool *ret_lost, struct error *err)
{
	struct error why = ERROR_INIT;

	if (!refresh(t, f, which, keep_bytes, ret, ret_lost, &why))
		return 0;
	if (shadow_copies_are_stale(t))
		refresh(t, f, which == SHADOW_ALL ? SHADOW_STALE : which, 0, ret, ret_lost, NULL);
	if (shadow_copies_need_work(t, which))
		return error_set(err, why.code, "%s", why.text);
	log_warning("what undo keeps of memory that cells overwrite is given up: %s", why.text);
	return 0;
}
