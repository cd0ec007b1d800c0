/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Races in the shared memory of a block. Only accesses since the last barrier count, so a cell's
 * mark is old when its number is below the first one of this epoch, and nothing need be cleared.
 * Most epochs either write or read: reads are noted as they are and put into the cells when a write
 * comes before the next barrier.
 */
#include "emulator/check/race-state.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/warp/exec.h"

#define READS_MAX 2048

static void renumber(struct race_block *c)
{
	memset(c->cells, 0, ((size_t)c->size >> c->shift) * sizeof(*c->cells));
	c->base = 1;
}

static void begin_epoch(struct race_block *c)
{
	c->base += c->log.count;
	c->log.count = 0;
	c->read_count = 0;
	c->written = false;
	if (c->base > RACE_NUMBERS / 2 && c->cells)
		renumber(c);
}

/* All threads are at barrier `id`, and where they go on nothing is written. */
static bool is_read_only(const struct race_block *c, uint32_t id)
{
	const struct race_plan *plan = &c->race->plan;
	uint32_t waiting = 0;

	if (!plan->ahead)
		return false;
	for (uint32_t i = 0; i < c->block->warp_count; i++) {
		const struct warp *w = &c->block->warps[i];

		for (uint32_t k = 0; k < w->parked_count; k++) {
			const struct fragment *f = &w->parked[k].fragment;

			if (w->parked[k].kind != PARKED_BARRIER || w->parked[k].barrier != id ||
			    f->frame->program != plan->program ||
			    plan->ahead[f->pc + 1 - plan->program->ops])
				return false;
			waiting += lane_count(f->mask);
		}
	}
	return waiting == c->block->live_threads;
}

void race_shared_barrier(struct race_block *c, uint32_t id)
{
	begin_epoch(c);
	c->read_only = is_read_only(c, id);
}

void race_shared_begin(struct race_block *c)
{
	uint32_t size = c->block->shared_size;

	begin_epoch(c);
	c->read_only = c->race->plan.ahead && !c->race->plan.ahead[0];
	c->releases.count = 0;
	if (c->releases.slots)
		memset(c->releases.slots, 0, c->releases.cap * sizeof(*c->releases.slots));
	if (c->cells || !size)
		return;
	c->shift = 2;
	c->size = (size + 3) / 4 * 4;
	c->cells = calloc(c->size / 4, sizeof(*c->cells));
	c->reads = malloc(READS_MAX * sizeof(*c->reads));
	if (!c->cells || !c->reads)
		race_cut(c->race);
}

void race_shared_release(struct race_block *c)
{
	free(c->cells);
	free(c->reads);
	free(c->log.items);
}

/* 0: out of memory. */
static uint32_t add_to_log(struct race_block *c, const struct race_access *a)
{
	if (c->log.count == c->log.cap) {
		uint32_t cap = c->log.cap ? c->log.cap * 2 : 256;
		struct race_access *grown =
			cap < RACE_NUMBERS / 4 ? realloc(c->log.items, cap * sizeof(*grown)) : NULL;

		if (!grown) {
			race_cut(c->race);
			return 0;
		}
		c->log.items = grown;
		c->log.cap = cap;
	}
	c->log.items[c->log.count] = *a;
	return c->base + c->log.count++;
}

/* The number of the access in the block's log, an earlier one's when they are alike. 0: out of
 * memory. */
static uint32_t number_of(struct race_now *n)
{
	struct race_recent *recent = race_recent(n);
	uint32_t number;

	if (race_is_alike(recent, n))
		return recent->number;
	number = add_to_log(n->c, &n->access);
	if (number)
		*recent = (struct race_recent){ n->o, n->access.time, n->access.epoch,
						n->access.meets, number };
	return number;
}

static const struct race_access *find(const struct race_block *c, uint32_t mark)
{
	uint32_t number = mark >> RACE_LANE_BITS;

	return number >= c->base ? &c->log.items[number - c->base] : NULL;
}

static void mark_read(const struct race_block *c, struct race_cell *cell, uint32_t mark)
{
	const struct race_access *old = find(c, cell->read);

	if (!old)
		cell->read = mark;
	else if (old->warp != find(c, mark)->warp)
		cell->other = mark;
	else
		/* The last one of the warp: a meeting may lie between. */
		cell->read = mark;
}

/* False: out of memory. */
static bool mark_reads(struct race_block *c, const struct race_access *a, uint32_t mask,
		       uint32_t size, const uint32_t *cells)
{
	uint32_t number = add_to_log(c, a), more = (size - 1) >> c->shift;

	FOR_ACTIVE (l, number ? mask : 0)
		for (uint32_t i = 0; i <= more && cells[l] + more < c->size >> c->shift; i++)
			mark_read(c, &c->cells[cells[l] + i], race_mark(number, l));
	return number;
}

/* Noted reads go to the cells. One past the end has ended the launch, and is of no interest. */
static void settle_reads(struct race_block *c)
{
	bool room = true;

	for (uint32_t i = 0; room && i < c->read_count; i++) {
		const struct race_read *r = &c->reads[i];
		struct race_access a = {
			.op = r->op,
			.program = r->program,
			.block = c->block->linear,
			.epoch = c->epoch,
			.time = r->time,
			.meets = r->meets,
			.warp = r->warp,
			.kind = GPU_ACCESS_READ,
			.strong = r->strong,
		};
		uint32_t cells[LANES];

		FOR_LANES
			cells[l] = r->at[l];
		room = mark_reads(c, &a, r->mask, r->size, cells);
	}
	c->read_count = 0;
}

