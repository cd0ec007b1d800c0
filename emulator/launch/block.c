/* SPDX-License-Identifier: Apache-2.0 */
/* Warps of a block take turns in order, so a launch on one host thread always runs in the same
 * order.
 */
#include "emulator/launch/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/launch/stall.h"
#include "emulator/memory/block-memory.h"
#include "emulator/memory/shadow.h"
#include "emulator/memory/taint.h"

static size_t round_up(size_t n)
{
	return (n + 127) / 64 * 64;
}

static uint32_t warps_of(const struct launch *l)
{
	return (l->threads_per_block + LANES - 1) / LANES;
}

static size_t frame_bytes(const struct launch *l)
{
	return round_up(l->program->frame_bytes + (size_t)l->program->param_area * LANES);
}

static size_t local_bytes(const struct launch *l)
{
	return round_up((size_t)l->local_size * LANES);
}

/* The dynamic part counts as one more array. */
static uint32_t array_count(const struct launch *l)
{
	return l->spec->kernel->shared_array_count + 1;
}

static void set_arrays(struct block *c, const struct launch *l)
{
	const struct ptx_function *f = l->spec->kernel;
	uint32_t n = f->shared_array_count;

	for (uint32_t i = 0; i < n; i++) {
		const struct ptx_shared_array *a = &f->shared_arrays[i];

		c->arrays[i] = (struct memory_cache){
			a->offset, a->size, c->shared + a->offset, { 0 }, NULL
		};
	}
	if (l->spec->dynamic_shared || !n)
		c->arrays[n] = (struct memory_cache){ l->dynamic_offset,
						      l->spec->dynamic_shared,
						      c->shared + l->dynamic_offset,
						      { 0 },
						      NULL };
	c->array_count = l->spec->dynamic_shared ? n + 1 : n;
}

size_t block_bytes(const struct launch *l)
{
	return round_up(sizeof(struct block)) +
	       round_up(array_count(l) * sizeof(struct memory_cache)) + round_up(l->shared_size) +
	       round_up(l->shared_size / SHADOW_WORD + 1) +
	       warps_of(l) * (round_up(sizeof(struct warp)) + frame_bytes(l) + local_bytes(l) +
			      local_bytes(l) / SHADOW_WORD);
}

struct block *block_new(struct machine_worker *k)
{
	const struct launch *l = k->launch;
	uint32_t count = warps_of(l);
	size_t size = (block_bytes(l) + 63) / 64 * 64;
	uint8_t *at = aligned_alloc(64, size);
	struct block *c = (struct block *)at;

	if (!at)
		return NULL;
	memset(at, 0, size - count * (local_bytes(l) + local_bytes(l) / SHADOW_WORD));
	at += round_up(sizeof(*c));
	c->warps = (struct warp *)at;
	c->warp_count = count;
	at += round_up(count * sizeof(struct warp));
	c->arrays = (struct memory_cache *)at;
	at += round_up(array_count(l) * sizeof(struct memory_cache));
	c->shared = at;
	c->shared_size = l->shared_size;
	at += round_up(l->shared_size);
	c->shared_shadow = at;
	at += round_up(l->shared_size / SHADOW_WORD + 1);
	set_arrays(c, l);
	for (uint32_t i = 0; i < count; i++) {
		struct warp *w = &c->warps[i];

		w->block = c;
		w->arrays = c->arrays;
		w->worker = k;
		w->index = i;
		w->local_size = l->local_size;
		w->kernel.program = l->program;
		w->kernel.rows = at;
		w->kernel.params = at + l->program->frame_bytes;
		w->kernel.caches = k->caches;
		at += frame_bytes(l);
	}
	for (uint32_t i = 0; i < count; i++) {
		c->warps[i].local = at;
		at += local_bytes(l);
		c->warps[i].local_shadow = at;
		at += local_bytes(l) / SHADOW_WORD;
		warp_fill_constants(&c->warps[i], &c->warps[i].kernel, false);
	}
	return c;
}

void block_free(struct block *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->warp_count; i++)
		while (c->warps[i].made_frames) {
			struct frame *f = c->warps[i].made_frames;

			c->warps[i].made_frames = f->next_made;
			free(f->taint);
			free(f->rows);
			free(f);
		}
	for (uint32_t i = 0; i < c->warp_count; i++)
		free(c->warps[i].kernel.taint);
	free(c);
}

