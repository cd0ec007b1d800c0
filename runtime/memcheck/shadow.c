/* SPDX-License-Identifier: Apache-2.0 */
/* The shadow of the whole address space is reserved at once; Linux gives pages to what is written.
 */
#include "runtime/memcheck/shadow.h"

#include <string.h>
#include <sys/mman.h>

#include "common/base/error.h"

int shadow_map(struct error *err)
{
	void *want = (void *)SHADOW_BASE;
	void *p = mmap(want, SHADOW_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (p == MAP_FAILED)
		return error_errno(err,
				   "cannot reserve %llu GiB of addresses for the check of memory",
				   SHADOW_SIZE / GIB);
	return 0;
}

void shadow_poison(uint64_t at, uint64_t size, enum shadow_value why)
{
	uint64_t end = (at + size + 7) & ~7ull;

	if (!size)
		return;
	if (at & 7) {
		uint8_t *first = shadow_of(at), keep = (uint8_t)(at & 7);

		if (!*first || *first > keep)
			*first = keep;
		at = (at | 7) + 1;
	}
	if (at < end)
		memset(shadow_of(at), why, (end - at) >> SHADOW_SHIFT);
}

void shadow_allow(uint64_t at, uint64_t size)
{
	memset(shadow_of(at), 0, size >> SHADOW_SHIFT);
	if (size & 7)
		*shadow_of(at + size) = (uint8_t)(size & 7);
}

uint64_t shadow_first_bad(uint64_t at, uint64_t size)
{
	uint64_t end = at + size;

	if (!size || end < at || !shadow_covers(at) || !shadow_covers(end - 1))
		return 0;
	while (at < end) {
		uint8_t value = *shadow_of(at);
		uint64_t next = (at | 7) + 1;

		/* Eight granules at a time where all is allowed. */
		if (!value && !(at & 63) && end - at >= 64 && !*(const uint64_t *)shadow_of(at)) {
			at += 64;
			continue;
		}
		for (; value && at < next && at < end; at++) {
			if (value > 7 || (at & 7) >= value)
				return at;
		}
		at = next;
	}
	return 0;
}
