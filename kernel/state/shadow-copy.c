/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shadow copy and memfd are compared before anything is copied: what did not change stays as it is,
 * and costs undo nothing. The memfd is read with pread(), piece by piece into a buffer that the
 * processor's cache holds: through a mapping, a page that the worker has given back could be no
 * memory to read from.
 */
#define _GNU_SOURCE
#include "kernel/state/shadow-copy.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/whole-io.h"
#include "common/memory/address-map.h"
#include "kernel/base/parallel-for.h"
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

void shadow_copies_drop(struct shadow_copies *t, unsigned i)
{
	kept_memory_give(t->at[i].data, t->at[i].size);
	t->n--;
	memmove(&t->at[i], &t->at[i + 1], (t->n - i) * sizeof(t->at[0]));
}

void shadow_copies_release(struct shadow_copies *t)
{
	while (t->n)
		shadow_copies_drop(t, t->n - 1);
	t->written = false;
}

bool shadow_copies_adopt(struct shadow_copies *t, uint64_t address, uint64_t size, char *data)
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
			shadow_copies_drop(t, i);
	if (t->n == SHADOW_COPIES_MAX)
		return false;
	t->at[t->n++] = (struct shadow_copy){
		.address = address, .size = size, .data = data, .equal = true, .changed = true
	};
	return true;
}

void shadow_copies_overwritten(struct shadow_copies *t, const struct dirty_ranges *ranges)
{
	for (unsigned i = 0; i < t->n; i++)
		for (size_t k = 0; k < ranges->n && t->at[i].equal; k++)
			if (overlaps(&t->at[i], ranges->at[k].address, ranges->at[k].size))
				t->at[i].equal = false;
}

void shadow_copies_committed(struct shadow_copies *t)
{
	for (unsigned i = 0; t->written && i < t->n; i++)
		if (t->at[i].shared)
			t->at[i].equal = false;
	t->written = false;
}

bool shadow_copies_are_stale(const struct shadow_copies *t)
{
	for (unsigned i = 0; i < t->n; i++)
		if (!t->at[i].equal)
			return true;
	return false;
}

bool shadow_copies_are_shared(const struct shadow_copies *t)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->at[i].shared)
			return true;
	return false;
}

const struct shadow_copy *shadow_copies_shared_from(const struct shadow_copies *t, uint64_t address)
{
	const struct shadow_copy *next = NULL;

	for (unsigned i = 0; i < t->n; i++)
		if (t->at[i].shared && t->at[i].address >= address &&
		    (!next || t->at[i].address < next->address))
			next = &t->at[i];
	return next;
}

bool shadow_copies_are_written(const struct shadow_copies *t)
{
	return t->written && shadow_copies_are_shared(t);
}

void shadow_copies_unshare(struct shadow_copies *t)
{
	for (unsigned i = 0; i < t->n; i++)
		t->at[i].shared = false;
	t->written = false;
}

void shadow_copies_read(const struct shadow_copies *t, uint64_t address, void *out, size_t len)
{
	for (unsigned i = 0; t->written && i < t->n; i++) {
		const struct shadow_copy *w = &t->at[i];
		uint64_t from = w->address > address ? w->address : address;
		uint64_t to =
			w->address + w->size < address + len ? w->address + w->size : address + len;

		if (w->shared && from < to)
			memcpy((char *)out + (from - address), w->data + (from - w->address),
			       to - from);
	}
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
	int memfd;
	uint64_t base, keep_bytes;
	_Atomic uint64_t saved_bytes; /* exceeds keep_bytes when undo has lost this commit */
	struct slice *slices;
	size_t n;
};

/* Cuts each shadow copy for which want() is true into slices. */
static int make_slices(struct shadow_copies *t, bool (*want)(const struct shadow_copy *w),
		       struct work *work, struct error *err)
{
	size_t most = shadow_copies_bytes(t) / SLICE + t->n;

	work->slices = calloc(most + 1, sizeof(*work->slices));
	if (!work->slices)
		return error_set(err, ERROR_MEMORY, "out of memory to compare %zu pieces", most);
	for (unsigned i = 0; i < t->n; i++) {
		struct shadow_copy *w = &t->at[i];

		for (uint64_t at = 0; want(w) && at < w->size; at += SLICE)
			work->slices[work->n++] =
				(struct slice){ .shadow = w,
						.at = at,
						.size = w->size - at < SLICE ? w->size - at
									     : SLICE };
	}
	return 0;
}

static uint64_t offset_of(const struct work *work, const struct slice *s, uint64_t at)
{
	return s->shadow->address - work->base + s->at + at;
}

static int read_piece(const struct work *work, const struct slice *s, uint64_t at, char *out,
		      size_t len, struct error *err)
{
	uint64_t offset = offset_of(work, s, at);

	if (whole_pread(work->memfd, out, len, offset) != len)
		return error_errno(err, "cannot read the arena at offset %#llx",
				   (unsigned long long)offset);
	return 0;
}

static int write_piece(const struct work *work, const struct slice *s, uint64_t at,
		       const char *data, size_t len, struct error *err)
{
	uint64_t offset = offset_of(work, s, at);

	if (whole_pwrite(work->memfd, data, len, offset) != len)
		return error_errno(err, "cannot write the arena at offset %#llx",
				   (unsigned long long)offset);
	return 0;
}

/*
 * Tells whether the worker has given the page back. It gives back, after the commit and at any
 * time, pages that are free in every state that can be returned to, so undo does not need their old
 * content. Cells cannot make holes in session memory (runtime/exports/exports-memory.c).
 */
