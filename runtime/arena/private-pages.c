/* SPDX-License-Identifier: Apache-2.0 */
/* PAGEMAP_SCAN as of Linux 6.7, declared here because older headers lack it. */
#define _GNU_SOURCE
#include "runtime/arena/private-pages.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

struct scan_region {
	uint64_t start;
	uint64_t end;
	uint64_t categories;
};

struct scan_arg {
	uint64_t size;
	uint64_t flags;
	uint64_t start;
	uint64_t end;
	uint64_t walk_end;
	uint64_t vec;
	uint64_t vec_len;
	uint64_t max_pages;
	uint64_t category_inverted;
	uint64_t category_mask;
	uint64_t category_anyof_mask;
	uint64_t return_mask;
};

#define SCAN_IOCTL _IOWR('f', 16, struct scan_arg)
#define SCAN_IS_FILE (1 << 2)
#define SCAN_IS_PRESENT (1 << 3)
#define SCAN_IS_SWAPPED (1 << 4)
#define SCAN_REGIONS 512

static int pagemap_fd = -1;

void private_pages_init(void)
{
	if (pagemap_fd >= 0)
		close(pagemap_fd);
	pagemap_fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
}

/* Drops the private pages of the range; the address up to which this was done, 0 when scanning does not work. */
static uint64_t drop_some(uint64_t start, uint64_t end)
{
	static struct scan_region found[SCAN_REGIONS];
	struct scan_arg arg = {
		.size = sizeof(arg),
		.start = start,
		.end = end,
		.vec = (uint64_t)(uintptr_t)found,
		.vec_len = SCAN_REGIONS,
		.category_inverted = SCAN_IS_FILE,
		.category_mask = SCAN_IS_FILE,
		.category_anyof_mask = SCAN_IS_PRESENT | SCAN_IS_SWAPPED,
		.return_mask = SCAN_IS_PRESENT,
	};
	int n = ioctl(pagemap_fd, SCAN_IOCTL, &arg);

	if (n < 0)
		return 0;
	for (int i = 0; i < n; i++)
		madvise((void *)found[i].start, found[i].end - found[i].start, MADV_DONTNEED);
	return n < SCAN_REGIONS ? end : arg.walk_end;
}

void private_pages_drop(uint64_t start, uint64_t size)
{
	uint64_t at = start, end = start + size;

	while (at < end) {
		uint64_t done = pagemap_fd >= 0 ? drop_some(at, end) : 0;

		if (done <= at) {
			madvise((void *)at, end - at, MADV_DONTNEED);
			return;
		}
		at = done;
	}
}
