/* SPDX-License-Identifier: Apache-2.0 */
/* The two files behind session memory (common/memory/arena-layout.h), and the part of a commit that
 * the kernel does with them. */
#ifndef CGPU_TESTS_UNIT_RUNTIME_ARENA_FILES_H
#define CGPU_TESTS_UNIT_RUNTIME_ARENA_FILES_H

#include <fcntl.h>
#include <linux/falloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/memory/address-map.h"

/* Returns a sparse memfd of arena size. */
static inline int arena_files_new(void)
{
	int fd = memfd_create("arena", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)ARENA_SIZE), 0);
	return fd;
}

static inline void arena_files_punch(int fd, uint64_t address, uint64_t size)
{
	assert_int_equal(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				   (off_t)(address - ARENA_BASE), (off_t)size),
			 0);
}

/* Moves what the live memfd has into the arena memfd. */
static inline void arena_files_move(int live, int committed)
{
	char page[ARENA_PAGE];

	for (off_t at = lseek(live, 0, SEEK_DATA); at >= 0; at = lseek(live, at, SEEK_DATA)) {
		assert_int_equal(pread(live, page, sizeof(page), at), sizeof(page));
		assert_int_equal(pwrite(committed, page, sizeof(page), at), sizeof(page));
		arena_files_punch(live, ARENA_BASE + (uint64_t)at, ARENA_PAGE);
	}
}

#endif
