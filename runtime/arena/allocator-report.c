/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The allocator says to whom an address belongs and who holds the heap. It is asked by signal
 * handlers, also when a cell has spoilt what it could: it takes no lock and believes nothing that
 * it has not checked against the region's tops.
 */
#include <string.h>

#include "common/base/error.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/arena/allocator-state.h"
#include "runtime/arena/allocator.h"

#define NEAR_BYTES (64 * MIB)

static const struct recent *recent_at(const struct allocator *a, uint64_t address)
{
	for (uint32_t i = 0; i < RECENT_MAX && i < a->n_recent; i++) {
		const struct recent *r = &a->recent[(a->n_recent - 1 - i) % RECENT_MAX];

		if (address - r->address < r->size)
			return r;
	}
	return NULL;
}

static void fill(struct address_description *ret, enum address_owner owner, uint64_t base,
		 uint64_t size, uint32_t cell, uint32_t freed)
{
	ret->owner = owner;
	ret->base = base;
	ret->size = size;
	ret->cell = cell;
	ret->freed_cell = freed;
}

/* The place in CODE where a block at this address was last freed; 0: it is no longer known. */
static uint32_t freed_site(const struct allocator *a, uint64_t base)
{
	for (uint32_t i = 0; i < FREED_MAX && i < a->n_freed; i++) {
		const struct freed *f = &a->freed[(a->n_freed - 1 - i) % FREED_MAX];

		if (f->address == base)
			return f->site;
	}
	return 0;
}

static void describe_slot(const struct run *r, uint64_t address, struct address_description *ret)
{
	const struct slab *s = r->slab;
	uint64_t offset = address - page_address(r->page);
	uint32_t slot = (uint32_t)(offset / s->size);
	uint64_t base = page_address(r->page) + (uint64_t)slot * s->size;
	const struct slot *info;
	uint64_t size;

	if (slot >= s->n_slots)
		return;
	info = &s->slots[slot];
	ret->allocated.offset = info->site;
	size = s->size - info->slack;
	if (slab_live(s, slot))
		fill(ret,
		     address - base < size || (!size && address == base) ? OWNER_HEAP
									 : OWNER_HEAP_NEAR,
		     base, size, info->cell, 0);
	else if (info->cell)
		fill(ret, OWNER_HEAP_FREED, base, size, info->cell, info->freed);
}

/* The live block below the address, for a write beyond its end that went on until it left the heap.
 */
static void describe_before(const struct allocator *a, uint64_t address,
			    struct address_description *ret)
{
	uint32_t top = (uint32_t)(arena_header()->top[ARENA_HEAP] / ARENA_PAGE),
		 page = address_page(address), index;
	const struct run *r;

	if (page > top)
		page = top;
	do {
		index = page ? page_runs_find(&a->runs, page - 1) : 0;
		r = page_runs_at(&a->runs, index);
		page = r->page;
	} while (index && r->kind == RUN_FREE);
	if (!index || address - page_address(r->page + r->pages) > NEAR_BYTES)
		return;
	if (r->kind == RUN_LARGE) {
		fill(ret, OWNER_HEAP_NEAR, page_address(r->page), r->size, r->cell, 0);
		ret->allocated.offset = r->site;
	} else if (r->kind == RUN_SLAB && slab_taken(r->slab, r->slab->n_slots - 1))
		describe_slot(
			r, page_address(r->page) + (uint64_t)r->slab->n_slots * r->slab->size - 1,
			ret);
	if (ret->owner == OWNER_HEAP)
		ret->owner = OWNER_HEAP_NEAR;
}

