/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Free runs wait in bins by length: one bin a length up to 32 pages, then four a power of two. A
 * request searches the bin of its length, then the filled bins above it; each at most SEARCH_MAX
 * runs deep, so the time is bounded.
 */
#include "runtime/arena/page-runs.h"

#include <string.h>

#include "runtime/arena/arena.h"
#include "runtime/arena/meta.h"

#define EXACT_BINS 32u
#define SEARCH_MAX 64 /* runs looked at in a bin */
#define IN_PLACE_PAGES 256u
#define GROW_PAGES 64u

static unsigned bin_of(uint32_t pages)
{
	unsigned power, quarter;

	if (pages < EXACT_BINS)
		return pages;
	power = 31 - (unsigned)__builtin_clz(pages);
	quarter = (pages >> (power - 2)) & 3;
	return EXACT_BINS + (power - 5) * 4 + quarter;
}

static uint32_t *slot_of(const struct page_runs *p, uint32_t page)
{
	uint32_t *leaf = page < HEAP_PAGES ? p->leaves[page / RUN_LEAF_PAGES] : NULL;

	return leaf ? &leaf[page % RUN_LEAF_PAGES] : NULL;
}

static int ensure_leaf(struct page_runs *p, uint32_t page)
{
	uint32_t **leaf = &p->leaves[page / RUN_LEAF_PAGES];

	if (!*leaf)
		*leaf = meta_alloc(RUN_LEAF_PAGES * sizeof(**leaf));
	return *leaf ? 0 : -1;
}

static uint32_t new_run(struct page_runs *p)
{
	uint32_t index = p->unused;

	if (index) {
		p->unused = page_runs_at(p, index)->next;
	} else {
		index = p->n_runs;
		if (index / RUN_CHUNK >= RUN_CHUNKS)
			return 0;
		if (!p->chunks[index / RUN_CHUNK])
			p->chunks[index / RUN_CHUNK] = meta_alloc(RUN_CHUNK * sizeof(struct run));
		if (!p->chunks[index / RUN_CHUNK])
			return 0;
		p->n_runs++;
	}
	memset(page_runs_at(p, index), 0, sizeof(struct run));
	return index;
}

static void drop_run(struct page_runs *p, uint32_t index)
{
	struct run *r = page_runs_at(p, index);

	r->kind = RUN_UNUSED;
	r->next = p->unused;
	p->unused = index;
}

int page_runs_init(struct page_runs *p)
{
	p->n_runs = 0;
	p->pending_from = UINT32_MAX;
	if (new_run(p) != 0 || p->n_runs != 1) /* index 0 means none */
		return -1;
	return 0;
}

/* First and last page find the run. The leaves exist: growth makes them. */
static void mark_ends(struct page_runs *p, uint32_t index)
{
	struct run *r = page_runs_at(p, index);

	*slot_of(p, r->page) = index;
	*slot_of(p, r->page + r->pages - 1) = index;
}

static void clear_pages(struct page_runs *p, const struct run *r)
{
	*slot_of(p, r->page) = 0;
	*slot_of(p, r->page + r->pages - 1) = 0;
	if (r->kind != RUN_SLAB)
		return;
	for (uint32_t i = 0; i < r->pages; i++)
		*slot_of(p, r->page + i) = 0;
}

static void bin_add(struct page_runs *p, uint32_t index)
{
	struct run *r = page_runs_at(p, index);
	unsigned bin = bin_of(r->pages);

	r->prev = 0;
	r->next = p->bins[bin];
	if (r->next)
		page_runs_at(p, r->next)->prev = index;
	p->bins[bin] = index;
	p->bin_bits[bin / 64] |= 1ull << (bin % 64);
}

static void bin_remove(struct page_runs *p, uint32_t index)
{
	struct run *r = page_runs_at(p, index);
	unsigned bin = bin_of(r->pages);

	if (r->next)
		page_runs_at(p, r->next)->prev = r->prev;
	if (r->prev)
		page_runs_at(p, r->prev)->next = r->next;
	else
		p->bins[bin] = r->next;
	if (!p->bins[bin])
		p->bin_bits[bin / 64] &= ~(1ull << (bin % 64));
	r->next = r->prev = 0;
}

