/* SPDX-License-Identifier: Apache-2.0 */
/* The observer: clocks and orders of warps and ctas, and what makes two accesses a race. */
#include "emulator/check/race-pages.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/warp/exec.h"
#include "emulator/ptx/ptx-ops.h"

static struct race *race_of(struct observer *x)
{
	return OBSERVER_OF(x, struct race, observer);
}

void race_cut(struct race *r)
{
	atomic_store(&r->cut, true);
	atomic_store(&r->observer.over, true);
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

static struct race_releases *releases_of(struct race_cta *c, enum race_space space)
{
	return space == RACE_SHARED ? &c->releases : &c->race->global.releases;
}

/* The strong reads of the last call have happened: what they saw is known. */
static void acquire(struct race_cta *c, struct race_warp *w)
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

static void release(struct race_cta *c, struct race_warp *w, enum race_space space,
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

static enum race_level judge(const struct race_now *n, const struct race_access *old,
			     uint32_t old_lane, uint32_t lane)
{
	const struct race_access *now = &n->access;

	if (old->strong && now->strong)
		return RACE_NONE;
	if (old->cta == now->cta) {
		if (old->epoch != now->epoch)
			return RACE_NONE;
		if (old->warp == now->warp)
			return old_lane == lane || old->meets != now->meets ? RACE_NONE
									    : RACE_WARNING;
	}
	if (old->time < n->c->warps[n->w->index].known)
		return RACE_NONE;
	/* Loops around atomicCAS look first; what they see counts for nothing until the swap
	 * succeeds. */
	if (!race_writes(old) && now->strong)
		return RACE_WARNING;
	if (!race_writes(now) && old->strong && n->space == RACE_GLOBAL)
		return RACE_WARNING;
	return RACE_ERROR;
}

bool race_is_silent(const struct race_now *n, const struct race_access *old)
{
	enum race_level level;

	if (!race_writes(old) && !race_writes(&n->access))
		return true;
	level = judge(n, old, 0, 1);
	return level == RACE_NONE || (level == RACE_WARNING && !n->c->race->options.warnings);
}

/* Whoever writes what is there already disturbs nobody. */
static bool values_differ(const struct race_now *n, uint32_t lane, const struct race_access *old,
			  uint32_t mark, struct race_hazard *h)
{
	uint8_t incoming[16], earlier[16];
	const uint8_t *current = memory_step_bytes(n->w, n->s, lane);
	uint32_t old_lane = mark & (LANES - 1);

	/* Not by an earlier round of a loop: that lane is there again at this very moment. */
	h->same_instruction = race_writes(old) && mark >> RACE_LANE_BITS == n->number &&
			      n->s->mask >> old_lane & 1 &&
			      n->s->address[old_lane] == n->s->address[lane];
	if (!race_writes(&n->access) || n->s->size > sizeof(incoming) ||
	    !access_value(n->w, n->o, lane, incoming))
		return true;
	if (h->same_instruction) {
		access_value(n->w, n->o, old_lane, earlier);
		current = earlier;
	} else if (old->cta != n->access.cta && race_writes(old)) {
		race_store_read(&race_owner(n->c->race, mark)->store, mark >> RACE_LANE_BITS,
				old_lane, n->s->address[lane], current, n->s->size, earlier);
		current = earlier;
	}
	h->value_size = n->s->size < 8 ? n->s->size : 8;
	memcpy(&h->current, current, h->value_size);
	memcpy(&h->incoming, incoming, h->value_size);
	return !race_writes(old) || memcmp(current, incoming, n->s->size);
}

static void name_buffer(const struct race_now *n, struct race_hazard *h)
{
	const struct device_memory *m = n->w->worker->launch->spec->memory;
	const struct memory_cache *array =
		n->space == RACE_SHARED ? cta_array(n->w->cta, h->address, 1) : NULL;
	struct device_buffer b = { 0 };

	h->array_start = array ? array->base : UINT64_MAX;
	if (n->space != RACE_GLOBAL || !m || !m->find || !m->find(m->data, h->address, &b))
		return;
	memcpy(h->buffer_name, b.name, sizeof(h->buffer_name));
	h->buffer_address = b.address;
	h->buffer_size = b.size;
	h->buffer_tag = b.tag;
}

static bool same_pair(const struct race_hazard *a, const struct race_hazard *b)
{
	return (a->first.access.op == b->first.access.op &&
		a->second.access.op == b->second.access.op) ||
	       (a->first.access.op == b->second.access.op &&
		a->second.access.op == b->first.access.op);
}

/* The hazard of the lowest cta stands for all of the same two operations. */
static void note(const struct race_now *n, struct race_hazard *h)
{
	struct race *r = n->c->race;

	pthread_mutex_lock(&r->lock);
	for (uint32_t i = 0; i < r->hazard_count; i++) {
		struct race_hazard *known = &r->hazards[i];

		if (!same_pair(known, h))
			continue;
		h->count += known->count;
		if (h->level > known->level ||
		    (h->level == known->level && h->second.access.cta < known->second.access.cta)) {
			name_buffer(n, h);
			*known = *h;
		} else {
			known->count = h->count;
		}
		pthread_mutex_unlock(&r->lock);
		return;
	}
	if (r->hazard_count < RACE_HAZARDS) {
		name_buffer(n, h);
		r->hazards[r->hazard_count++] = *h;
	}
	pthread_mutex_unlock(&r->lock);
}

void race_compare(const struct race_now *n, const struct race_access *old, uint32_t mark,
		  uint32_t lane)
{
	uint32_t old_lane = mark & (LANES - 1);
	enum race_level level = judge(n, old, old_lane, lane);
	struct race_hazard h;

	if (level == RACE_NONE || (level == RACE_WARNING && !n->c->race->options.warnings))
		return;
	memset(&h, 0, sizeof(h));
	if (!values_differ(n, lane, old, mark, &h))
		return;
	h.first = (struct race_side){ *old, old_lane };
	h.second = (struct race_side){ n->access, lane };
	h.level = level;
	h.count = 1;
	h.space = n->space;
	h.address = n->s->address[lane];
	h.size = n->s->size;
	note(n, &h);
}

/* ---- what the machine tells ---- */

static void note_plain_write(struct race_warp *w, uint32_t lanes)
{
	w->dirty |= lanes;
	w->fenced &= ~lanes;
}

static void on_access(struct observer *x, struct warp *w, const struct op *o,
		      const struct memory_step *s)
{
	struct race_cta *c = *observer_slot(x, w->cta);
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
	struct race_cta *c = *observer_slot(x, w->cta);
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

/* Where an operation that is not watched goes. */
static void on_placed(struct observer *x, struct warp *w, const struct op *o)
{
	struct race_cta *c = *observer_slot(x, w->cta);

	if (!c || c->freed != o)
		return;
	c->freed = NULL;
	access_list(w, o, look_again, x);
}

static void on_sync(struct observer *x, struct warp *w, const struct op *o)
{
	struct race_cta *c = *observer_slot(x, w->cta);
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
static void on_barrier(struct observer *x, struct cta *cta, uint32_t id)
{
	struct race_cta *c = *observer_slot(x, cta);
	uint64_t known = 0;
	uint32_t dirty = 0;

	if (!c)
		return;
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct race_warp *w = &c->warps[i];

		if (w->acquiring)
			acquire(c, w);
		known = w->known > known ? w->known : known;
		dirty |= w->dirty;
	}
	for (uint32_t i = 0; i < cta->warp_count; i++) {
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
	struct race_cta *c = *observer_slot(x, w->cta);

	(void)lanes;
	if (c)
		c->warps[w->index].meets++;
}

static void on_begin(struct observer *x, struct cta *cta)
{
	struct race *r = race_of(x);
	struct race_cta *c;
	bool own;

	pthread_mutex_lock(&r->lock);
	if (!r->launch) {
		r->launch = cta->warps[0].worker->launch->spec;
		if (!r->options.unplanned)
			race_plan_init(&r->plan, r->launch);
	}
	own = r->launch == cta->warps[0].worker->launch->spec;
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
	c->cta = cta;
	c->epoch = 0;
	c->fenced = false;
	memset(c->warps, 0, cta->warp_count * sizeof(c->warps[0]));
	race_shared_begin(c);
	*observer_slot(x, cta) = c;
}

static void on_end(struct observer *x, struct cta *cta)
{
	struct race *r = race_of(x);
	struct race_cta *c = *observer_slot(x, cta);

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
	.cta_begin = on_begin,
	.cta_end = on_end,
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
	r->rows = address_rows();
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
		struct race_cta *c = r->spare;

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
