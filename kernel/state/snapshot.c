/* SPDX-License-Identifier: Apache-2.0 */
/* The memfd is sealed against resizing, so that no cell can make the kernel's reads fail by
 * truncating it. */
#define _GNU_SOURCE
#include "kernel/state/snapshot.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/whole-io.h"

int snapshot_memfd(struct error *err)
{
	cleanup_fd int fd = memfd_create("cgpu-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return error_errno(err, "memfd_create for the session's memory");
	if (ftruncate(fd, (off_t)ARENA_SIZE))
		return error_errno(err, "cannot give the session's memory its size");
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return error_errno(err, "cannot seal the session's memory");
	return steal_fd(&fd);
}

int snapshot_init(struct snapshot *s, uint64_t undo_limit, struct error *err)
{
	*s = (struct snapshot){ .memfd = snapshot_memfd(err),
				.undo.bytes_max = undo_limit,
				.view = SNAPSHOT_VIEW_INIT };
	return s->memfd < 0 ? -1 : 0;
}

void snapshot_release(struct snapshot *s)
{
	undo_log_clear(&s->undo);
	shadow_copies_release(&s->shadow_copies);
	if (s->memfd >= 0)
		close(s->memfd);
	s->memfd = -1;
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
	if (whole_pread(s->memfd, out, len, address - ARENA_BASE) != len)
		return -1;
	shadow_copies_read(&s->shadow_copies, address, out, len);
	return 0;
}

int snapshot_undo(struct snapshot *s, unsigned n, struct error *err)
{
	const struct undo_entry *to = &s->undo.at[s->undo.n - n];

	snapshot_touch(s);
	for (unsigned i = s->undo.n; i-- > s->undo.n - n;)
		if (preimage_restore(&s->undo.at[i].preimage, s->memfd, ARENA_BASE, err))
			return error_wrap(err, "cannot undo cell %u", s->undo.at[i].cell);
	memcpy(s->top, to->top, sizeof(s->top));
	s->heap_freed = to->heap_freed;
	s->serial = to->serial;
	return 0;
}

int snapshot_reset(struct snapshot *s, struct error *err)
{
	snapshot_touch(s);
	if (fallocate(s->memfd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)ARENA_SIZE))
		return error_errno(err, "cannot empty the session's memory");
	undo_log_clear(&s->undo);
	memset(s->top, 0, sizeof(s->top));
	s->heap_freed = 0;
	s->serial++;
	return 0;
}