/* Make [page, page + pages) a free run in its bin; it was a part of the free run `of`. */
static uint32_t add_free(struct page_runs *p, uint32_t page, uint32_t pages, const struct run *of)
{
	uint32_t index = new_run(p);
	struct run *r;

	if (!index)
		return 0; /* the pages are lost, which a full META makes the least of all worries */
	r = page_runs_at(p, index);
	r->page = page;
	r->pages = pages;
	r->kind = RUN_FREE;
	r->freed_cell = of->freed_cell;
	r->zero = of->zero;
	r->returned = of->returned;
	mark_ends(p, index);
	bin_add(p, index);
	return index;
}

/* Fresh pages at the end of the heap, merged with a free run that ends there. */
static uint32_t grow(struct page_runs *p, uint32_t pages)
{
	uint32_t top = (uint32_t)(arena_header()->top[ARENA_HEAP] / ARENA_PAGE);
	uint32_t last = top ? page_runs_find(p, top - 1) : 0;
	struct run *r = last ? page_runs_at(p, last) : NULL;
	uint32_t need = pages;

	if (r && r->kind == RUN_FREE && r->zero && r->pages < need)
		need -= r->pages;
	else
		r = NULL;
	if (need < GROW_PAGES)
		need = GROW_PAGES;
	if (need > HEAP_PAGES - top)
		return 0;
	for (uint32_t leaf = top / RUN_LEAF_PAGES; leaf <= (top + need - 1) / RUN_LEAF_PAGES;
	     leaf++) {
		if (ensure_leaf(p, leaf * RUN_LEAF_PAGES))
			return 0;
	}
	if (!arena_grow(ARENA_HEAP, (size_t)need * ARENA_PAGE))
		return 0;
	if (!r)
		return add_free(p, top, need, &(struct run){ .zero = 1 });
	bin_remove(p, last);
	clear_pages(p, r);
	r->pages += need;
	mark_ends(p, last);
	bin_add(p, last);
	return last;
}

/* A large block is about to be filled: each page of it that lies in committed memory would be
 * copied first. The heap is large enough to take other addresses until the old ones can be written
 * in place. */
static bool suits(const struct page_runs *p, uint32_t index, uint32_t pages)
{
	const struct run *r = page_runs_at(p, index);

	if (r->pages < pages)
		return false;
	return pages < IN_PLACE_PAGES ||
	       arena_in_place(arena_start(ARENA_HEAP) + r->page * ARENA_PAGE, pages * ARENA_PAGE);
}

static uint32_t search_bin(const struct page_runs *p, unsigned bin, uint32_t pages)
{
	uint32_t index = p->bins[bin];

	for (int i = 0; index && i < SEARCH_MAX; i++) {
		if (suits(p, index, pages))
			return index;
		index = page_runs_at(p, index)->next;
	}
	return 0;
}

static uint32_t search(const struct page_runs *p, uint32_t pages)
{
	unsigned first = bin_of(pages);

	for (unsigned word = first / 64; word < RUN_BINS / 64; word++) {
		uint64_t bits = p->bin_bits[word];

		if (word == first / 64)
			bits &= ~0ull << (first % 64);
		for (; bits; bits &= bits - 1) {
			uint32_t index =
				search_bin(p, word * 64 + (unsigned)__builtin_ctzll(bits), pages);

			if (index)
				return index;
		}
	}
	return 0;
}

/* Keep the first `pages` of a run that is in no bin; the rest becomes a free run. */
static void cut_tail(struct page_runs *p, uint32_t index, uint32_t pages)
{
	struct run *r = page_runs_at(p, index);
	uint32_t rest = r->pages - pages;

	if (!rest)
		return;
	clear_pages(p, r);
	r->pages = pages;
	mark_ends(p, index);
	add_free(p, r->page + pages, rest, r);
}

uint32_t page_runs_take(struct page_runs *p, uint32_t pages, uint32_t align)
{
	uint32_t want = pages + align - 1, index, skip;
	struct run *r;

	if (!pages || want > HEAP_PAGES)
		return 0;
	index = search(p, want);
	if (!index)
		index = grow(p, want);
	if (!index)
		return 0;
	r = page_runs_at(p, index);
	bin_remove(p, index);
	skip = (align - r->page % align) % align;
	if (skip) {
		uint32_t page = r->page;

		clear_pages(p, r);
		r->page += skip;
		r->pages -= skip;
		mark_ends(p, index);
		add_free(p, page, skip, r);
	}
	cut_tail(p, index, pages);
	r->returned = 0;
	return index;
}

static void absorb(struct page_runs *p, struct run *r, uint32_t other)
{
	struct run *o = page_runs_at(p, other);

	bin_remove(p, other);
	clear_pages(p, o);
	if (o->page < r->page)
		r->page = o->page;
	r->pages += o->pages;
	if (o->freed_cell > r->freed_cell)
		r->freed_cell = o->freed_cell;
	drop_run(p, other);
}

