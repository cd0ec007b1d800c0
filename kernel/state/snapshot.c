/* SPDX-License-Identifier: Apache-2.0 */
/* Both files are sealed against resizing, so that no cell can make the kernel's reads fail by
 * truncating one. */
#define _GNU_SOURCE
#include "kernel/state/snapshot.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/memory/file-data.h"
#include "kernel/base/closer.h"
#include "kernel/state/arena-file.h"
#include "kernel/state/kept-memory.h"

int snapshot_init(struct snapshot *s, const struct read_only_mount *mount, uint64_t undo_limit,
		  struct error *err)
{
	*s = (struct snapshot){ .live = -1,
				.undo.bytes_max = undo_limit,
				.view = SNAPSHOT_VIEW_INIT };
	return arena_file_init(&s->arena, mount, err);
}

void snapshot_release(struct snapshot *s)
{
	undo_log_clear(&s->undo);
	shadow_copies_release(&s->shadow_copies);
	arena_file_release(&s->arena);
	closer_close(steal_fd(&s->live));
}

int snapshot_renew_live(struct snapshot *s, int live, struct error *err)
{
	int fd = fcntl(live, F_DUPFD_CLOEXEC, 3);

	if (fd < 0)
		return error_errno(err, "cannot duplicate a descriptor");
	closer_close(s->live);
	s->live = fd;
	return 0;
}

int snapshot_attach(struct snapshot *s, int live, struct error *err)
{
	if (snapshot_renew_live(s, live, err))
		return -1;
	for (int r = 0; r < ARENA_REGIONS; r++)
		if (arena_file_punch(s->arena.fd, arena_region_offset(r) + s->top[r],
				     arena_region_size(r) - s->top[r], err))
			return -1;
	return 0;
}

void snapshot_advance(struct snapshot *s, const struct arena_header *h, struct preimage preimage)
{
	struct undo_entry e = {
		.serial = s->serial++,
		.preimage = preimage,
		.heap_freed = s->heap_freed,
		.kept_heap = h->heap_freed - s->heap_freed,
	};

	memcpy(e.top, s->top, sizeof(s->top));
	undo_log_push(&s->undo, &e);
	s->changes++;
	memcpy(s->top, h->top, sizeof(s->top));
	s->heap_freed = h->heap_freed;
}

static int is_committed(const struct snapshot *s, uint64_t address, size_t len)
{
	for (int r = 0; r < ARENA_REGIONS; r++) {
		uint64_t at = address - ARENA_BASE - arena_region_offset(r);

		if (at < s->top[r] && len <= s->top[r] - at)
			return 1;
	}
	return 0;
}

int snapshot_read(const struct snapshot *s, uint64_t address, void *out, size_t len)
{
	if (!is_committed(s, address, len))
		return -1;
	return arena_file_read(s->arena.fd, address - ARENA_BASE, out, len, NULL) ||
			       shadow_copies_read(&s->shadow_copies, s->live, ARENA_BASE, address,
						  out, len)
		       ? -1
		       : 0;
}

int snapshot_undo(struct snapshot *s, unsigned n, struct error *err)
{
	const struct undo_entry *to = &s->undo.at[s->undo.n - n];

	snapshot_touch(s);
	for (unsigned i = s->undo.n; i-- > s->undo.n - n;)
		if (preimage_restore(&s->undo.at[i].preimage, s->arena.fd, ARENA_BASE, err))
			return error_wrap(err, "cannot undo cell %u", s->undo.at[i].cell);
	memcpy(s->top, to->top, sizeof(s->top));
	s->heap_freed = to->heap_freed;
	s->serial = to->serial;
	return 0;
}

/* Appends the ranges of session memory in [start, end) that have pages in the file. */
static int add_pages(int fd, uint64_t start, uint64_t end, struct dirty_ranges *ret,
		     struct error *err)
{
	uint64_t at = start - ARENA_BASE, data, hole;
	int found;

	while ((found = file_data_next(fd, at, end - ARENA_BASE, &data, &hole, err)) > 0) {
		if (dirty_ranges_add(ret, ARENA_BASE + data, hole - data, err))
			return -1;
		at = hole;
	}
	return found;
}

