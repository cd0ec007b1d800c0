/* SPDX-License-Identifier: Apache-2.0 */
/* The observer: clocks and orders of warps and blocks. */
#include "emulator/check/race-pages.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/exec/core.h"
#include "emulator/ptx/ptx-ops.h"
#include "emulator/warp/exec.h"

static struct race *race_of(struct observer *x)
{
	return OBSERVER_OF(x, struct race, observer);
}

/* ---- releases ---- */

static struct race_release *find_slot(const struct race_releases *t, uint64_t address)
{
	uint64_t at = (address * 0x9e3779b97f4a7c15ull) >> 32;

	while (t->slots[at & (t->cap - 1)].address &&
	       t->slots[at & (t->cap - 1)].address != address + 1)
		at++;
	return &t->slots[at & (t->cap - 1)];
}

/* At the time of the access; 0 when nothing was released there. */
static uint64_t race_release_find(const struct race_releases *t, uint64_t address)
{
	const struct race_release *x = t->cap ? find_slot(t, address) : NULL;

	return x && x->address ? x->time : 0;
}

static int grow_releases(struct race_releases *t)
{
	struct race_releases grown = { .cap = t->cap ? t->cap * 2 : 64, .count = t->count };

	grown.slots = calloc(grown.cap, sizeof(*grown.slots));
	if (!grown.slots)
		return -1;
	for (uint32_t i = 0; i < t->cap; i++)
		if (t->slots[i].address)
			*find_slot(&grown, t->slots[i].address - 1) = t->slots[i];
	free(t->slots);
	*t = grown;
	return 0;
}

static void race_release_set(struct race *r, struct race_releases *t, uint64_t address,
			     uint64_t time)
{
	struct race_release *x;

	if (t->count * 2 >= t->cap && grow_releases(t)) {
		race_cut(r);
		return;
	}
	x = find_slot(t, address);
	t->count += !x->address;
	*x = (struct race_release){ address + 1, time };
}

static struct race_releases *releases_of(struct race_block *c, enum race_space space)
{
	return space == RACE_SHARED ? &c->releases : &c->race->global.releases;
}

/* The strong reads of the last call have happened: what they saw is known. */
static void acquire(struct race_block *c, struct race_warp *w)
{
	struct race_global *g = &c->race->global;
	bool shared = w->acquiring_space == RACE_SHARED;
	uint32_t lanes = shared || atomic_load(&g->released) ? w->acquiring : 0;

	w->acquiring = 0;
	if (!lanes)
		return;
	if (!shared)
		pthread_mutex_lock(&g->lock);
	FOR_ACTIVE (l, lanes) {
		uint64_t time =
			race_release_find(releases_of(c, w->acquiring_space), w->acquired[l]);

		if (time > w->known)
			w->known = time;
	}
	if (!shared)
		pthread_mutex_unlock(&g->lock);
}

/* Another host thread may release between this and the read, so whether anything was released is
 * asked behind the read. */
static void note_acquire(struct race_warp *w, enum race_space space, const struct memory_step *s)
{
	w->acquiring = s->mask;
	w->acquiring_space = space;
	memcpy(w->acquired, s->address, sizeof(w->acquired));
}

static void release(struct race_block *c, struct race_warp *w, enum race_space space,
		    const struct memory_step *s)
{
	struct race_global *g = &c->race->global;
	uint32_t lanes = s->release ? s->mask : s->mask & w->fenced;
	uint64_t time;

	if (!lanes)
		return;
	time = atomic_fetch_add(&c->race->time, 1) + 1;
	if (space == RACE_GLOBAL)
		pthread_mutex_lock(&g->lock);
	FOR_ACTIVE (l, lanes)
		race_release_set(c->race, releases_of(c, space), s->address[l], time);
	if (space == RACE_GLOBAL) {
		atomic_store(&g->released, true);
		pthread_mutex_unlock(&g->lock);
	}
}

/* ---- what is a race ---- */

static void note_plain_write(struct race_warp *w, uint32_t lanes)
{
	w->dirty |= lanes;
	w->fenced &= ~lanes;
}

static void on_access(struct observer *x, struct warp *w, const struct op *o,
		      const struct memory_step *s)
{
	struct race_block *c = *observer_slot(x, w->block);
	struct race_warp *state;
	struct race_now n;

	if (!c || s->space == PTX_SPACE_LOCAL)
		return;
	state = &c->warps[w->index];
	if (state->acquiring)
		acquire(c, state);
	n = (struct race_now){
		.c = c,
		.w = w,
		.o = o,
		.s = s,
		.space = s->space == PTX_SPACE_SHARED ? RACE_SHARED : RACE_GLOBAL,
		.access = race_access_now(c, w, o, s->kind, s->strong),
	};
	if (n.space == RACE_SHARED)
		race_shared_access(&n);
	else
		race_global_access(&n);
	if (!s->strong) {
		if (s->kind == GPU_ACCESS_WRITE && n.space == RACE_GLOBAL)
			note_plain_write(state, s->mask);
		return;
	}
	if (s->kind != GPU_ACCESS_READ)
		release(c, state, n.space, s);
	if (s->kind != GPU_ACCESS_WRITE)
		note_acquire(state, n.space, s);
}

