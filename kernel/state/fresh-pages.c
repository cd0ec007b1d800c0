/* SPDX-License-Identifier: Apache-2.0 */
/* Linux says where each of the two files has pages, in a few system calls for a cell that has
 * allocated little. Large ranges are moved in pieces by several threads. */
#include "kernel/state/fresh-pages.h"

#include <stdint.h>
#include <stdlib.h>

#include "common/base/error.h"
#include "common/memory/file-data.h"
#include "kernel/base/parallel-for.h"
#include "kernel/state/arena-file.h"
#include "kernel/state/shadow-copy.h"
#include "kernel/state/snapshot.h"

#define PIECE (16ull * 1024 * 1024)

void fresh_pages_release(struct fresh_pages *f)
{
	dirty_ranges_release(&f->moved);
	dirty_ranges_release(&f->over);
}

/* Divides [start, end), in offsets, by what the arena memfd has there. */
static int divide(const struct snapshot *s, uint64_t start, uint64_t end, struct fresh_pages *ret,
		  struct error *err)
{
	while (start < end) {
		uint64_t data, hole;
		int found = file_data_next(s->arena.fd, start, end, &data, &hole, err);

		if (found < 0)
			return -1;
		if (!found)
			data = hole = end;
		if (data > start &&
		    dirty_ranges_add(&ret->moved, ARENA_BASE + start, data - start, err))
			return -1;
		if (hole > data &&
		    dirty_ranges_add(&ret->over, ARENA_BASE + data, hole - data, err))
			return -1;
		start = hole;
	}
	return 0;
}

/* Takes the pages of the live memfd in [start, end), in offsets, between in-place ranges. */
static int find_between(const struct snapshot *s, uint64_t start, uint64_t end,
			struct fresh_pages *ret, struct error *err)
{
	uint64_t data, hole;
	int found;

	while ((found = file_data_next(s->live, start, end, &data, &hole, err)) > 0) {
		if (divide(s, data, hole, ret, err))
			return -1;
		start = hole;
	}
	return found;
}

static int find_in_region(const struct snapshot *s, uint64_t start, uint64_t end,
			  struct fresh_pages *ret, struct error *err)
{
	while (start < end) {
		const struct shadow_copy *w =
			shadow_copies_from(&s->shadow_copies, ARENA_BASE + start);
		uint64_t to = w && w->address - ARENA_BASE < end ? w->address - ARENA_BASE : end;

		if (find_between(s, start, to, ret, err))
			return -1;
		start = to < end ? to + w->size : end;
	}
	return 0;
}

int fresh_pages_find(const struct snapshot *s, const uint64_t top[ARENA_REGIONS],
		     struct fresh_pages *ret, struct error *err)
{
	dirty_ranges_clear(&ret->moved);
	dirty_ranges_clear(&ret->over);
	for (int r = 0; r < ARENA_REGIONS; r++) {
		uint64_t start = arena_region_offset(r);

		if (find_in_region(s, start, start + top[r], ret, err))
			return -1;
	}
	return 0;
}

struct moving {
	const struct snapshot *snapshot;
	bool copy;
	struct dirty_range *pieces;
	size_t n;
};

static int move_piece(void *data, size_t i, struct error *err)
{
	const struct moving *m = data;

	return (m->copy ? arena_file_copy : arena_file_move)(
		m->snapshot->live, m->snapshot->arena.fd, m->pieces[i].address - ARENA_BASE,
		m->pieces[i].size, err);
}

static int cut(const struct dirty_ranges *r, struct moving *ret, struct error *err)
{
	ret->pieces = calloc(r->n + r->bytes / PIECE + 1, sizeof(*ret->pieces));
	if (!ret->pieces)
		return error_set(err, ERROR_MEMORY, "out of memory to move %zu ranges", r->n);
	for (size_t i = 0; i < r->n; i++)
		for (uint64_t done = 0; done < r->at[i].size; done += PIECE) {
			uint64_t left = r->at[i].size - done;

			ret->pieces[ret->n++] = (struct dirty_range){ r->at[i].address + done,
								      left < PIECE ? left : PIECE };
		}
	return 0;
}

int fresh_pages_move(const struct fresh_pages *f, const struct snapshot *s, bool copy,
		     struct error *err)
{
	struct moving m = { .snapshot = s, .copy = copy };
	int failed;

	if (!f->moved.n)
		return 0;
	failed = cut(&f->moved, &m, err) || parallel_for(m.n, move_piece, &m, err) ? -1 : 0;
	free(m.pieces);
	if (failed)
		fresh_pages_forget(f, s);
	return failed;
}

static void punch(int fd, const struct dirty_ranges *r)
{
	for (size_t i = 0; i < r->n; i++)
		arena_file_punch(fd, r->at[i].address - ARENA_BASE, r->at[i].size, NULL);
}

void fresh_pages_forget(const struct fresh_pages *f, const struct snapshot *s)
{
	punch(s->arena.fd, &f->moved);
}

void fresh_pages_committed(const struct fresh_pages *f, const struct snapshot *s)
{
	punch(s->live, &f->over);
}