/* Collects where the state before the newest n entries differs from the committed one. */
static int changed_since(const struct snapshot *s, unsigned n, struct dirty_ranges *ret,
			 struct error *err)
{
	const struct undo_entry *oldest = &s->undo.at[s->undo.n - n];

	for (const struct undo_entry *e = oldest; e < &s->undo.at[s->undo.n]; e++)
		for (const struct preimage *p = &e->preimage; p; p = p->next)
			for (size_t i = 0; i < p->ranges.n; i++)
				if (dirty_ranges_add(ret, p->ranges.at[i].address,
						     p->ranges.at[i].size, err))
					return -1;
	for (int r = 0; r < ARENA_REGIONS; r++) {
		uint64_t start = ARENA_BASE + arena_region_offset(r);

		if (add_pages(s->arena.fd, start + oldest->top[r], start + s->top[r], ret, err))
			return -1;
	}
	dirty_ranges_join(ret);
	return 0;
}

int snapshot_keep_redo(const struct snapshot *s, unsigned n, struct redo *ret, struct error *err)
{
	int failed;

	*ret = (struct redo){ .heap_freed = s->heap_freed, .valid = true };
	memcpy(ret->top, s->top, sizeof(s->top));
	failed = changed_since(s, n, &ret->ranges, err);
	if (!failed && ret->ranges.bytes > s->undo.bytes_max)
		failed = error_set(err, ERROR_LIMIT, "it is more than --undo keeps");
	if (!failed) {
		ret->mapped = ret->ranges.bytes ? ret->ranges.bytes : ARENA_PAGE;
		ret->data = kept_memory_take(ret->mapped, err);
		failed = ret->data ? 0 : -1;
	}
	for (size_t i = 0, at = 0; !failed && i < ret->ranges.n; at += ret->ranges.at[i++].size)
		failed = arena_file_read(s->arena.fd, ret->ranges.at[i].address - ARENA_BASE,
					 ret->data + at, ret->ranges.at[i].size, err);
	if (failed)
		redo_release(ret);
	return failed;
}

int snapshot_redo(struct snapshot *s, struct journal *j, struct redo *r, struct error *err)
{
	struct arena_header h = { .heap_freed = r->heap_freed };

	memcpy(h.top, r->top, sizeof(r->top));
	if (journal_put_in(j, &r->ranges, r->data, r->mapped, err))
		return -1;
	if (journal_apply(j, s->arena.fd, ARENA_BASE, s->undo.bytes_max, NULL, err)) {
		journal_take_out(j, &r->ranges, &r->data, &r->mapped);
		return -1;
	}
	r->ranges = (struct dirty_ranges){ 0 };
	r->data = NULL;
	r->mapped = 0;
	r->valid = false;
	snapshot_touch(s);
	snapshot_advance(s, &h, journal_steal_preimage(j));
	journal_reset(j);
	return 0;
}

/* Tells whether these bytes of the image differ from the committed ones. */
static bool differs(const struct snapshot *s, uint64_t address, const char *image, uint64_t len)
{
	char part[ARENA_PAGE];

	for (uint64_t done = 0, n; done < len; done += n) {
		n = len - done < sizeof(part) ? len - done : sizeof(part);
		if (snapshot_read(s, address + done, part, n) || memcmp(part, image + done, n))
			return true;
	}
	return false;
}

bool snapshot_redo_changes(const struct snapshot *s, uint64_t address, uint64_t len)
{
	const struct redo *r = &s->undo.redo;
	const char *data = r->data;

	for (size_t i = 0; i < r->ranges.n; data += r->ranges.at[i++].size) {
		uint64_t start = r->ranges.at[i].address, end = start + r->ranges.at[i].size;
		uint64_t from = start > address ? start : address;
		uint64_t to = end < address + len ? end : address + len;

		if (from < to && differs(s, from, data + (from - start), to - from))
			return true;
	}
	return false;
}

int snapshot_reset(struct snapshot *s, struct error *err)
{
	snapshot_touch(s);
	if (arena_file_punch(s->arena.fd, 0, ARENA_SIZE, err))
		return error_wrap(err, "cannot empty the session");
	undo_log_clear(&s->undo);
	memset(s->top, 0, sizeof(s->top));
	s->heap_freed = 0;
	s->serial++;
	return 0;
}
