/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Size classes are multiples of 16 up to 128, then four a power of two up to 16 KiB; above, a block
 * is a run of pages. One lock guards all: a cell allocates from few threads, and a block costs some
 * tens of nanoseconds.
 *
 * Pages of a large block that is freed are given back at once as far as that is possible
 * (arena_discard); what lies in the committed file follows when no undo can return to a state that
 * used it (allocator_give_back).
 */
#include "runtime/arena/allocator.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/arena/allocator-state.h"
#include "runtime/arena/heap-damage.h"
#include "runtime/arena/meta.h"

#define DISCARD_PAGES 32u /* give back memory of freed runs from this length on */
#define RETURN_PAGES 4u   /* the same for what lies in the committed part, when no undo needs it */
#define FRESH_PAGES 256u  /* map freed runs in place from this length on */
#define ROWS_MIN 64u
#define DAMAGE_MAX 16u
#define OLD_POISONED_MAX 2000u

/* The variables of this process, which are no part of the session. */
static struct {
	pthread_mutex_t lock;
	struct allocator_hooks hooks;
	uint64_t limit;
	uint32_t cell;
	uint32_t oldest; /* cell that can be undone, as the last commit has said */
	size_t red_zone;
	uint64_t keep_max; /* bytes of freed blocks that are not used again; 0: none is kept */
	uint64_t kept;
	/* Of this cell, found when a block was freed or a slot taken again. */
	struct heap_damage damage[DAMAGE_MAX];
	unsigned n_damage;
	unsigned n_poisoned; /* blocks of earlier cells that this one has freed */
} here = { .lock = PTHREAD_MUTEX_INITIALIZER, .cell = 1 };

static void enter(void)
{
	meta_enter();
	pthread_mutex_lock(&here.lock);
}

static void leave(void)
{
	pthread_mutex_unlock(&here.lock);
	meta_leave();
}

void allocator_fork_begin(void)
{
	enter();
}

void allocator_fork_end(void)
{
	leave();
}

int allocator_attach(const struct allocator_hooks *h, struct error *err)
{
	here.hooks = *h;
	here.oldest = 0;
	if (allocator_state())
		return 0;
	arena_header()->root[ARENA_ROOT_ALLOCATOR] =
		(uint64_t)(uintptr_t)meta_alloc(sizeof(struct allocator));
	if (!allocator_state() || page_runs_init(&allocator_state()->runs))
		return error_set(err, ERROR_MEMORY, "no memory for the session's heap");
	return 0;
}

void allocator_set_limit(uint64_t bytes)
{
	here.limit = bytes;
}

/* NULL: META was full when its turn came. */
static struct arena_cell *cell_row(uint32_t c)
{
	struct arena_cells *t = (struct arena_cells *)arena_header()->root[ARENA_ROOT_CELLS];

	return t && c < t->n ? &t->at[c] : NULL;
}

static void grow_rows(uint32_t c)
{
	struct arena_cells *old = (struct arena_cells *)arena_header()->root[ARENA_ROOT_CELLS], *t;
	uint32_t n = c + 1 < ROWS_MIN ? ROWS_MIN : (c + 1) * 2;

	if (old && c < old->n)
		return;
	t = meta_alloc(sizeof(*t) + n * sizeof(t->at[0]));
	if (!t)
		return;
	t->n = n;
	if (old)
		memcpy(t->at, old->at, old->n * sizeof(t->at[0]));
	arena_header()->root[ARENA_ROOT_CELLS] = (uint64_t)(uintptr_t)t;
	meta_free(old);
}

void allocator_set_cell(uint32_t c)
{
	enter();
	here.cell = c ? c : 1;
	here.n_damage = here.n_poisoned = 0;
	arena_header()->cell = c;
	grow_rows(here.cell);
	leave();
}

void allocator_device_made(uint64_t bytes)
{
	struct arena_cell *row;

	enter();
	row = cell_row(here.cell);
	if (row)
		row->device_made += bytes;
	leave();
}

void allocator_device_freed(uint32_t c, uint64_t bytes)
{
	struct arena_cell *row;

	enter();
	row = cell_row(c);
	if (row)
		row->device_freed += bytes;
	leave();
}

static uint32_t caller(void)
{
	return here.hooks.caller ? here.hooks.caller() : 0;
}

static unsigned class_of(size_t size)
{
	unsigned power;

	if (size <= 128)
		return size ? (unsigned)(size - 1) / 16 : 0;
	power = 63 - (unsigned)__builtin_clzll(size - 1);
	return 8 + (power - 7) * 4 + (unsigned)((size - 1) >> (power - 2) & 3);
}

