/* SPDX-License-Identifier: Apache-2.0 */
/*
 * madvise() of cells. Advice about session memory has the effect that it has on a program's own
 * heap, whatever mapping of the memfd lies there: for the private one MADV_DONTNEED would bring
 * back what the last cell has left, for the shared one do nothing, and MADV_REMOVE would take away
 * what is committed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "common/memory/address-map.h"
#include "runtime/exports/exports.h"

static int answer(int error)
{
	errno = error;
	return error ? -1 : 0;
}

int exports_madvise(void *address, size_t size, int advice)
{
	uint64_t at = (uintptr_t)address;

	if (at < ARENA_BASE || at >= ARENA_BASE + ARENA_SIZE || size > ARENA_BASE + ARENA_SIZE - at)
		return madvise(address, size, advice);
	switch (advice) {
	case MADV_DONTNEED:
		if (at % ARENA_PAGE)
			return answer(EINVAL);
		memset(address, 0, (size + ARENA_PAGE - 1) / ARENA_PAGE * ARENA_PAGE);
		return 0;
	case MADV_FREE:
		return answer(at % ARENA_PAGE ? EINVAL : 0);
	case MADV_REMOVE:
		return answer(EINVAL);
	default:
		return madvise(address, size, advice);
	}
}
