/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Global memory: cells in pages that are made when they are first touched, found through a table that is read without a
 * lock. A page is locked while one operation is compared with it, since other host threads run other ctas. The log of
 * accesses is that of the launch and only grows, in chunks that never move.
 */
#include "emulator/check/race-state.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/machine/exec.h"

#define PAGE_BITS 12
#define PAGE_BYTES (1u << PAGE_BITS)
#define TABLE (1u << 15)
#define PAGES_MAX (TABLE / 2)
#define BYTES_MAX (192u << 20)

struct race_page {
	uint64_t number;
	pthread_mutex_t lock;
	unsigned shift;
	struct race_cell *cells;
};

int race_global_init(struct race_global *g)
{
	g->pages = calloc(TABLE, sizeof(*g->pages));
	pthread_mutex_init(&g->lock, NULL);
	/* Number 0 stands for none. */
	atomic_store(&g->count, 1);
	return g->pages ? 0 : -1;
}

void race_global_free(struct race_global *g)
{
	for (uint32_t i = 0; i < TABLE; i++)
		if (g->pages[i]) {
			pthread_mutex_destroy(&g->pages[i]->lock);
			free(g->pages[i]->cells);
			free(g->pages[i]);
		}
	for (size_t i = 0; i < sizeof(g->chunks) / sizeof(g->chunks[0]); i++)
		free(g->chunks[i]);
	free(g->pages);
	free(g->releases.slots);
	pthread_mutex_destroy(&g->lock);
}

static struct race_page *make_page(struct race_global *g, uint64_t number)
{
	struct race_page *p = g->bytes < BYTES_MAX ? calloc(1, sizeof(*p)) : NULL;

	if (!p)
		return NULL;
	p->number = number;
	p->shift = 2;
	p->cells = calloc(PAGE_BYTES >> p->shift, sizeof(*p->cells));
	if (!p->cells) {
		free(p);
		return NULL;
	}
	pthread_mutex_init(&p->lock, NULL);
	g->bytes += (PAGE_BYTES >> p->shift) * sizeof(*p->cells);
	return p;
}

/* The slot of the page, or the free one where it belongs. */
static uint32_t slot_of(struct race_global *g, uint64_t number)
{
	uint32_t at = (uint32_t)(number * 0x9e3779b97f4a7c15ull >> 40) % TABLE;

	for (;; at = (at + 1) % TABLE) {
		const struct race_page *p = atomic_load_explicit(&g->pages[at], memory_order_acquire);

		if (!p || p->number == number)
			return at;
	}
}

static struct race_page *page_of(struct race *r, uint64_t number)
{
	struct race_global *g = &r->global;
	struct race_page *p = atomic_load_explicit(&g->pages[slot_of(g, number)], memory_order_acquire);
	uint32_t at;

	if (p)
		return p;
	pthread_mutex_lock(&g->lock);
	at = slot_of(g, number);
	p = g->pages[at];
	if (!p) {
		p = make_page(g, number);
		if (p)
			atomic_store_explicit(&g->pages[at], p, memory_order_release);
	}
	pthread_mutex_unlock(&g->lock);
	if (!p)
		race_cut(r);
	return p;
}

static bool split_cells(struct race *r, struct race_page *p, uint32_t size)
{
	unsigned shift = size == 1 ? 0 : 1, more = p->shift - shift;
	struct race_cell *finer = malloc((PAGE_BYTES >> shift) * sizeof(*finer));

	if (!finer) {
		race_cut(r);
		return false;
	}
	for (uint32_t i = 0; i < PAGE_BYTES >> shift; i++)
		finer[i] = p->cells[i >> more];
	free(p->cells);
	p->cells = finer;
	p->shift = shift;
	return true;
}

static struct race_access *chunk_of(struct race *r, uint32_t index)
{
	struct race_global *g = &r->global;
	struct race_access *chunk = atomic_load_explicit(&g->chunks[index], memory_order_acquire);

	if (chunk)
		return chunk;
	pthread_mutex_lock(&g->lock);
	chunk = g->chunks[index];
	if (!chunk) {
		chunk = malloc(RACE_CHUNK * sizeof(*chunk));
		atomic_store_explicit(&g->chunks[index], chunk, memory_order_release);
	}
	pthread_mutex_unlock(&g->lock);
	return chunk;
}

static const struct race_access *find(const struct race *r, uint32_t mark)
{
	uint32_t number = mark >> RACE_LANE_BITS;

	return mark ? &r->global.chunks[number / RACE_CHUNK][number % RACE_CHUNK] : NULL;
}

static uint32_t number_of(struct race_now *n)
{
	struct race_cta *c = n->c;
	struct race_recent *recent = race_recent(n);
	struct race_access *chunk;
	uint32_t number;

	if (race_is_alike(recent, n))
		return recent->number;
	number = atomic_fetch_add(&c->race->global.count, 1);
	chunk = number < RACE_NUMBERS / 2 ? chunk_of(c->race, number / RACE_CHUNK) : NULL;
	if (!chunk) {
		race_cut(c->race);
		return 0;
	}
	chunk[number % RACE_CHUNK] = n->access;
	*recent = (struct race_recent){ n->o, n->access.time, c->epoch, n->access.meets, number };
	return number;
}