static uint32_t class_size(unsigned class)
{
	unsigned power, quarter;

	if (class < 8)
		return (class + 1) * 16;
	power = 7 + (class - 8) / 4;
	quarter = (class - 8) % 4 + 1;
	return (1u << power) + quarter * (1u << (power - 2));
}

/* The running cell takes, or a block of cell c is given back; blocks is 0 when a block changes its
 * size. */
static void account_made(uint64_t bytes, unsigned blocks, uint32_t c)
{
	struct arena_cell *row = cell_row(c);

	arena_header()->heap_live += bytes;
	arena_header()->heap_blocks += blocks;
	if (row) {
		row->heap_made += bytes;
		row->blocks_made += blocks;
	}
}

static void account_freed(uint64_t bytes, unsigned blocks, uint32_t c)
{
	struct arena_cell *row = cell_row(c);

	arena_header()->heap_live -= bytes;
	arena_header()->heap_blocks -= blocks;
	if (row) {
		row->heap_freed += bytes;
		row->blocks_freed += blocks;
	}
}

bool allocator_fits(uint64_t bytes)
{
	uint64_t used = arena_header()->heap_live;

	return !here.limit || (bytes <= here.limit && used <= here.limit - bytes);
}

/* Slabs with free slots of one class form a list. */
static void partial_add(struct allocator *a, uint32_t index)
{
	struct run *r = page_runs_at(&a->runs, index);

	r->prev = 0;
	r->next = a->partial[r->class];
	if (r->next)
		page_runs_at(&a->runs, r->next)->prev = index;
	a->partial[r->class] = index;
}

static void partial_remove(struct allocator *a, uint32_t index)
{
	struct run *r = page_runs_at(&a->runs, index);

	if (r->next)
		page_runs_at(&a->runs, r->next)->prev = r->prev;
	if (r->prev)
		page_runs_at(&a->runs, r->prev)->next = r->next;
	else
		a->partial[r->class] = r->next;
	r->next = r->prev = 0;
}

static uint32_t new_slab(struct allocator *a, unsigned class)
{
	uint32_t size = class_size(class), bytes = size * 32, n, index;
	struct slab *s;
	struct run *r;

	bytes = bytes < 16384 ? 16384 : bytes > 131072 ? 131072 : bytes;
	bytes = (bytes + (uint32_t)ARENA_PAGE - 1) / (uint32_t)ARENA_PAGE * (uint32_t)ARENA_PAGE;
	n = bytes / size;
	s = meta_alloc(sizeof(*s) + n * sizeof(s->slots[0]));
	if (!s)
		return 0;
	index = page_runs_take(&a->runs, bytes / (uint32_t)ARENA_PAGE, 1);
	if (!index) {
		meta_free(s);
		return 0;
	}
	s->n_slots = n;
	s->size = size;
	r = page_runs_at(&a->runs, index);
	r->kind = RUN_SLAB;
	r->class = (uint8_t)class;
	r->slab = s;
	page_runs_map_all(&a->runs, index);
	partial_add(a, index);
	return index;
}

static uint32_t free_slot(struct slab *s)
{
	uint32_t words = (s->n_slots + 63) / 64;

	for (uint32_t i = 0; i < words; i++) {
		uint32_t w = (s->hint + i) % words;
		uint64_t holes = ~s->taken[w];
		uint32_t slot;

		if (!holes)
			continue;
		slot = w * 64 + (uint32_t)__builtin_ctzll(holes);
		if (slot < s->n_slots) {
			s->hint = w;
			return slot;
		}
	}
	return UINT32_MAX;
}

static void note_damage(void *data, const struct heap_damage *d)
{
	(void)data;
	if (here.n_damage < DAMAGE_MAX)
		here.damage[here.n_damage++] = *d;
}

static void *alloc_small(struct allocator *a, size_t size, unsigned class)
{
	uint32_t index = a->partial[class] ? a->partial[class] : new_slab(a, class);
	struct run *r = page_runs_at(&a->runs, index);
	struct slab *s;
	uint32_t slot;

	if (!index)
		return NULL;
	s = r->slab;
	slot = free_slot(s);
	heap_damage_in_slot(r, slot, note_damage, NULL);
	s->touched = here.cell;
	s->taken[slot / 64] |= 1ull << (slot % 64);
	s->slots[slot] = (struct slot){ .cell = here.cell,
					.slack = s->size - (uint32_t)size,
					.site = caller() };
	heap_guard_set(slot_address(r, slot), size, s->size);
	if (++s->n_taken == s->n_slots)
		partial_remove(a, index);
	account_made(s->size, 1, here.cell);
	return slot_address(r, slot);
}