static bool is_given_back(const struct work *work, const struct slice *s, uint64_t at,
			  const char *new)
{
	static const char zero[ARENA_PAGE];
	off_t offset = (off_t)offset_of(work, s, at);

	return !memcmp(new, zero, ARENA_PAGE) && lseek(work->memfd, offset, SEEK_DATA) != offset;
}

/* ---- refresh ---- */

static bool is_stale(const struct shadow_copy *w)
{
	return !w->equal;
}

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
static int save_page(struct work *work, struct slice *s, uint64_t at, struct error *err)
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
	memcpy(p->data + p->ranges.bytes - ARENA_PAGE, s->shadow->data + s->at + at, ARENA_PAGE);
	return 0;
}

static int refresh_piece(struct work *work, struct slice *s, uint64_t at, const char *new,
			 size_t len, struct error *err)
{
	char *old = s->shadow->data + s->at + at;

	if (!memcmp(old, new, len))
		return 0;
	s->changed = true;
	for (size_t page = 0; page < len && atomic_load(&work->saved_bytes) <= work->keep_bytes;
	     page += ARENA_PAGE)
		if (memcmp(old + page, new + page, ARENA_PAGE) &&
		    !is_given_back(work, s, at + page, new + page) &&
		    save_page(work, s, at + page, err))
			return -1;
	memcpy(old, new, len);
	return 0;
}

static int refresh_slice(void *data, size_t i, struct error *err)
{
	struct work *work = data;
	struct slice *s = &work->slices[i];
	char piece[PIECE];

	s->failed = true;
	for (uint64_t at = 0; at < s->size; at += PIECE) {
		size_t len = s->size - at < PIECE ? s->size - at : PIECE;
		/* Once too much has changed, the old content of this slice is not needed. */
		bool blind = s->changed && atomic_load(&work->saved_bytes) > work->keep_bytes;

		if (read_piece(work, s, at, blind ? s->shadow->data + s->at + at : piece, len,
			       err) ||
		    (!blind && refresh_piece(work, s, at, piece, len, err)))
			return -1;
	}
	s->failed = false;
	return 0;
}

/* Tells whether some pages, spread over the slice, all differ. */
static bool looks_new(const struct work *work, const struct slice *s)
{
	char page[ARENA_PAGE];

	for (uint64_t i = 0; i < PROBES; i++) {
		uint64_t at =
			(s->size / PROBES * i + s->size / PROBES / 3) / ARENA_PAGE * ARENA_PAGE;

		if (read_piece(work, s, at, page, sizeof(page), NULL) ||
		    !memcmp(page, s->shadow->data + s->at + at, sizeof(page)) ||
		    is_given_back(work, s, at, page))
			return false;
	}
	return true;
}

/* Estimates whether the changes exceed what is kept, so that nothing needs to be saved. */
static bool is_too_much(const struct work *work)
{
	uint64_t bytes = 0, new = 0;

	for (size_t i = 0; i < work->n; i++)
		bytes += work->slices[i].size;
	for (size_t i = 0; bytes > work->keep_bytes && i < work->n && new <= work->keep_bytes; i++)
		new += looks_new(work, &work->slices[i]) ? work->slices[i].size : 0;
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

static void end_refresh(struct shadow_copies *t, const struct work *work)
{
	for (unsigned i = 0; i < t->n; i++) {
		t->at[i].changed = t->at[i].equal && t->at[i].changed;
		t->at[i].unused += !t->at[i].equal;
		t->at[i].equal = true;
	}
	for (size_t i = 0; i < work->n; i++) {
		struct shadow_copy *w = work->slices[i].shadow;

		if (work->slices[i].changed)
			w->unused = 0;
		w->changed |= work->slices[i].changed;
		w->equal &= !work->slices[i].failed;
	}
}

int shadow_copies_refresh(struct shadow_copies *t, int memfd, uint64_t base, uint64_t keep_bytes,
			  struct preimage **ret, bool *ret_lost, struct error *err)
{
	struct work work = { .memfd = memfd, .base = base, .keep_bytes = keep_bytes };
	int failed;

	*ret = NULL;
	*ret_lost = true;
	if (make_slices(t, is_stale, &work, err))
		return -1;
	for (size_t i = 0; i < work.n; i++)
		work.slices[i].failed = true;
	atomic_store(&work.saved_bytes, is_too_much(&work) ? keep_bytes + 1 : 0);
	failed = parallel_for(work.n, refresh_slice, &work, err);
	end_refresh(t, &work);
	if (failed || atomic_load(&work.saved_bytes) > keep_bytes)
		drop_saved(&work);
	else
		*ret_lost = (failed = join_saved(&work, ret, err)) != 0;
	free(work.slices);
	return failed;
}

/* ---- restore ---- */

static bool is_shared(const struct shadow_copy *w)
{
	return w->shared;
}

static int restore_slice(void *data, size_t i, struct error *err)
{
	const struct work *work = data;
	const struct slice *s = &work->slices[i];
	char piece[PIECE];

	for (uint64_t at = 0; at < s->size; at += PIECE) {
		size_t len = s->size - at < PIECE ? s->size - at : PIECE;
		const char *old = s->shadow->data + s->at + at;

		if (read_piece(work, s, at, piece, len, err) ||
		    (memcmp(old, piece, len) && write_piece(work, s, at, old, len, err)))
			return -1;
	}
	return 0;
}

int shadow_copies_restore(struct shadow_copies *t, int memfd, uint64_t base, struct error *err)
{
	struct work work = { .memfd = memfd, .base = base };
	int failed = make_slices(t, is_shared, &work, err);

	if (!failed)
		failed = parallel_for(work.n, restore_slice, &work, err);
	free(work.slices);
	if (!failed)
		shadow_copies_unshare(t);
	return failed;
}