static void start_warp(struct warp *w, uint32_t threads)
{
	uint32_t mask = threads >= LANES ? ALL_LANES : (1u << threads) - 1;

	/* Lanes that exited inside a call left its frame behind. */
	w->free_frames = NULL;
	for (struct frame *f = w->made_frames; f; f = f->next_made) {
		taint_drop(w->worker, f);
		f->next_free = w->free_frames;
		w->free_frames = f;
	}
	taint_drop(w->worker, &w->kernel);
	warp_forget_locals(w, mask, 0, w->kernel.program->local_bytes);
	w->live = mask;
	/* The only one: in place, since a fragment on its way to warp_ready() goes through memory
	 * twice. */
	w->ready[0] = (struct fragment){ w->kernel.program->ops, &w->kernel, mask, false };
	w->ready_count = 1;
	w->parked_count = 0;
	w->yield_budget = MACHINE_SLICE;
	w->fresh = false;
	w->met = NULL;
	w->kernel.live = mask;
	w->kernel.dynamic = 0;
	w->frame = &w->kernel;
	w->rows = w->kernel.rows;
	w->caches = w->kernel.caches;
	warp_fill_constants(w, &w->kernel, true);
}

void block_start(struct block *c, struct machine_worker *k, uint64_t linear)
{
	const struct launch *l = k->launch;
	const uint32_t *grid = l->spec->grid;

	c->linear = linear;
	c->id[0] = (uint32_t)(linear % grid[0]);
	c->id[1] = (uint32_t)(linear / grid[0] % grid[1]);
	c->id[2] = (uint32_t)(linear / grid[0] / grid[1]);
	c->live_threads = l->threads_per_block;
	c->turns = c->rounds = 0;
	c->slice = MACHINE_SLICE;
	memset(c->barriers, 0, sizeof(c->barriers));
	c->barriers_begun = 0;
	/* Every run of a program sees the same bytes, also where it forgot to write. */
	memset(c->shared, 0, c->shared_size);
	if (c->shared_size)
		block_forget_shared(c);
	for (uint32_t i = 0; i < c->warp_count; i++)
		start_warp(&c->warps[i], l->threads_per_block - i * LANES);
}

/* Nothing can run: somebody waits for threads that wait elsewhere. */
static void deadlock(struct block *c)
{
	uint32_t at_barrier = 0, at_warp = 0;
	char note[160];

	for (uint32_t i = 0; i < c->warp_count; i++)
		for (uint32_t k = 0; k < c->warps[i].parked_count; k++) {
			const struct parked *p = &c->warps[i].parked[k];

			if (p->kind == PARKED_BARRIER)
				at_barrier += lane_count(p->fragment.mask);
			else
				at_warp += lane_count(p->fragment.mask);
		}
	snprintf(note, sizeof(note),
		 "of %u live threads of the block %u wait at a barrier and %u at a warp operation "
		 "for each other",
		 c->live_threads, at_barrier, at_warp);
	block_fault(c, at_barrier && !at_warp ? GPU_FAULT_BARRIER : GPU_FAULT_DEADLOCK, note);
	stall_list(c, &c->warps[0].worker->fault);
}

void block_fault(struct block *c, enum gpu_fault_kind kind, const char *note)
{
	for (uint32_t i = 0; i < c->warp_count; i++) {
		struct warp *w = &c->warps[i];
		const struct fragment *f = w->ready_count    ? &w->ready[w->ready_count - 1]
					   : w->parked_count ? &w->parked[0].fragment
							     : NULL;

		if (!f)
			continue;
		w->frame = f->frame;
		warp_fault(w, f->pc, kind, f->mask, note);
		return;
	}
}

enum block_state block_turn(struct block *c)
{
	bool ran = false, spun = false;

	for (uint32_t i = 0; i < c->warp_count; i++) {
		struct warp *w = &c->warps[i];

		if (!w->ready_count)
			continue;
		ran = true;
		if (!warp_run(w))
			return BLOCK_FAULT;
		spun |= w->ready_count && w->turn <= 0;
	}
	if (!c->live_threads)
		return BLOCK_ENDED;
	if (!ran) {
		deadlock(c);
		return BLOCK_FAULT;
	}
	if (!spun)
		return BLOCK_GOING;
	if (c->slice > MACHINE_SLICE_MIN)
		c->slice /= 2;
	return BLOCK_SPINNING;
}
