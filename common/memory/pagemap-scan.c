/* SPDX-License-Identifier: Apache-2.0 */
/* The interface is declared here because the headers of Debian 12 are older than the call. */
#define _GNU_SOURCE
#include "common/memory/pagemap-scan.h"

#include <errno.h>
#include <sys/ioctl.h>

struct scan_arg {
	uint64_t size;
	uint64_t flags;
	uint64_t start;
	uint64_t end;
	uint64_t walk_end; /* the address where the walk stopped */
	uint64_t vec;
	uint64_t vec_len;
	uint64_t max_pages;
	uint64_t category_inverted;
	uint64_t category_mask;
	uint64_t category_anyof_mask;
	uint64_t return_mask;
};

#define SCAN_IOCTL _IOWR('f', 16, struct scan_arg)
#define SCAN_IS_FILE (1u << 2)
#define SCAN_IS_PRESENT (1u << 3)
#define SCAN_IS_SWAPPED (1u << 4)

int pagemap_scan(int pagemap, uint64_t start, uint64_t end, struct pagemap_region *ret, size_t n,
		 uint64_t *ret_walked)
{
	struct scan_arg arg = {
		.size = sizeof(arg),
		.start = start,
		.end = end,
		.vec = (uint64_t)(uintptr_t)ret,
		.vec_len = n,
		.category_inverted = SCAN_IS_FILE,
		.category_mask = SCAN_IS_FILE,
		.category_anyof_mask = SCAN_IS_PRESENT | SCAN_IS_SWAPPED,
		.return_mask = SCAN_IS_FILE, /* never set in a result, so neighbours are joined */
	};
	int found;

	do
		found = ioctl(pagemap, SCAN_IOCTL, &arg);
	while (found < 0 && errno == EINTR);
	if (found >= 0)
		*ret_walked = arg.walk_end;
	return found;
}
