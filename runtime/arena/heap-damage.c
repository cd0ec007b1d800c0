/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time this takes at the end of a cell depends on what the cell has done: slabs in which it has
 * allocated or freed are looked at as a whole, others where Linux says that a page was written.
 */
#include "runtime/arena/heap-damage.h"

#include "runtime/arena/allocator-state.h"
#include "runtime/arena/private-pages.h"

void heap_damage_in_slot(struct run *slab, uint32_t slot, allocator_damaged *fn, void *data)
{
	const struct slab *s = slab->slab;
	const struct slot *info = &s->slots[slot];
	void *block = slot_address(slab, slot);
	size_t size = s->size - info->slack, found;
	bool live = slab_live(s, slot);

	if (!live && !info->poisoned)
		return;
	found = live ? heap_guard_overrun(block, size, s->size) : heap_guard_spoilt(block, s->size);
	if (!found)
		return;
	fn(data, &(struct heap_damage){ (uint64_t)(uintptr_t)block, size, found - 1, info->cell,
					info->site, live ? 0 : info->freed });
	if (live)
		heap_guard_set(block, size, s->size);
	else
		heap_guard_poison(block, s->size);
}

void heap_damage_in_large(struct run *large, allocator_damaged *fn, void *data)
{
	void *block = (void *)page_address(large->page);
	size_t room = large->pages * ARENA_PAGE,
	       found = heap_guard_overrun(block, large->size, room);

	if (!found)
		return;
	fn(data, &(struct heap_damage){ (uint64_t)(uintptr_t)block, large->size, found - 1,
					large->cell, large->site, 0 });
	heap_guard_set(block, large->size, room);
}

struct search {
	struct allocator *a;
	uint32_t cell;
	allocator_damaged *fn;
	void *data;
};

/* Looks at the slots that have bytes in this part of the slab. */
static void look_at_slots(const struct search *s, struct run *r, uint64_t start, uint64_t end)
{
	uint32_t slot = (uint32_t)(start / r->slab->size);

	for (; slot < r->slab->n_slots && (uint64_t)slot * r->slab->size < end; slot++)
		heap_damage_in_slot(r, slot, s->fn, s->data);
}

static void look_at_written(void *data, uint64_t start, uint64_t end)
{
	const struct search *s = data;

	for (uint32_t page = address_page(start); page < address_page(end); page++) {
		uint32_t index = page_runs_find_slab(&s->a->runs, page);
		struct run *r = page_runs_at(&s->a->runs, index);

		uint64_t offset = (uint64_t)(page - r->page) * ARENA_PAGE;

		if (index && r->slab->touched != s->cell)
			look_at_slots(s, r, offset, offset + ARENA_PAGE);
	}
}

void heap_damage_each(struct allocator *a, uint32_t cell, allocator_damaged *fn, void *data)
{
	struct search s = { a, cell, fn, data };

	for (uint32_t i = 1; i < a->runs.n_runs; i++) {
		struct run *r = page_runs_at(&a->runs, i);

		if (r->kind == RUN_LARGE && r->cell == cell && !r->freed_cell)
			heap_damage_in_large(r, fn, data);
		if (r->kind == RUN_SLAB && r->slab->touched == cell)
			look_at_slots(&s, r, 0, r->pages * ARENA_PAGE);
	}
	private_pages_each(page_address(0), arena_header()->top[ARENA_HEAP], look_at_written, &s);
}
