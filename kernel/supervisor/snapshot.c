/* SPDX-License-Identifier: Apache-2.0 */
/* The memfd is sealed against resizing, so that no cell can make the kernel's reads fail by truncating it. */
#define _GNU_SOURCE
#include "kernel/supervisor/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/error.h"

#define UNDO_BYTES_MAX (256ull * 1024 * 1024)

int snapshot_init(struct snapshot *s, struct error *err)
{
	cleanup_fd int fd = memfd_create("cgpu-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return error_errno(err, "memfd_create for the session's memory");
	if (ftruncate(fd, (off_t)ARENA_SIZE))
		return error_errno(err, "cannot give the session's memory its size");
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return error_errno(err, "cannot seal the session's memory");
	*s = (struct snapshot){ .memfd = steal_fd(&fd), .undo_bytes_max = UNDO_BYTES_MAX };
	return 0;
}

static void forget_undo(struct snapshot *s)
{
	for (unsigned i = 0; i < s->n_undo; i++)
		preimage_release(&s->undo[i]);
	s->n_undo = 0;
}

void snapshot_release(struct snapshot *s)
{
	forget_undo(s);
	if (s->memfd >= 0)
		close(s->memfd);
	s->memfd = -1;
}

void snapshot_advance(struct snapshot *s, const uint64_t top[ARENA_REGIONS], struct preimage preimage)
{
	if (s->n_undo == ARENA_UNDO_CELLS) {
		preimage_release(&s->undo[0]);
		memmove(&s->undo[0], &s->undo[1], (ARENA_UNDO_CELLS - 1) * sizeof(s->undo[0]));
		memmove(&s->undo_top[0], &s->undo_top[1], (ARENA_UNDO_CELLS - 1) * sizeof(s->undo_top[0]));
		s->n_undo--;
	}
	s->undo[s->n_undo] = preimage;
	memcpy(s->undo_top[s->n_undo++], s->top, sizeof(s->top));
	memcpy(s->top, top, sizeof(s->top));
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
	size_t done = 0;

	if (!is_committed(s, address, len))
		return -1;
	while (done < len) {
		ssize_t n = pread(s->memfd, (char *)out + done, len - done, (off_t)(address - ARENA_BASE + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		done += (size_t)n;
	}
	return 0;
}

int snapshot_undo(struct snapshot *s, struct error *err)
{
	if (!s->n_undo)
		return error_set(err, ERROR_STATE, "there is no committed cell that can be undone");
	if (preimage_restore(&s->undo[s->n_undo - 1], s->memfd, ARENA_BASE, err))
		return error_wrap(err, "cannot undo the last cell");
	s->n_undo--;
	memcpy(s->top, s->undo_top[s->n_undo], sizeof(s->top));
	preimage_release(&s->undo[s->n_undo]);
	return 0;
}

int snapshot_reset(struct snapshot *s, struct error *err)
{
	if (fallocate(s->memfd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)ARENA_SIZE))
		return error_errno(err, "cannot empty the session's memory");
	forget_undo(s);
	memset(s->top, 0, sizeof(s->top));
	return 0;
}