/* An access of less than a cell: from now on cells are smaller. */
static bool split_cells(struct race_block *c, uint32_t size)
{
	unsigned shift = size == 1 ? 0 : 1, more = c->shift - shift;
	size_t count = (size_t)c->size >> shift;
	struct race_cell *finer = malloc(count * sizeof(*finer));

	settle_reads(c);
	if (!finer) {
		race_cut(c->race);
		return false;
	}
	for (size_t i = 0; i < count; i++)
		finer[i] = c->cells[i >> more];
	free(c->cells);
	c->cells = finer;
	c->shift = shift;
	return true;
}

static inline struct race_read *next_read(struct race_block *c, const struct warp *w,
					  const struct op *o, uint32_t mask, uint32_t size)
{
	struct race_read *r;

	if (c->read_count == READS_MAX)
		settle_reads(c);
	r = &c->reads[c->read_count++];
	r->op = o;
	r->program = w->frame->program;
	r->time = race_time(c->race);
	r->meets = c->warps[w->index].meets;
	r->mask = mask;
	r->warp = (uint16_t)w->index;
	r->size = size;
	r->strong = false;
	return r;
}

/* Bytes of more shared memory than most processors have are too many for the numbers of cells in a
 * note. */
static bool notes_reads(const struct race_block *c)
{
	return c->size >> c->shift <= UINT16_MAX;
}

static void keep_read(struct race_now *n)
{
	struct race_block *c = n->c;
	uint32_t cells[LANES];
	struct race_read *r;

	FOR_LANES
		cells[l] = (uint32_t)n->s->address[l] >> c->shift;
	if (!notes_reads(c)) {
		mark_reads(c, &n->access, n->s->mask, n->s->size, cells);
		return;
	}
	r = next_read(c, n->w, n->o, n->s->mask, n->s->size);
	r->strong = n->s->strong;
	FOR_LANES
		r->at[l] = (uint16_t)cells[l];
}

bool race_shared_note(struct race_block *c, struct warp *w, const struct op *o, uint32_t size)
{
	const struct address_rows *rows = c->race->rows;
	struct race_read *r;

	if (c->read_only)
		return true;
	if (c->written || size < 1u << c->shift || !c->cells || !c->reads || !notes_reads(c))
		return false;
	r = next_read(c, w, o, w->mask, size);
	if (o->flags & OP_ADDRESS_32)
		rows->narrow_cells(ROW(w, uint32_t, o->a), (uint32_t)o->imm, c->shift, r->at);
	else
		rows->wide_cells(ROW(w, uint64_t, o->a), (uint32_t)o->imm, c->shift, r->at);
	return true;
}

static void compare_with(const struct race_now *n, uint32_t mark, uint32_t lane)
{
	const struct race_access *old = find(n->c, mark);

	if (old)
		race_compare(n, old, mark, lane);
}

/* One hazard a lane is enough, however many cells it touches. */
static void compare_read(const struct race_now *n, uint32_t lane, uint32_t from, uint32_t to)
{
	for (uint32_t at = from; at <= to; at++)
		if (n->c->cells[at].write >> RACE_LANE_BITS >= n->c->base) {
			compare_with(n, n->c->cells[at].write, lane);
			return;
		}
}

static void compare_write(const struct race_now *n, uint32_t lane, uint32_t from, uint32_t to)
{
	const struct race_cell *cells = n->c->cells;
	uint32_t base = n->c->base << RACE_LANE_BITS, write = 0, read = 0, other = 0;

	for (uint32_t at = from; at <= to; at++) {
		write = cells[at].write >= base ? cells[at].write : write;
		read = cells[at].read >= base ? cells[at].read : read;
		other = cells[at].other >= base ? cells[at].other : other;
	}
	if (write)
		compare_with(n, write, lane);
	if (read)
		compare_with(n, read, lane);
	if (other && other != read)
		compare_with(n, other, lane);
}

/* Nobody has touched it in this epoch. */
static inline bool is_fresh(const struct race_block *c, const struct race_cell *cell)
{
	uint32_t base = c->base << RACE_LANE_BITS;

	return (cell->write < base) & (cell->read < base) & (cell->other < base);
}

void race_shared_access(struct race_now *n)
{
	struct race_block *c = n->c;
	bool writes = n->s->kind != GPU_ACCESS_READ;

	if (c->read_only && !writes)
		return;
	if (n->s->size < 1u << c->shift && !split_cells(c, n->s->size))
		return;
	if (!c->cells || !c->reads)
		return;
	if (writes) {
		settle_reads(c);
		c->written = true;
		n->number = number_of(n);
		if (!n->number)
			return;
	}
	if (c->written)
		FOR_ACTIVE (l, n->s->mask) {
			uint32_t from = (uint32_t)n->s->address[l] >> c->shift;
			uint32_t to = ((uint32_t)n->s->address[l] + n->s->size - 1) >> c->shift;

			if (!writes) {
				compare_read(n, l, from, to);
				continue;
			}
			if (from != to || !is_fresh(c, &c->cells[from]))
				compare_write(n, l, from, to);
			for (uint32_t at = from; at <= to; at++)
				c->cells[at].write = race_mark(n->number, l);
		}
	if (!writes)
		keep_read(n);
}
