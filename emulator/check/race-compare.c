/* SPDX-License-Identifier: Apache-2.0 */
/* Two accesses are compared here: they are a race or not. Races that were found are listed. */
#include "emulator/check/race-state.h"

#include <string.h>

#include "emulator/memory/block-memory.h"
#include "emulator/warp/exec.h"

void race_cut(struct race *r)
{
	atomic_store(&r->cut, true);
	atomic_store(&r->observer.over, true);
}

static enum race_level judge(const struct race_now *n, const struct race_access *old,
			     uint32_t old_lane, uint32_t lane)
{
	const struct race_access *now = &n->access;

	if (old->strong && now->strong)
		return RACE_NONE;
	if (old->block == now->block) {
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
	} else if (old->block != n->access.block && race_writes(old)) {
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
	const struct machine_memory *m = n->w->worker->launch->spec->memory;
	const struct memory_cache *array =
		n->space == RACE_SHARED ? block_array(n->w->block, h->address, 1) : NULL;
	struct machine_buffer b = { 0 };

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

/* The hazard of the lowest block stands for all of the same two operations. */
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
		    (h->level == known->level &&
		     h->second.access.block < known->second.access.block)) {
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