static uint32_t pages_for(size_t size)
{
	return (uint32_t)((size + ARENA_PAGE - 1) / ARENA_PAGE);
}

static void *alloc_large(struct allocator *a, size_t size, size_t align, bool *ret_zero)
{
	uint32_t pages = align > ARENA_PAGE ? (uint32_t)(align / ARENA_PAGE) : 1;
	uint32_t index = page_runs_take(&a->runs, pages_for(size + here.red_zone), pages);
	struct run *r = page_runs_at(&a->runs, index);

	if (!index)
		return NULL;
	*ret_zero = r->zero;
	r->kind = RUN_LARGE;
	r->cell = here.cell;
	r->freed_cell = 0;
	r->site = caller();
	r->size = size;
	account_made(r->pages * ARENA_PAGE, 1, here.cell);
	heap_guard_set((void *)page_address(r->page), size, r->pages * ARENA_PAGE);
	return (void *)page_address(r->page);
}

/* Bytes that a request will be counted with; class is set for a small one. */
static uint64_t footprint(size_t size, size_t align, unsigned *ret_class)
{
	if (size <= SMALL_MAX && align <= ARENA_PAGE) {
		for (unsigned c = class_of(size > align ? size : align); c < CLASS_COUNT; c++) {
			if (class_size(c) % align == 0) {
				*ret_class = c;
				return class_size(c);
			}
		}
	}
	*ret_class = CLASS_COUNT;
	return (uint64_t)pages_for(size) * ARENA_PAGE;
}

static void *alloc(size_t size, size_t align, bool *ret_zero)
{
	struct allocator *a = allocator_state();
	unsigned class;
	uint64_t bytes;
	void *p = NULL;

	*ret_zero = false;
	if (align < 16)
		align = 16;
	if (size > ARENA_HEAP_SIZE || align > ARENA_HEAP_SIZE / 4)
		return NULL;
	bytes = footprint(size + here.red_zone, align, &class);
	enter();
	if (allocator_fits(bytes)) {
		p = class < CLASS_COUNT ? alloc_small(a, size, class)
					: alloc_large(a, size ? size : 1, align, ret_zero);
	}
	leave();
	if (!p && here.hooks.out_of_memory)
		here.hooks.out_of_memory(size, arena_header()->heap_live,
					 allocator_fits(bytes) ? 0 : here.limit);
	return p;
}

void *allocator_alloc(size_t size, size_t align)
{
	bool zero;

	return alloc(size, align, &zero);
}

void *allocator_zalloc(size_t size)
{
	bool zero;
	void *p = alloc(size, 16, &zero);

	if (p && !zero)
		memset(p, 0, size);
	return p;
}

static void misuse(const void *p, const char *call)
{
	struct address_description d = { 0 };
	uint64_t at = (uint64_t)(uintptr_t)p;
	char text[512];

	allocator_describe(at, &d);
	if (d.owner == OWNER_HEAP_FREED && d.base == at)
		snprintf(text, sizeof(text), "double free: %s() of a block that is free already",
			 call);
	else if (d.owner == OWNER_HEAP_FREED)
		snprintf(text, sizeof(text),
			 "invalid free: %s() of an address in memory that is free already", call);
	else if (d.owner == OWNER_HEAP)
		snprintf(text, sizeof(text),
			 "invalid free: %s() of an address inside of a block, not of its start",
			 call);
	else
		snprintf(text, sizeof(text),
			 "invalid free: malloc() never gave what was passed to %s()", call);
	if (here.hooks.misuse)
		here.hooks.misuse(text, p);
}

/* The live block that starts at p: its run, and its slot in a slab. 0: there is none. */
static uint32_t find_block(struct allocator *a, const void *p, uint32_t *ret_slot)
{
	uint64_t at = (uint64_t)(uintptr_t)p;
	uint32_t index = address_in_heap(at) ? page_runs_find(&a->runs, address_page(at)) : 0;
	struct run *r = page_runs_at(&a->runs, index);
	uint64_t offset;

	if (!index)
		return 0;
	offset = at - page_address(r->page);
	if (r->kind == RUN_LARGE)
		return offset || r->freed_cell ? 0 : index;
	if (r->kind != RUN_SLAB || offset % r->slab->size)
		return 0;
	*ret_slot = (uint32_t)(offset / r->slab->size);
	return *ret_slot < r->slab->n_slots && slab_live(r->slab, *ret_slot) ? index : 0;
}

