/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of all structs and the places of some members: a changed struct nearly always changes one
 * of them. */
#include "runtime/worker/session-layout.h"

#include <stddef.h>

#include "runtime/arena/allocator-state.h"
#include "runtime/arena/arena.h"
#include "runtime/arena/layout-hash.h"
#include "runtime/cuda/device.h"
#include "runtime/loader/symbols.h"
#include "runtime/loader/units.h"
#include "runtime/widgets/comm.h"

uint64_t session_layout(void)
{
	static const uint64_t sizes[] = {
		ARENA_VERSION,
		ARENA_BASE,
		ARENA_SIZE,
		ARENA_CODE_OFFSET,
		ARENA_HEAP_OFFSET,
		DEVICE_BASE,
#if defined(__x86_64__)
		1,
#else
		2,
#endif
		sizeof(struct arena_header),
		offsetof(struct arena_header, root),
		offsetof(struct arena_header, heap_live),
		sizeof(struct allocator),
		offsetof(struct allocator, partial),
		offsetof(struct allocator, recent),
		sizeof(struct page_runs),
		offsetof(struct page_runs, chunks),
		offsetof(struct page_runs, leaves),
		sizeof(struct run),
		offsetof(struct run, cell),
		offsetof(struct run, size),
		sizeof(struct slab),
		sizeof(struct slot),
		sizeof(struct recent),
		offsetof(struct slab, touched),
		offsetof(struct slab, taken),
		sizeof(struct symbol),
		offsetof(struct symbol, got),
		offsetof(struct symbol, kind),
		offsetof(struct symbol, next),
		sizeof(struct unit_code),
		sizeof(struct unit_function),
		sizeof(struct unit_code_line),
		offsetof(struct unit_code, functions),
	};

	return layout_hash(comm_layout(device_layout()), sizes, sizeof(sizes) / sizeof(sizes[0]));
}
