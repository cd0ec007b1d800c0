/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a worker is hashed once a round over its blocks and compared with the state kept; a
 * new one is kept after 2, 4, 8 ... rounds, so that a period of any length is found. Equal hashes
 * of 64 bits stand for equal states.
 */
#include "emulator/launch/stall.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "emulator/ptx/ptx-lines.h"
#include "emulator/ptx/ptx-syntax.h"
#include "emulator/warp/exec.h"
#include "emulator/warp/observer.h"

/* Rounds that a worker is watched for, and how many times that many turns of each block it is not
 * watched before. */
#define FIRST_WINDOW 16
#define LAST_WINDOW 65536
#define PAUSE 64

static uint64_t seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec;
}

static void add_wait(const struct fragment *f, bool spins, struct gpu_fault *to)
{
	const struct ptx_function *function = f->frame->program->function;
	uint32_t source = f->pc->source;
	const struct ptx_instruction *in;
	struct ptx_lines_frame place = { 0 };
	struct gpu_fault_wait *w;

	if (source >= function->body->instruction_count)
		return;
	in = &function->body->instructions[source];
	for (uint32_t i = 0; i < to->wait_count; i++)
		if (to->waits[i].where == f->pc && to->waits[i].spins == spins) {
			to->waits[i].threads += lane_count(f->mask);
			return;
		}
	if (to->wait_count == GPU_FAULT_WAITS)
		return;
	w = &to->waits[to->wait_count++];
	*w = (struct gpu_fault_wait){ .where = f->pc,
				      .spins = spins,
				      .threads = lane_count(f->mask) };
	snprintf(w->instruction, sizeof(w->instruction), "%.*s", (int)in->text_len, in->text);
	if (ptx_lines_frames(function->module, in->loc, function->name, &place, 1)) {
		memcpy(w->file, place.file, sizeof(w->file));
		w->line = place.line;
	}
}

void stall_list(const struct block *c, struct gpu_fault *f)
{
	for (uint32_t i = 0; i < c->warp_count; i++) {
		const struct warp *w = &c->warps[i];

		for (uint32_t n = 0; n < w->parked_count; n++)
			add_wait(&w->parked[n].fragment, false, f);
		for (uint32_t n = 0; n < w->ready_count; n++)
			add_wait(&w->ready[n], true, f);
	}
}

static uint64_t mix(uint64_t h, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	uint64_t word;

	for (; size >= 8; size -= 8, at += 8) {
		memcpy(&word, at, 8);
		h = (h ^ word) * 0x9fb21c651e98df25ull;
		h ^= h >> 32;
	}
	if (size) {
		word = 0;
		memcpy(&word, at, size);
		h = (h ^ word ^ size << 56) * 0x9fb21c651e98df25ull;
	}
	return h;
}

static uint64_t hash_fragment(uint64_t h, const struct fragment *f)
{
	const void *key[] = { f->pc, f->frame };

	h = mix(mix(h, key, sizeof(key)), &f->mask, sizeof(f->mask));
	for (const struct frame *up = f->frame; up; up = up->parent)
		h = mix(h, up->rows,
			(size_t)up->program->frame_bytes + (size_t)up->program->param_area * LANES);
	return h;
}

static uint64_t hash_state(const struct machine_worker *k)
{
	uint64_t h = 1;

	for (const struct block *c = k->blocks; c; c = c->next) {
		uint64_t all = mix(c->linear, c->shared, c->shared_size);

		for (uint32_t i = 0; i < c->warp_count; i++) {
			const struct warp *w = &c->warps[i];

			all = mix(all, w->local, (size_t)w->local_size * LANES);
			for (uint32_t n = 0; n < w->ready_count; n++)
				all += hash_fragment(i, &w->ready[n]);
			for (uint32_t n = 0; n < w->parked_count; n++)
				all += hash_fragment(i + 1, &w->parked[n].fragment);
		}
		/* Blocks take turns at the head of the list: their order is no part of the state.
		 */
		h += all;
	}
	return h;
}