/* The usual accesses, without their list of addresses being made. */
static bool on_skip(struct observer *x, struct warp *w, const struct op *o)
{
	struct race_block *c = *observer_slot(x, w->block);
	const struct access_shape *shape;
	struct race_warp *state;
	enum race_watch watch;
	struct race_now n;

	if (!c)
		return true;
	state = &c->warps[w->index];
	if (state->acquiring)
		acquire(c, state);
	watch = race_plan_of(&c->race->plan, o);
	c->freed = watch ? o : NULL;
	if (watch) {
		if (watch == RACE_FREE_WRITE)
			note_plain_write(state, w->mask);
		return true;
	}
	shape = access_shape(o);
	if (!shape)
		return false;
	if (shape->space == PTX_SPACE_SHARED)
		return shape->kind == GPU_ACCESS_READ && race_shared_note(c, w, o, shape->size);
	/* Nobody else sees local memory, and nobody writes constants. */
	if (shape->space == PTX_SPACE_LOCAL || o->flags & OP_CONST)
		return true;
	n.c = c;
	n.w = w;
	n.o = o;
	n.s = NULL;
	n.space = RACE_GLOBAL;
	if (!race_global_halves(&n, shape))
		return false;
	if (shape->kind == GPU_ACCESS_WRITE)
		note_plain_write(state, w->mask);
	return true;
}

static void look_again(void *data, struct warp *w, const struct op *o, const struct memory_step *s)
{
	struct observer *x = data;

	if (s->space != PTX_SPACE_GLOBAL || !race_plan_allows(&race_of(x)->plan, o, s))
		on_access(x, w, o, s);
}

/* An operation that is not watched goes to another buffer, so its accesses are looked at again. */
static void on_placed(struct observer *x, struct warp *w, const struct op *o)
{
	struct race_block *c = *observer_slot(x, w->block);

	if (!c || c->freed != o)
		return;
	c->freed = NULL;
	access_list(w, o, look_again, x);
}

static void on_sync(struct observer *x, struct warp *w, const struct op *o)
{
	struct race_block *c = *observer_slot(x, w->block);
	struct race_warp *state;

	if (!c)
		return;
	state = &c->warps[w->index];
	if (state->acquiring)
		acquire(c, state);
	if (o->id == OP_fence) {
		state->dirty &= ~w->mask;
		state->fenced |= w->mask;
		c->fenced = true;
	}
}

/*
 * A barrier hands on what any of its threads knows. Writes that all lie before a fence of their
 * threads stay fenced; others wait for a fence of whoever tells of them.
 */
static void on_barrier(struct observer *x, struct block *block, uint32_t id)
{
	struct race_block *c = *observer_slot(x, block);
	uint64_t known = 0;
	uint32_t dirty = 0;

	if (!c)
		return;
	for (uint32_t i = 0; i < block->warp_count; i++) {
		struct race_warp *w = &c->warps[i];

		if (w->acquiring)
			acquire(c, w);
		known = w->known > known ? w->known : known;
		dirty |= w->dirty;
	}
	for (uint32_t i = 0; i < block->warp_count; i++) {
		struct race_warp *w = &c->warps[i];

		w->known = known;
		w->fenced = dirty ? 0 : c->fenced ? ALL_LANES : w->fenced;
		w->dirty = 0;
	}
	c->fenced = false;
	c->epoch++;
	race_shared_barrier(c, id);
}

static void on_warp_sync(struct observer *x, struct warp *w, uint32_t lanes)
{
	struct race_block *c = *observer_slot(x, w->block);

	(void)lanes;
	if (c)
		c->warps[w->index].meets++;
}

static void on_begin(struct observer *x, struct block *block)
{
	struct race *r = race_of(x);
	struct race_block *c;
	bool own;

	pthread_mutex_lock(&r->lock);
	if (!r->launch) {
		r->launch = block->warps[0].worker->launch->spec;
		if (!r->options.unplanned)
			race_plan_init(&r->plan, r->launch);
	}
	own = r->launch == block->warps[0].worker->launch->spec;
	c = own ? r->spare : NULL;
	if (c)
		r->spare = c->next;
	pthread_mutex_unlock(&r->lock);
	if (!own)
		return;
	if (!c) {
		c = calloc(1, sizeof(*c));
		if (!c) {
			race_cut(r);
			return;
		}
		c->race = r;
		c->base = 1;
	}
	c->block = block;
	c->epoch = 0;
	c->fenced = false;
	memset(c->warps, 0, block->warp_count * sizeof(c->warps[0]));
	race_shared_begin(c);
	*observer_slot(x, block) = c;
}

static void on_end(struct observer *x, struct block *block)
{
	struct race *r = race_of(x);
	struct race_block *c = *observer_slot(x, block);

	if (!c)
		return;
	pthread_mutex_lock(&r->lock);
	c->next = r->spare;
	r->spare = c;
	pthread_mutex_unlock(&r->lock);
}

static const struct observer_class race_class = {
	.name = "race",
	.sync = on_sync,
	.skip = on_skip,
	.access = on_access,
	.placed = on_placed,
	.barrier = on_barrier,
	.warp_sync = on_warp_sync,
	.block_begin = on_begin,
	.block_end = on_end,
};

struct race *race_new(const struct race_options *o)
{
	struct race *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	if (race_pages_init(&r->global)) {
		free(r);
		return NULL;
	}
	r->rows = core_address_rows();
	r->observer.class = &race_class;
	r->observer.budget = o->budget;
	r->options = *o;
	pthread_mutex_init(&r->lock, NULL);
	return r;
}

void race_free(struct race *r)
{
	if (!r)
		return;
	while (r->spare) {
		struct race_block *c = r->spare;

		r->spare = c->next;
		race_shared_release(c);
		free(c->releases.slots);
		free(c);
	}
	race_pages_release(&r->global);
	race_plan_release(&r->plan);
	free(r->global.releases.slots);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

struct observer *race_observer(struct race *r)
{
	return &r->observer;
}
