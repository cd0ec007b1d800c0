/* SPDX-License-Identifier: Apache-2.0 */
/* Only pages that were overwritten are dropped one by one; where Linux cannot tell which, the whole
 * range is. */
#define _GNU_SOURCE
#include "runtime/arena/private-pages.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/memory/pagemap-scan.h"

#define SCAN_REGIONS 512

static struct {
	int fd;
	struct pagemap_region found[SCAN_REGIONS]; /* by the scan at work; too large for a stack */
} pagemap = { .fd = -1 };

void private_pages_init(void)
{
	if (pagemap.fd >= 0)
		close(pagemap.fd);
	pagemap.fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
}

/* Drops the private pages of the range; the address up to which this was done, 0 when scanning does
 * not work. */
static uint64_t drop_some(uint64_t start, uint64_t end)
{
	uint64_t walked;
	int n = pagemap_scan(pagemap.fd, start, end, pagemap.found, SCAN_REGIONS, &walked);

	if (n < 0)
		return 0;
	for (int i = 0; i < n; i++)
		madvise((void *)pagemap.found[i].start,
			pagemap.found[i].end - pagemap.found[i].start, MADV_DONTNEED);
	return n < SCAN_REGIONS ? end : walked;
}

void private_pages_drop(uint64_t start, uint64_t size)
{
	uint64_t at = start, end = start + size;

	while (at < end) {
		uint64_t done = pagemap.fd >= 0 ? drop_some(at, end) : 0;

		if (done <= at) {
			madvise((void *)at, end - at, MADV_DONTNEED);
			return;
		}
		at = done;
	}
}

void private_pages_each(uint64_t start, uint64_t size,
			void (*fn)(void *data, uint64_t start, uint64_t end), void *data)
{
	uint64_t at = start, end = start + size, walked;
	int n = SCAN_REGIONS;

	while (n == SCAN_REGIONS && pagemap.fd >= 0) {
		n = pagemap_scan(pagemap.fd, at, end, pagemap.found, SCAN_REGIONS, &walked);
		for (int i = 0; i < n; i++)
			fn(data, pagemap.found[i].start, pagemap.found[i].end);
		at = walked;
	}
}

bool private_pages_any(uint64_t start, uint64_t size)
{
	struct pagemap_region found;
	uint64_t walked;

	return pagemap.fd < 0 ||
	       pagemap_scan(pagemap.fd, start, start + size, &found, 1, &walked) != 0;
}