/* While a worker is watched: memory may change by this operation, or time be read. */
static void watch_step(struct observer *x, struct warp *w, const struct op *o)
{
	(void)x;
	/* Stores come in threes, to global, shared and local memory; the latter two are part of the
	 * state. */
	if ((o->id >= OP_st_global_u8 && o->id <= OP_st_local_b32v4 &&
	     (o->id - OP_st_global_u8) % 3 == 0) ||
	    o->id == OP_sust || o->id == OP_sured || o->id == OP_matrix_store ||
	    o->id == OP_cp_bulk || o->id == OP_call_system ||
	    (o->id >= OP_clock32 && o->id <= OP_globaltimer_hi))
		w->worker->stall.changed = true;
}

static const struct observer_class stall_class = { .name = "stall", .step = watch_step };
/* It keeps nothing of its own: one serves all workers. */
static struct observer stall_observer = { .class = &stall_class };

static void set_stuck(struct machine_worker *k, bool stuck)
{
	struct launch *l = k->launch;

	if (k->stall.stuck == stuck)
		return;
	k->stall.stuck = stuck;
	atomic_fetch_add(&l->stuck, stuck ? 1 : -1);
	/* The time counts from the last worker that got stuck. */
	atomic_store(&l->stuck_since, seconds());
}

void stall_over(struct machine_worker *k)
{
	set_stuck(k, false);
	if (k->stall.watched)
		observer_drop(k, &stall_observer);
	k->stall = (struct stall){ .window = FIRST_WINDOW };
}

void stall_leave(struct machine_worker *k)
{
	struct launch *l = k->launch;

	stall_over(k);
	/* The last thing that it did may set others free: their time starts again. */
	atomic_store(&l->stuck_since, seconds());
	atomic_fetch_sub(&l->working, 1);
}

static void keep_state(struct machine_worker *k, uint64_t hash)
{
	k->stall.kept = hash;
	k->stall.kept_rounds = 0;
	k->stall.keep_for *= 2;
}

static void watch(struct machine_worker *k)
{
	k->stall.watched = true;
	observer_add(k, &stall_observer);
	k->stall.changed = false;
	k->stall.rounds = 0;
	k->stall.keep_for = 1;
	keep_state(k, hash_state(k));
}

/* A long computation looks like spinning at first: it is left alone for longer each time. */
static void unwatch(struct machine_worker *k)
{
	set_stuck(k, false);
	k->stall.watched = false;
	observer_drop(k, &stall_observer);
	if (k->stall.window < LAST_WINDOW)
		k->stall.window *= 2;
}

static void look(struct machine_worker *k)
{
	uint64_t hash;

	if (k->stall.changed) {
		unwatch(k);
		return;
	}
	hash = hash_state(k);
	if (hash == k->stall.kept)
		set_stuck(k, true);
	else if (k->stall.stuck || ++k->stall.rounds > k->stall.window)
		unwatch(k);
	else if (++k->stall.kept_rounds >= k->stall.keep_for)
		keep_state(k, hash);
}

bool stall_spun(struct machine_worker *k)
{
	struct launch *l = k->launch;

	if (!k->stall.window)
		k->stall.window = FIRST_WINDOW;
	if (++k->stall.turns < (k->stall.watched ? 2u : PAUSE * k->stall.window) * k->resident)
		return false;
	k->stall.turns = 0;
	if (k->stall.watched)
		look(k);
	else
		watch(k);
	if (!k->stall.stuck || atomic_load(&l->next_block) < l->block_count ||
	    atomic_load(&l->stuck) != atomic_load(&l->working) ||
	    seconds() - atomic_load(&l->stuck_since) < MACHINE_STALL_SECONDS)
		return false;
	if (!l->spec->may_be_freed || !l->spec->may_be_freed(l->spec->data))
		return true;
	/* It is asked again after that time. */
	atomic_store(&l->stuck_since, seconds());
	return false;
}
