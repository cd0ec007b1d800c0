/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of global memory are made when they are first touched, and found through a table that
 * is read without a lock; the log of accesses lies in chunks that never move. All of it lies in
 * slabs, which the next launch takes over: memory that the system gives anew would cost more than
 * what is written to it.
 */
#include "emulator/check/race-pages.h"

#include <stdlib.h>
#include <string.h>

#define PAGES_MAX (RACE_PAGE_SLOTS / 4 * 3)
#define SLAB_BYTES (64u << 10)
#define SLABS_MAX (192u << 20) / SLAB_BYTES
#define SLABS_KEPT (32u << 20) / SLAB_BYTES

struct race_slab {
	struct race_slab *next;
	_Alignas(64) uint8_t bytes[SLAB_BYTES - 64];
};

/* Memory of launches that have ended, for the next ones. */
static struct race_spares {
	pthread_mutex_t lock;
	struct race_slab *slabs;
	uint32_t slab_count;
	struct race_tables *tables;
} spares = { .lock = PTHREAD_MUTEX_INITIALIZER };

int race_pages_init(struct race_global *g)
{
	pthread_mutex_lock(&spares.lock);
	g->tables = spares.tables;
	if (g->tables)
		spares.tables = g->tables->next;
	pthread_mutex_unlock(&spares.lock);
	if (!g->tables)
		g->tables = calloc(1, sizeof(*g->tables));
	pthread_mutex_init(&g->lock, NULL);
	/* Number 0 stands for none; what is taken at a time lies in one chunk. */
	atomic_store(&g->count, RACE_RESERVE);
	return g->tables ? 0 : -1;
}

static void keep_tables(struct race_global *g)
{
	uint32_t used = atomic_load(&g->count) / RACE_CHUNK + 1;

	for (const struct race_page *p = g->last_page; p; p = p->previous)
		g->tables->pages[p->slot] = NULL;
	for (uint32_t i = 0; i < used && i < RACE_NUMBERS / 2 / RACE_CHUNK; i++)
		g->tables->chunks[i] = NULL;
	g->tables->next = spares.tables;
	spares.tables = g->tables;
}

void race_pages_release(struct race_global *g)
{
	pthread_mutex_lock(&spares.lock);
	keep_tables(g);
	while (g->slabs) {
		struct race_slab *s = g->slabs;

		g->slabs = s->next;
		if (spares.slab_count == SLABS_KEPT) {
			free(s);
			continue;
		}
		s->next = spares.slabs;
		spares.slabs = s;
		spares.slab_count++;
	}
	pthread_mutex_unlock(&spares.lock);
	pthread_mutex_destroy(&g->lock);
}

static struct race_slab *take_slab(void)
{
	struct race_slab *s;

	pthread_mutex_lock(&spares.lock);
	s = spares.slabs;
	if (s) {
		spares.slabs = s->next;
		spares.slab_count--;
	}
	pthread_mutex_unlock(&spares.lock);
	return s ? s : malloc(sizeof(*s));
}

/* Not cleared; under g->lock. NULL: out of memory, or the limit is reached. */
static void *allocate(struct race_global *g, uint32_t size)
{
	size = (size + 63) & ~63u;
	if (!g->slabs || g->slab_used + size > sizeof(g->slabs->bytes)) {
		struct race_slab *s = g->slab_count < SLABS_MAX ? take_slab() : NULL;

		if (!s)
			return NULL;
		s->next = g->slabs;
		g->slabs = s;
		g->slab_count++;
		g->slab_used = 0;
	}
	g->slab_used += size;
	return g->slabs->bytes + g->slab_used - size;
}

static void *allocate_locked(struct race *r, uint32_t size)
{
	void *p;

	pthread_mutex_lock(&r->global.lock);
	p = allocate(&r->global, size);
	pthread_mutex_unlock(&r->global.lock);
	if (!p)
		race_cut(r);
	return p;
}

/* The slot of the page, or the free one where it belongs. */
static uint32_t slot_of(struct race_global *g, uint64_t number)
{
	uint32_t at = (uint32_t)(number * 0x9e3779b97f4a7c15ull >> 40) % RACE_PAGE_SLOTS;

	for (;; at = (at + 1) % RACE_PAGE_SLOTS) {
		const struct race_page *p =
			atomic_load_explicit(&g->tables->pages[at], memory_order_acquire);

		if (!p || p->number == number)
			return at;
	}
}

struct race_page *race_page_find(struct race *r, uint64_t number)
{
	struct race_global *g = &r->global;
	struct race_page *p =
		atomic_load_explicit(&g->tables->pages[slot_of(g, number)], memory_order_acquire);
	uint32_t at;

	if (p)
		return p;
	pthread_mutex_lock(&g->lock);
	at = slot_of(g, number);
	p = g->tables->pages[at];
	if (!p && g->page_count < PAGES_MAX) {
		p = allocate(g, sizeof(*p));
		if (p) {
			memset(p, 0, sizeof(*p));
			p->number = number;
			p->slot = at;
			p->previous = g->last_page;
			g->last_page = p;
			p->shift = 2;
			g->page_count++;
			atomic_store_explicit(&g->tables->pages[at], p, memory_order_release);
		}
	}
	pthread_mutex_unlock(&g->lock);
	if (!p)
		race_cut(r);
	return p;
}

static bool set_words(struct race *r, struct race_page *p, unsigned shift)
{
	uint32_t n = RACE_PAGE >> shift, more = p->shift - shift;
	uint32_t *words = allocate_locked(r, 3 * n * sizeof(*words));

	if (!words)
		return false;
	if (p->write)
		for (uint32_t i = 0; i < n; i++) {
			words[i] = p->write[i >> more];
			words[n + i] = p->read[i >> more];
			words[2 * n + i] = p->other[i >> more];
		}
	p->write = words;
	p->read = words + n;
	p->other = words + 2 * n;
	p->shift = shift;
	return true;
}

static uint32_t mark_of_word(uint32_t mark, unsigned step, uint32_t i)
{
	return mark ? mark + (i >> step) : 0;
}

bool race_page_open(struct race *r, struct race_page *p, uint32_t group)
{
	const struct race_group *b = &p->groups[group];

	if (p->open >> group & 1)
		return true;
	if (!p->write && !set_words(r, p, 2))
		return false;
	for (uint32_t i = 0; i < RACE_GROUP / 4; i++) {
		uint32_t at = group * (RACE_GROUP / 4) + i;

		p->write[at] = mark_of_word(b->write, b->write_step, i);
		p->read[at] = mark_of_word(b->read, b->read_step, i);
		p->other[at] = mark_of_word(b->other, b->other_step, i);
	}
	p->open |= 1ull << group;
	return true;
}

bool race_page_split(struct race *r, struct race_page *p, uint32_t size)
{
	for (uint32_t i = 0; i < RACE_PAGE / RACE_GROUP; i++)
		if (!race_page_open(r, p, i))
			return false;
	return set_words(r, p, size == 1 ? 0 : 1);
}

struct race_chunk *race_log_chunk(struct race *r, uint32_t index)
{
	struct race_global *g = &r->global;
	struct race_chunk *chunk =
		atomic_load_explicit(&g->tables->chunks[index], memory_order_acquire);

	if (chunk)
		return chunk;
	pthread_mutex_lock(&g->lock);
	chunk = g->tables->chunks[index];
	if (!chunk) {
		chunk = allocate(g, sizeof(*chunk));
		atomic_store_explicit(&g->tables->chunks[index], chunk, memory_order_release);
	}
	pthread_mutex_unlock(&g->lock);
	return chunk;
}