static uint32_t free_neighbour(const struct page_runs *p, uint32_t page)
{
	const uint32_t *slot = slot_of(p, page);

	return slot && *slot && page_runs_at(p, *slot)->kind == RUN_FREE ? *slot : 0;
}

void page_runs_give(struct page_runs *p, uint32_t index, uint32_t cell)
{
	struct run *r = page_runs_at(p, index);
	uint32_t before = r->page ? free_neighbour(p, r->page - 1) : 0;
	uint32_t after = free_neighbour(p, r->page + r->pages);

	clear_pages(p, r);
	r->kind = RUN_FREE;
	r->zero = r->returned = 0;
	r->freed_cell = cell;
	r->slab = NULL;
	if (cell < p->pending_from)
		p->pending_from = cell;
	if (before)
		absorb(p, r, before);
	if (after)
		absorb(p, r, after);
	mark_ends(p, index);
	bin_add(p, index);
}

void page_runs_shrink(struct page_runs *p, uint32_t index, uint32_t pages, uint32_t cell)
{
	struct run *r = page_runs_at(p, index);
	uint32_t rest = r->pages - pages, tail;

	if (!rest)
		return;
	tail = new_run(p);
	if (!tail)
		return;
	clear_pages(p, r);
	r->pages = pages;
	mark_ends(p, index);
	page_runs_at(p, tail)->page = r->page + pages;
	page_runs_at(p, tail)->pages = rest;
	page_runs_at(p, tail)->kind = RUN_LARGE;
	mark_ends(p, tail);
	page_runs_give(p, tail, cell);
}

bool page_runs_extend(struct page_runs *p, uint32_t index, uint32_t pages)
{
	struct run *r = page_runs_at(p, index);
	uint32_t more = pages - r->pages, after = free_neighbour(p, r->page + r->pages);
	uint32_t top = (uint32_t)(arena_header()->top[ARENA_HEAP] / ARENA_PAGE);

	if (!after && r->page + r->pages == top)
		after = grow(p, more);
	if (!after)
		return false;
	if (page_runs_at(p, after)->pages < more &&
	    page_runs_at(p, after)->page + page_runs_at(p, after)->pages == top)
		grow(p, more);
	if (page_runs_at(p, after)->page != r->page + r->pages ||
	    page_runs_at(p, after)->pages < more)
		return false;
	bin_remove(p, after);
	cut_tail(p, after, more);
	clear_pages(p, r);
	clear_pages(p, page_runs_at(p, after));
	r->pages = pages;
	mark_ends(p, index);
	drop_run(p, after);
	return true;
}

int page_runs_map_all(struct page_runs *p, uint32_t index)
{
	struct run *r = page_runs_at(p, index);

	for (uint32_t i = 0; i < r->pages; i++)
		*slot_of(p, r->page + i) = index;
	return 0;
}

void page_runs_each_free(struct page_runs *p, uint32_t pages, void (*fn)(struct run *r, void *data),
			 void *data)
{
	for (unsigned bin = bin_of(pages); bin < RUN_BINS; bin++) {
		for (uint32_t i = p->bins[bin]; i; i = page_runs_at(p, i)->next) {
			if (page_runs_at(p, i)->pages >= pages)
				fn(page_runs_at(p, i), data);
		}
	}
}

uint32_t page_runs_find_slab(const struct page_runs *p, uint32_t page)
{
	const uint32_t *leaf = p->leaves[page / RUN_LEAF_PAGES];
	uint32_t index = leaf ? leaf[page % RUN_LEAF_PAGES] : 0;
	const struct run *r = page_runs_at(p, index);

	return index && r->kind == RUN_SLAB && page - r->page < r->pages ? index : 0;
}

uint32_t page_runs_find(const struct page_runs *p, uint32_t page)
{
	uint32_t at = page;

	for (;;) {
		const uint32_t *leaf = p->leaves[at / RUN_LEAF_PAGES];

		if (leaf && leaf[at % RUN_LEAF_PAGES]) {
			const struct run *r = page_runs_at(p, leaf[at % RUN_LEAF_PAGES]);

			return page - r->page < r->pages ? leaf[at % RUN_LEAF_PAGES] : 0;
		}
		if (!leaf)
			at = at / RUN_LEAF_PAGES * RUN_LEAF_PAGES;
		if (!at--)
			return 0;
	}
}