bool allocator_describe(uint64_t address, struct address_description *ret)
{
	const struct allocator *a = arena_attached() ? allocator_state() : NULL;
	const struct recent *recent;
	const struct run *r;
	uint32_t index;

	if (!address_in_heap(address))
		return false;
	fill(ret, OWNER_UNKNOWN, 0, 0, 0, 0);
	if (!a)
		return true;
	index = page_runs_find(&a->runs, address_page(address));
	r = page_runs_at(&a->runs, index);
	if (index && r->kind == RUN_SLAB)
		describe_slot(r, address, ret);
	else if (index && r->kind == RUN_LARGE && r->freed_cell)
		fill(ret, OWNER_HEAP_FREED, page_address(r->page), r->size, r->cell, r->freed_cell);
	else if (index && r->kind == RUN_LARGE)
		fill(ret, address - page_address(r->page) < r->size ? OWNER_HEAP : OWNER_HEAP_NEAR,
		     page_address(r->page), r->size, r->cell, 0);
	if (index && r->kind == RUN_LARGE)
		ret->allocated.offset = r->site;
	if (ret->owner == OWNER_HEAP_FREED)
		ret->freed.offset = freed_site(a, ret->base);
	if (ret->owner != OWNER_UNKNOWN)
		return true;
	recent = recent_at(a, address);
	if (recent) {
		fill(ret, OWNER_HEAP_FREED, recent->address, recent->size, recent->cell,
		     recent->freed);
		ret->allocated.offset = recent->site;
	}
	if (recent)
		ret->freed.offset = freed_site(a, recent->address);
	else if (index && r->kind == RUN_FREE && r->freed_cell)
		fill(ret, OWNER_HEAP_FREED, page_address(r->page), (uint64_t)r->pages * ARENA_PAGE,
		     0, r->freed_cell);
	else
		describe_before(a, address, ret);
	return true;
}

static enum allocator_block slot_block(const struct slab *s, uint32_t slot)
{
	if (slab_live(s, slot))
		return ALLOCATOR_LIVE;
	return s->slots[slot].cell ? ALLOCATOR_FREED : ALLOCATOR_NEVER;
}

static void each_slot(const struct run *r,
		      void (*fn)(uint64_t, uint64_t, uint64_t, enum allocator_block))
{
	const struct slab *s = r->slab;

	for (uint32_t i = 0; i < s->n_slots; i++)
		fn(page_address(r->page) + (uint64_t)i * s->size, s->size - s->slots[i].slack,
		   s->size, slot_block(s, i));
}

void allocator_each(void (*fn)(uint64_t base, uint64_t size, uint64_t room,
			       enum allocator_block block))
{
	const struct allocator *a = allocator_state();

	for (uint32_t i = 1; i < a->runs.n_runs; i++) {
		const struct run *r = page_runs_at(&a->runs, i);
		uint64_t bytes = (uint64_t)r->pages * ARENA_PAGE;

		if (r->kind == RUN_SLAB)
			each_slot(r, fn);
		else if (r->kind == RUN_LARGE)
			fn(page_address(r->page), r->size, bytes,
			   r->freed_cell ? ALLOCATOR_FREED : ALLOCATOR_LIVE);
		else if (r->kind == RUN_FREE)
			fn(page_address(r->page), 0, bytes,
			   r->freed_cell ? ALLOCATOR_FREED : ALLOCATOR_NEVER);
	}
}

static void count(struct allocator_holder *h, unsigned n, unsigned *n_used, uint32_t cell,
		  uint64_t bytes, uint64_t address)
{
	unsigned i = 0;

	while (i < *n_used && h[i].cell != cell)
		i++;
	if (i == n)
		return;
	if (i == *n_used) {
		h[i] = (struct allocator_holder){ .cell = cell };
		++*n_used;
	}
	h[i].bytes += bytes;
	h[i].blocks++;
	if (bytes > h[i].largest_size) {
		h[i].largest = address;
		h[i].largest_size = bytes;
	}
}

static void count_slab(struct allocator_holder *h, unsigned n, unsigned *n_used,
		       const struct run *r)
{
	for (uint32_t i = 0; i < r->slab->n_slots; i++) {
		if (slab_taken(r->slab, i))
			count(h, n, n_used, r->slab->slots[i].cell, r->slab->size,
			      page_address(r->page) + (uint64_t)i * r->slab->size);
	}
}

#define HOLDERS_MAX 1024

unsigned allocator_holders(struct allocator_holder *ret, unsigned n)
{
	static struct allocator_holder all[HOLDERS_MAX];
	const struct allocator *a = allocator_state();
	unsigned used = 0, given = 0;

	for (uint32_t i = 1; i < a->runs.n_runs; i++) {
		const struct run *r = page_runs_at(&a->runs, i);

		if (r->kind == RUN_SLAB)
			count_slab(all, HOLDERS_MAX, &used, r);
		else if (r->kind == RUN_LARGE)
			count(all, HOLDERS_MAX, &used, r->cell, (uint64_t)r->pages * ARENA_PAGE,
			      page_address(r->page));
	}
	for (; given < n && given < used; given++) {
		unsigned best = given;

		for (unsigned i = given; i < used; i++) {
			if (all[i].bytes > all[best].bytes)
				best = i;
		}
		ret[given] = all[best];
		all[best] = all[given];
	}
	return given;
}