/* Pages of older blocks are perhaps not written by the cell otherwise, so the commit would copy
 * them for this alone. */
static void poison(const struct run *slab, uint32_t slot)
{
	struct slot *info = &slab->slab->slots[slot];

	if (info->cell != here.cell && here.n_poisoned++ >= OLD_POISONED_MAX)
		return;
	heap_guard_poison(slot_address(slab, slot), slab->slab->size);
	info->poisoned = 1;
}

static void free_small(struct allocator *a, uint32_t index, uint32_t slot)
{
	struct run *r = page_runs_at(&a->runs, index);
	struct slab *s = r->slab;

	heap_damage_in_slot(r, slot, note_damage, NULL);
	s->touched = here.cell;
	s->taken[slot / 64] &= ~(1ull << (slot % 64));
	s->slots[slot].freed = here.cell;
	poison(r, slot);
	account_freed(s->size, 1, s->slots[slot].cell);
	if (s->n_taken-- == s->n_slots)
		partial_add(a, index);
	if (s->n_taken || (a->partial[r->class] == index && !r->next))
		return; /* the last slab of its class stays */
	partial_remove(a, index);
	page_runs_give(&a->runs, index, here.cell);
	meta_free(s);
}

/* Pages that cannot be written in place are counted as freed, since undo needs them for a while.
 * The pages of a block of this cell were counted already, when the block that lay there before was
 * freed. */
static void note_freed(const struct run *r, uint32_t page, uint32_t pages)
{
	if (r->cell != here.cell && pages >= RETURN_PAGES &&
	    !arena_in_place(page_address(page), (size_t)pages * ARENA_PAGE))
		arena_header()->heap_freed += (uint64_t)pages * ARENA_PAGE;
}

static void free_large(struct allocator *a, uint32_t index)
{
	struct run *r = page_runs_at(&a->runs, index);

	heap_damage_in_large(r, note_damage, NULL);
	a->recent[a->n_recent++ % RECENT_MAX] =
		(struct recent){ page_address(r->page), r->size, r->cell, here.cell, r->site };
	account_freed(r->pages * ARENA_PAGE, 1, r->cell);
	note_freed(r, r->page, r->pages);
	if (r->pages >= DISCARD_PAGES)
		arena_discard(page_address(r->page), (size_t)r->pages * ARENA_PAGE);
	page_runs_give(&a->runs, index, here.cell);
}

/* The block stays where it is, as one that was freed. */
static bool keep(struct allocator *a, uint32_t index, uint32_t slot)
{
	struct run *r = page_runs_at(&a->runs, index);
	uint64_t bytes = r->kind == RUN_SLAB ? r->slab->size : (uint64_t)r->pages * ARENA_PAGE;

	if (here.kept + bytes > here.keep_max)
		return false;
	here.kept += bytes;
	if (r->kind == RUN_SLAB)
		r->slab->slots[slot].freed = here.cell;
	else
		r->freed_cell = here.cell;
	return true;
}

void allocator_free(void *p)
{
	struct allocator *a = allocator_state();
	uint32_t slot = 0, index;

	enter();
	index = find_block(a, p, &slot);
	if (index)
		a->freed[a->n_freed++ % FREED_MAX] =
			(struct freed){ (uint64_t)(uintptr_t)p, caller() };
	if (!index || keep(a, index, slot))
		;
	else if (page_runs_at(&a->runs, index)->kind == RUN_SLAB)
		free_small(a, index, slot);
	else
		free_large(a, index);
	leave();
	if (!index)
		misuse(p, "free");
}

/* Change the size where the block is; false if it must move. */
static bool resize_in_place(struct allocator *a, uint32_t index, uint32_t slot, size_t size)
{
	struct run *r = page_runs_at(&a->runs, index);
	uint32_t pages = pages_for(size), old = r->pages;

	if (here.keep_max)
		return false;
	if (r->kind == RUN_SLAB) {
		if (size > r->slab->size || size * 2 < r->slab->size)
			return false;
		heap_damage_in_slot(r, slot, note_damage, NULL);
		r->slab->touched = here.cell;
		r->slab->slots[slot].slack = r->slab->size - (uint32_t)size;
		heap_guard_set(slot_address(r, slot), size, r->slab->size);
		return true;
	}
	if (size <= SMALL_MAX)
		return false;
	heap_damage_in_large(r, note_damage, NULL);
	if (pages > old && (!allocator_fits((uint64_t)(pages - old) * ARENA_PAGE) ||
			    !page_runs_extend(&a->runs, index, pages)))
		return false;
	if (pages < old) {
		note_freed(r, r->page + pages, old - pages);
		if (old - pages >= DISCARD_PAGES)
			arena_discard(page_address(r->page + pages),
				      (size_t)(old - pages) * ARENA_PAGE);
		page_runs_shrink(&a->runs, index, pages, here.cell);
	}
	if (pages > old)
		account_made((pages - old) * ARENA_PAGE, 0, r->cell);
	else
		account_freed((old - pages) * ARENA_PAGE, 0, r->cell);
	r->size = size;
	heap_guard_set((void *)page_address(r->page), size, r->pages * ARENA_PAGE);
	return true;
}

