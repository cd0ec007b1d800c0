/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mark a block (16 bits, the root) and a stack of blocks that wait to be looked through. A block
 * of a slab is found through the page table of the runs, a large one, of which only the ends are in
 * that table, by a search in a sorted list.
 */
#define _GNU_SOURCE
#include "runtime/arena/heap-scan.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/base/clock.h"
#include "runtime/arena/allocator-state.h"
#include "runtime/arena/allocator.h"

#define SPARSE_BYTES (64 * 1024) /* larger blocks are looked at for holes first */
#define CLOCK_BYTES (1u << 20)   /* scanned between two looks at the clock */
#define ROOT_MAX 0xffffu

struct large {
	uint64_t start;
	uint32_t index;
};

struct heap_scan {
	struct allocator *allocator;
	uint32_t *base; /* run -> its first mark */
	uint16_t *marks;
	uint64_t *waiting;   /* run << 32 | slot */
	struct large *large; /* by address */
	uint32_t n_marks, n_waiting, n_large;
	size_t bytes; /* of the mapping that holds this struct and its tables */
	uint64_t heap_end;
	uint64_t deadline_ns;
	uint64_t since_clock;
	bool late;
	heap_scan_device *device;
	void *data;
};

static int by_start(const void *a, const void *b)
{
	const struct large *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static uint32_t blocks_of(const struct run *r)
{
	return r->kind == RUN_SLAB ? r->slab->n_slots : r->kind == RUN_LARGE ? 1 : 0;
}

static size_t round16(size_t n)
{
	return (n + 15) & ~(size_t)15;
}

/*
 * The struct and its tables in one mapping of their own: the heap must not change while it is
 * looked at. It is shared, so that Linux does not join it to a private neighbour that is searched:
 * the table of large blocks would keep them all.
 */
static struct heap_scan *make(struct allocator *a)
{
	uint32_t n = 0, n_large = 0;
	size_t runs, marks, waiting, large;
	struct heap_scan *s;
	char *p;

	for (uint32_t i = 1; i < a->runs.n_runs; i++) {
		n += blocks_of(page_runs_at(&a->runs, i));
		n_large += page_runs_at(&a->runs, i)->kind == RUN_LARGE;
	}
	runs = round16(a->runs.n_runs * sizeof(*s->base));
	marks = round16(n * sizeof(*s->marks));
	waiting = round16(n * sizeof(*s->waiting));
	large = n_large * sizeof(*s->large);
	p = mmap(NULL, round16(sizeof(*s)) + runs + marks + waiting + large, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	s = (struct heap_scan *)p;
	p += round16(sizeof(*s));
	s->bytes = round16(sizeof(*s)) + runs + marks + waiting + large;
	s->allocator = a;
	s->base = (uint32_t *)p;
	s->marks = (uint16_t *)(p + runs);
	s->waiting = (uint64_t *)(p + runs + marks);
	s->large = (struct large *)(p + runs + marks + waiting);
	return s;
}

static void list_blocks(struct heap_scan *s)
{
	for (uint32_t i = 1; i < s->allocator->runs.n_runs; i++) {
		const struct run *r = page_runs_at(&s->allocator->runs, i);

		s->base[i] = s->n_marks;
		s->n_marks += blocks_of(r);
		if (r->kind == RUN_LARGE)
			s->large[s->n_large++] = (struct large){ page_address(r->page), i };
	}
	qsort(s->large, s->n_large, sizeof(*s->large), by_start);
}

struct heap_scan *heap_scan_begin(uint64_t budget_ns, heap_scan_device *device, void *data)
{
	struct heap_scan *s;

	allocator_fork_begin();
	s = make(allocator_state());
	if (!s) {
		allocator_fork_end();
		return NULL;
	}
	list_blocks(s);
	s->heap_end = arena_start(ARENA_HEAP) + arena_header()->top[ARENA_HEAP];
	s->deadline_ns = clock_now_ns() + budget_ns;
	s->device = device;
	s->data = data;
	return s;
}

void heap_scan_end(struct heap_scan *s)
{
	if (!s)
		return;
	munmap(s, s->bytes);
	allocator_fork_end();
}

static uint32_t find_large(const struct heap_scan *s, uint64_t address)
{
	uint32_t low = 0, high = s->n_large;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (s->large[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? s->large[low - 1].index : 0;
}

/* Run of the live block that holds the address, 0: none. */
static uint32_t find_block(const struct heap_scan *s, uint64_t address, uint32_t *ret_slot)
{
	const struct page_runs *runs = &s->allocator->runs;
	uint32_t page = address_page(address);
	const uint32_t *leaf = runs->leaves[page / RUN_LEAF_PAGES];
	uint32_t index = leaf ? leaf[page % RUN_LEAF_PAGES] : 0, slot;
	const struct run *r;

	if (!index || page_runs_at(runs, index)->kind != RUN_SLAB)
		index = find_large(s, address);
	r = page_runs_at(runs, index);
	*ret_slot = 0;
	if (!index)
		return 0;
	if (r->kind == RUN_LARGE)
		return address - page_address(r->page) < r->size ? index : 0;
	slot = (uint32_t)((address - page_address(r->page)) / r->slab->size);
	*ret_slot = slot;
	return slot < r->slab->n_slots && slab_taken(r->slab, slot) ? index : 0;
}

static void visit(struct heap_scan *s, uint64_t word, uint32_t root)
{
	uint32_t slot, index;

	if (word - arena_start(ARENA_HEAP) >= s->heap_end - arena_start(ARENA_HEAP)) {
		if (s->device && address_in_device(word))
			s->device(s->data, word, root);
		return;
	}
	index = find_block(s, word, &slot);
	if (!index || s->marks[s->base[index] + slot])
		return;
	s->marks[s->base[index] + slot] = (uint16_t)(root < ROOT_MAX ? root : ROOT_MAX);
	s->waiting[s->n_waiting++] = (uint64_t)index << 32 | slot;
}

static void scan_words(struct heap_scan *s, const uint64_t *words, size_t n, uint32_t root)
{
	while (n && !s->late) {
		size_t part = n < CLOCK_BYTES / 8 ? n : CLOCK_BYTES / 8;

		for (size_t i = 0; i < part; i++)
			visit(s, words[i], root);
		words += part;
		n -= part;
		s->since_clock += part * 8;
		if (s->since_clock >= CLOCK_BYTES) {
			s->since_clock = 0;
			s->late = clock_now_ns() > s->deadline_ns;
		}
	}
}

static void scan_range(struct heap_scan *s, uint64_t start, uint64_t end, uint32_t root)
{
	uint64_t from, to;

	start = (start + 7) & ~7ull;
	if (end - start < SPARSE_BYTES) {
		scan_words(s, (const uint64_t *)start, end > start ? (end - start) / 8 : 0, root);
		return;
	}
	for (; start < end && arena_next_data(start, end, &from, &to); start = to)
		scan_words(s, (const uint64_t *)from, (to - from) / 8, root);
}

static void scan_block(struct heap_scan *s, uint64_t entry, uint32_t root)
{
	const struct run *r = page_runs_at(&s->allocator->runs, (uint32_t)(entry >> 32));
	uint32_t slot = (uint32_t)entry;
	uint64_t start = page_address(r->page), size = r->size;

	if (r->kind == RUN_SLAB) {
		start += (uint64_t)slot * r->slab->size;
		size = r->slab->size - r->slab->slots[slot].slack;
	}
	scan_range(s, start, start + size, root);
}

static void follow(struct heap_scan *s, uint32_t root)
{
	while (s->n_waiting && !s->late)
		scan_block(s, s->waiting[--s->n_waiting], root);
}

void heap_scan_root(struct heap_scan *s, uint64_t start, uint64_t size, uint32_t root)
{
	if (size < 8)
		return;
	scan_range(s, start, start + size, root);
	follow(s, root);
}

void heap_scan_words(struct heap_scan *s, const uint64_t *words, size_t n, uint32_t root)
{
	scan_words(s, words, n, root);
	follow(s, root);
}

bool heap_scan_complete(const struct heap_scan *s)
{
	return !s->late;
}

static void each_slot(const struct heap_scan *s, uint32_t index,
		      void (*fn)(void *, const struct heap_scan_block *), void *data)
{
	const struct run *r = page_runs_at(&s->allocator->runs, index);

	for (uint32_t i = 0; i < r->slab->n_slots; i++) {
		const struct slot *slot = &r->slab->slots[i];
		struct heap_scan_block b = {
			.address = page_address(r->page) + (uint64_t)i * r->slab->size,
			.size = r->slab->size - slot->slack,
			.footprint = r->slab->size,
			.cell = slot->cell,
			.site = slot->site,
			.root = s->marks[s->base[index] + i],
		};

		if (slab_taken(r->slab, i))
			fn(data, &b);
	}
}

void heap_scan_each(const struct heap_scan *s,
		    void (*fn)(void *data, const struct heap_scan_block *b), void *data)
{
	for (uint32_t i = 1; i < s->allocator->runs.n_runs; i++) {
		const struct run *r = page_runs_at(&s->allocator->runs, i);
		struct heap_scan_block b = {
			.address = page_address(r->page),
			.size = r->size,
			.footprint = r->pages * ARENA_PAGE,
			.cell = r->cell,
			.site = r->site,
		};

		if (r->kind == RUN_SLAB) {
			each_slot(s, i, fn, data);
		} else if (r->kind == RUN_LARGE) {
			b.root = s->marks[s->base[i]];
			fn(data, &b);
		}
	}
}