/* Two reads are kept that no order makes one; an earlier one in order before this is of no use any more. */
static void mark_read(const struct race_now *n, struct race_cell *cell, uint32_t mark)
{
	const struct race_access *old = find(n->c->race, cell->read), *now = &n->access;
	bool same = !old || (old->cta == now->cta && (old->warp == now->warp || old->epoch != now->epoch));

	if (!same && old->time >= n->c->warps[now->warp].known)
		cell->other = mark | (old->cta != now->cta ? RACE_OTHER_CTA : 0);
	else
		cell->read = mark;
}

static void compare_with(const struct race_now *n, uint32_t mark, uint32_t lane)
{
	const struct race_access *old = find(n->c->race, mark);

	/* Most often it is the thread itself. */
	if (!old || ((mark & (LANES - 1)) == lane && old->cta == n->access.cta && old->warp == n->access.warp))
		return;
	race_compare(n, old, mark, lane);
}

static void visit(const struct race_now *n, struct race_page *p, uint32_t lane, uint32_t offset, uint32_t size)
{
	uint32_t from = offset >> p->shift, to = (offset + size - 1) >> p->shift, mark = race_mark(n->number, lane);
	uint32_t write = 0, read = 0, other = 0;

	for (uint32_t at = from; at <= to; at++) {
		struct race_cell *cell = &p->cells[at];

		write = cell->write ? cell->write : write;
		if (race_writes(&n->access)) {
			read = cell->read ? cell->read : read;
			other = cell->other ? cell->other & ~RACE_OTHER_CTA : other;
			cell->write = mark;
		} else if (!cell->read) {
			cell->read = mark;
		} else if (cell->read != mark && !(cell->other & RACE_OTHER_CTA && !n->access.time)) {
			mark_read(n, cell, mark);
		}
	}
	if (write | read | other) {
		compare_with(n, write, lane);
		compare_with(n, read, lane);
		if (other != read)
			compare_with(n, other, lane);
	}
}

/* Words that follow each other in one page, one a lane: the usual way to go through an array. */
static bool is_row(const struct memory_step *s)
{
	uint64_t first = s->address[0], apart = 0;

	if (s->mask != ALL_LANES || s->size != 4 || first % PAGE_BYTES > PAGE_BYTES - LANES * 4)
		return false;
	FOR_LANES
		apart |= s->address[l] ^ (first + 4 * (uint64_t)l);
	return !apart;
}

/* Cells that nobody has touched are marked at once. */
static void visit_row(const struct race_now *n, struct race_page *p)
{
	uint32_t offset = n->s->address[0] % PAGE_BYTES, mark = race_mark(n->number, 0);
	struct race_cell *cell = &p->cells[offset >> 2];

	for (uint32_t l = 0; l < LANES; l++, cell++, offset += 4)
		if (cell->write | cell->read | cell->other)
			visit(n, p, l, offset, 4);
		else if (race_writes(&n->access))
			cell->write = mark | l;
		else
			cell->read = mark | l;
}

static struct race_page *lock_page(struct race_cta *c, uint64_t number)
{
	struct race_page *p = c->page && c->page->number == number ? c->page : page_of(c->race, number);

	if (p) {
		c->page = p;
		pthread_mutex_lock(&p->lock);
	}
	return p;
}

void race_global_access(struct race_now *n)
{
	struct race_cta *c = n->c;
	struct race_page *held = NULL;
	uint64_t last = 0;

	n->number = number_of(n);
	if (!n->number)
		return;
	if (is_row(n->s)) {
		held = lock_page(c, n->s->address[0] >> PAGE_BITS);
		if (held && held->shift == 2) {
			visit_row(n, held);
			pthread_mutex_unlock(&held->lock);
			return;
		}
		if (!held)
			return;
	}
	FOR_ACTIVE(l, n->s->mask) {
		uint64_t at = n->s->address[l], end = at + n->s->size;

		/* Lanes that read what the lane before them reads. */
		if (!race_writes(&n->access) && at == last)
			continue;
		last = at;

		while (at < end) {
			uint32_t offset = at % PAGE_BYTES;
			uint32_t here = PAGE_BYTES - offset < end - at ? PAGE_BYTES - offset : (uint32_t)(end - at);

			if (!held || held->number != at >> PAGE_BITS) {
				if (held)
					pthread_mutex_unlock(&held->lock);
				held = lock_page(c, at >> PAGE_BITS);
				if (!held)
					return;
			}
			if (n->s->size < 1u << held->shift && !split_cells(c->race, held, n->s->size)) {
				pthread_mutex_unlock(&held->lock);
				return;
			}
			visit(n, held, l, offset, here);
			at += here;
		}
	}
	if (held)
		pthread_mutex_unlock(&held->lock);
}