static size_t block_size(const struct run *r, uint32_t slot)
{
	return r->kind == RUN_SLAB ? r->slab->size - r->slab->slots[slot].slack : r->size;
}

void *allocator_realloc(void *p, size_t size)
{
	struct allocator *a = allocator_state();
	uint32_t slot = 0, index;
	size_t old = 0;
	bool done = false;
	void *q;

	enter();
	index = find_block(a, p, &slot);
	if (index && size <= ARENA_HEAP_SIZE) {
		old = block_size(page_runs_at(&a->runs, index), slot);
		done = resize_in_place(a, index, slot, size);
	}
	leave();
	if (!index)
		misuse(p, "realloc");
	if (done)
		return p;
	q = index ? allocator_alloc(size, 16) : NULL;
	if (!q)
		return NULL;
	memcpy(q, p, old < size ? old : size);
	allocator_free(p);
	return q;
}

size_t allocator_room(const void *p)
{
	struct allocator *a = allocator_state();
	uint32_t slot = 0, index;
	size_t size = 0;

	enter();
	index = find_block(a, p, &slot);
	if (index) {
		const struct run *r = page_runs_at(&a->runs, index);

		size = r->kind == RUN_SLAB ? r->slab->size : (size_t)r->pages * ARENA_PAGE;
	}
	leave();
	return size;
}

size_t allocator_usable_size(const void *p)
{
	struct allocator *a = allocator_state();
	uint32_t slot = 0, index;
	size_t size = 0;

	enter();
	index = find_block(a, p, &slot);
	if (index)
		size = block_size(page_runs_at(&a->runs, index), slot);
	leave();
	return size;
}

void allocator_each_damaged(allocator_damaged *fn, void *data)
{
	enter();
	for (unsigned i = 0; i < here.n_damage; i++)
		fn(data, &here.damage[i]);
	heap_damage_each(allocator_state(), here.cell, fn, data);
	leave();
}

void allocator_keep_freed(size_t zone, uint64_t max)
{
	here.red_zone = zone;
	here.keep_max = max;
}

/* Free pages that were made fresh stay so until they are used. */
static bool is_free(uint64_t address, size_t size)
{
	const struct page_runs *runs = &allocator_state()->runs;
	const struct run *r = page_runs_at(runs, page_runs_find(runs, address_page(address)));

	return r->kind == RUN_FREE && address + size <= page_address(r->page + r->pages);
}

static void make_fresh(struct run *r, void *data)
{
	uint64_t address = page_address(r->page), size = r->pages * ARENA_PAGE;

	(void)data;
	if (r->returned && !arena_in_place(address, size))
		arena_make_fresh(address, size);
}

struct giving {
	allocator_range *fn;
	void *data;
};

/* Runs that undo may still need wait for a later call; the youngest cell of those is kept, so that
 * the call knows when to look. */
static void give_back(struct run *r, void *data)
{
	struct page_runs *runs = &allocator_state()->runs;
	const struct giving *g = data;
	uint64_t address = page_address(r->page), size = r->pages * ARENA_PAGE;

	if (r->zero || r->returned)
		return;
	if (r->freed_cell >= here.oldest || !g->fn(g->data, address, size)) {
		runs->pending_from =
			r->freed_cell < runs->pending_from ? r->freed_cell : runs->pending_from;
		return;
	}
	arena_leave_in_place(address, size);
	r->returned = 1;
}

void allocator_give_back(allocator_range *fn, void *data)
{
	struct page_runs *runs = &allocator_state()->runs;

	if (runs->pending_from >= here.oldest)
		return;
	enter();
	runs->pending_from = UINT32_MAX;
	page_runs_each_free(runs, RETURN_PAGES, give_back, &(struct giving){ fn, data });
	leave();
}

void allocator_committed(uint32_t oldest)
{
	here.oldest = oldest;
	arena_keep_fresh(is_free);
	page_runs_each_free(&allocator_state()->runs, FRESH_PAGES, make_fresh, NULL);
}
