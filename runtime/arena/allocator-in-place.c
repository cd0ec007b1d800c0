/* SPDX-License-Identifier: Apache-2.0 */
/* For a cell that is not journalled: its large blocks are written where they lie in the committed
 * file. */
#include "runtime/arena/allocator.h"

#include "runtime/arena/allocator-state.h"

#define IN_PLACE_PAGES 256u

void allocator_write_committed(int writable, allocator_block *fn, void *data)
{
	struct allocator *a = allocator_state();

	for (uint32_t i = 1; i < a->runs.n_runs; i++) {
		const struct run *r = page_runs_at(&a->runs, i);
		uint64_t address = page_address(r->page), size = (uint64_t)r->pages * ARENA_PAGE;

		if (r->kind != RUN_LARGE || r->pages < IN_PLACE_PAGES ||
		    arena_in_place(address, size))
			continue;
		if (arena_write_committed(writable, address, size))
			fn(data, address, r->size, r->cell);
	}
}