void allocator_totals(struct allocator_totals *ret)
{
	const struct allocator *a = allocator_state();

	*ret = (struct allocator_totals){
		.top = arena_header()->top[ARENA_HEAP],
		.live = arena_header()->heap_live,
		.blocks = arena_header()->heap_blocks,
	};
	for (uint32_t i = 1; i < a->runs.n_runs; i++) {
		const struct run *r = page_runs_at(&a->runs, i);
		uint64_t bytes = r->pages * ARENA_PAGE;

		if (r->kind == RUN_SLAB)
			ret->slots +=
				(uint64_t)(r->slab->n_slots - r->slab->n_taken) * r->slab->size;
		if (r->kind != RUN_FREE)
			continue;
		ret->free += bytes;
		if (bytes > ret->largest)
			ret->largest = bytes;
	}
}

/* The rows of the cells tell the same as the blocks. */
static int check_rows(struct error *err)
{
	const struct arena_cells *t =
		(const struct arena_cells *)arena_header()->root[ARENA_ROOT_CELLS];
	uint64_t live = 0, blocks = 0;

	for (uint32_t i = 0; t && i < t->n; i++) {
		live += t->at[i].heap_made - t->at[i].heap_freed;
		blocks += t->at[i].blocks_made - t->at[i].blocks_freed;
	}
	if (t && (live != arena_header()->heap_live || blocks != arena_header()->heap_blocks))
		return error_set(err, ERROR_STATE,
				 "the rows of the cells hold %lu bytes in %lu blocks", live,
				 blocks);
	return 0;
}

static int check_run(const struct allocator *a, uint32_t index, uint64_t *live, uint64_t *blocks,
		     struct error *err)
{
	const struct run *r = page_runs_at(&a->runs, index);
	uint32_t taken = 0;

	if (page_runs_find(&a->runs, r->page) != index ||
	    page_runs_find(&a->runs, r->page + r->pages - 1) != index)
		return error_set(err, ERROR_STATE, "pages of run %u find another run", index);
	if (r->kind == RUN_LARGE) {
		*live += (uint64_t)r->pages * ARENA_PAGE;
		*blocks += 1;
	}
	if (r->kind != RUN_SLAB)
		return 0;
	for (uint32_t i = 0; i < r->slab->n_slots; i++)
		taken += slab_taken(r->slab, i);
	if (taken != r->slab->n_taken)
		return error_set(err, ERROR_STATE, "slab %u counts %u slots, %u are taken", index,
				 r->slab->n_taken, taken);
	*live += (uint64_t)taken * r->slab->size;
	*blocks += taken;
	return 0;
}

int allocator_check(struct error *err)
{
	const struct allocator *a = allocator_state();
	uint64_t pages = 0, live = 0, blocks = 0;
	uint32_t page = 0;

	for (uint32_t i = 1; i < a->runs.n_runs; i++) {
		const struct run *r = page_runs_at(&a->runs, i);

		if (r->kind == RUN_UNUSED)
			continue;
		pages += r->pages;
		if (check_run(a, i, &live, &blocks, err))
			return -1;
	}
	if (pages * ARENA_PAGE != arena_header()->top[ARENA_HEAP])
		return error_set(err, ERROR_STATE, "the runs cover %lu pages of %lu",
				 (unsigned long)pages,
				 (unsigned long)(arena_header()->top[ARENA_HEAP] / ARENA_PAGE));
	if (live != arena_header()->heap_live || blocks != arena_header()->heap_blocks)
		return error_set(err, ERROR_STATE, "%lu live bytes are counted as %lu", live,
				 arena_header()->heap_live);
	if (check_rows(err))
		return -1;
	while (page < pages) {
		uint32_t index = page_runs_find(&a->runs, page);
		const struct run *r = page_runs_at(&a->runs, index), *after;

		if (!index)
			return error_set(err, ERROR_STATE, "page %u is in no run", page);
		page = r->page + r->pages;
		after = page_runs_at(&a->runs, page < pages ? page_runs_find(&a->runs, page) : 0);
		if (r->kind == RUN_FREE && after->kind == RUN_FREE && !r->zero && !after->zero)
			return error_set(err, ERROR_STATE, "free runs at page %u did not merge",
					 page);
	}
	return 0;
}
