/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows for virtual registers. PTX from compilers is nearly SSA, with thousands of registers a
 * function; the few hundred rows that are needed at once keep a warp in the processor's first
 * cache.
 *
 * Liveness is found register by register, walking from each use against the control flow until a
 * definition: the cost is the length of the live ranges, which stays near linear also for very
 * large functions. A register then occupies one interval of positions, and rows are given by a
 * linear scan. Registers of a lane only meet registers of the same lane, and rows of 32 and 64 bits
 * come from two pools, so divergence needs no care here.
 */
#include "emulator/decode/ptx-decode.h"

#include <stdlib.h>
#include <string.h>

struct block {
	uint32_t first, last; /* drafts */
	uint32_t pred_first, pred_count;
};

struct occurrence {
	uint32_t position;
	bool defines, whole; /* whole: ends earlier values */
};

struct interval {
	uint32_t start, end; /* a use at draft i is 2i, a definition 2i + 1 */
	uint32_t reg;
};

struct liveness {
	struct decoder *d;
	struct block *blocks;
	uint32_t block_count;
	uint32_t *block_of; /* draft -> block */
	uint32_t *preds;
	struct occurrence *occurrences;
	uint32_t *first;                        /* register -> its occurrences */
	uint32_t *seen_in, *seen_out, *has_def; /* block -> last register + 1 that marked it */
	uint32_t *work;
	struct interval *intervals;
};

static uint32_t target_of(const struct decoder *d, const struct draft *t)
{
	return d->first_draft[t->imm];
}

void ptx_mark_leaders(const struct decoder *d, uint8_t *leader)
{
	leader[0] = 1;
	for (uint32_t i = 0; i < d->draft_count; i++) {
		const struct draft *t = &d->drafts[i];

		if (t->jumps)
			leader[target_of(d, t)] = 1;
		for (uint32_t k = 0; t->targets && k < t->target_count; k++)
			leader[d->first_draft[t->targets[k]]] = 1;
		if (t->jumps || t->ends)
			leader[i + 1] = 1;
	}
}

static void add_edge(struct liveness *v, uint32_t from, uint32_t to_draft, bool count_only)
{
	struct block *to = &v->blocks[v->block_of[to_draft]];

	if (!count_only)
		v->preds[to->pred_first + to->pred_count] = from;
	to->pred_count++;
}

static void walk_edges(struct liveness *v, bool count_only)
{
	struct decoder *d = v->d;

	for (uint32_t b = 0; b < v->block_count; b++) {
		uint32_t last = v->blocks[b].last;
		const struct draft *t = &d->drafts[last];

		if (t->jumps)
			add_edge(v, b, target_of(d, t), count_only);
		for (uint32_t k = 0; t->targets && k < t->target_count; k++)
			add_edge(v, b, d->first_draft[t->targets[k]], count_only);
		if (!t->ends && last + 1 < d->draft_count)
			add_edge(v, b, last + 1, count_only);
	}
}

static int build_blocks(struct liveness *v)
{
	struct decoder *d = v->d;
	uint8_t *leader = calloc(d->draft_count + 2, 1);
	uint32_t edges = 0;

	if (!leader)
		return -1;
	ptx_mark_leaders(d, leader);
	for (uint32_t i = 0; i < d->draft_count; i++) {
		if (leader[i])
			v->blocks[v->block_count++].first = i;
		v->blocks[v->block_count - 1].last = i;
		v->block_of[i] = v->block_count - 1;
	}
	free(leader);
	walk_edges(v, true);
	for (uint32_t b = 0; b < v->block_count; b++) {
		v->blocks[b].pred_first = edges;
		edges += v->blocks[b].pred_count;
		v->blocks[b].pred_count = 0;
	}
	v->preds = malloc((edges + 1) * sizeof(*v->preds));
	if (!v->preds)
		return -1;
	walk_edges(v, false);
	return 0;
}

/* Operations with the carry flag in slot 0 need no row for it. */
static void each_occurrence(struct liveness *v,
			    void (*visit)(struct liveness *v, uint32_t reg, struct occurrence o))
{
	for (uint32_t i = 0; i < v->d->draft_count; i++) {
		const struct draft *t = &v->d->drafts[i];

		for (int s = 0; s < SLOTS; s++) {
			bool defines = t->defines >> s & 1;

			if (t->slot[s].kind == REF_REGISTER && (!defines || t->partial))
				visit(v, t->slot[s].index, (struct occurrence){ i, false, false });
		}
		for (int s = 0; s < SLOTS; s++)
			if (t->slot[s].kind == REF_REGISTER && (t->defines >> s & 1))
				visit(v, t->slot[s].index,
				      (struct occurrence){ i, true, !t->partial });
	}
}

static void count_occurrence(struct liveness *v, uint32_t reg, struct occurrence o)
{
	(void)o;
	v->first[reg + 1]++;
}

static void put_occurrence(struct liveness *v, uint32_t reg, struct occurrence o)
{
	v->occurrences[v->first[reg]++] = o;
}

static int collect_occurrences(struct liveness *v)
{
	uint32_t count = v->d->register_count;

	each_occurrence(v, count_occurrence);
	for (uint32_t r = 0; r < count; r++)
		v->first[r + 1] += v->first[r];
	v->occurrences = malloc((v->first[count] + 1) * sizeof(*v->occurrences));
	if (!v->occurrences)
		return -1;
	each_occurrence(v, put_occurrence);
	for (uint32_t r = count; r > 0; r--)
		v->first[r] = v->first[r - 1];
	v->first[0] = 0;
	return 0;
}

static void extend(struct interval *in, uint32_t position)
{
	if (position < in->start)
		in->start = position;
	if (position > in->end)
		in->end = position;
}

/* Blocks where the register is live at the start: everything before them up to a definition belongs
 * to it. */
static void walk_back(struct liveness *v, uint32_t reg, uint32_t pending, struct interval *in)
{
	while (pending) {
		const struct block *b = &v->blocks[v->work[--pending]];

		extend(in, 2 * b->first);
		for (uint32_t k = 0; k < b->pred_count; k++) {
			uint32_t p = v->preds[b->pred_first + k];

			if (v->seen_out[p] == reg + 1)
				continue;
			v->seen_out[p] = reg + 1;
			extend(in, 2 * v->blocks[p].last + 1);
			if (v->has_def[p] == reg + 1 || v->seen_in[p] == reg + 1)
				continue;
			v->seen_in[p] = reg + 1;
			v->work[pending++] = p;
		}
	}
}

static void find_interval(struct liveness *v, uint32_t reg, struct interval *in)
{
	uint32_t pending = 0;

	in->reg = reg;
	in->start = UINT32_MAX;
	in->end = 0;
	for (uint32_t k = v->first[reg]; k < v->first[reg + 1]; k++) {
		const struct occurrence *o = &v->occurrences[k];
		uint32_t b = v->block_of[o->position];

		extend(in, 2 * o->position + o->defines);
		if (!o->defines && v->has_def[b] != reg + 1 && v->seen_in[b] != reg + 1) {
			v->seen_in[b] = reg + 1;
			v->work[pending++] = b;
		}
		if (o->whole)
			v->has_def[b] = reg + 1;
	}
	walk_back(v, reg, pending, in);
}

static int by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Rows of one class: the end of the last interval in each, first fit. */
static int scan(struct liveness *v, enum ptx_register_class class, uint32_t *rows,
		uint32_t *ret_count)
{
	struct decoder *d = v->d;
	uint32_t *end = NULL, count = 0, cap = 0;

	for (uint32_t i = 0; i < d->register_count; i++) {
		const struct interval *in = &v->intervals[i];
		uint32_t row = 0;

		if (d->registers[in->reg].class != class || in->start == UINT32_MAX)
			continue;
		while (row < count && end[row] >= in->start)
			row++;
		if (row == cap) {
			uint32_t *grown = realloc(end, (cap ? cap * 2 : 64) * sizeof(*end));

			if (!grown) {
				free(end);
				return -1;
			}
			end = grown;
			cap = cap ? cap * 2 : 64;
		}
		if (row == count)
			count++;
		end[row] = in->end;
		rows[in->reg] = row;
	}
	free(end);
	*ret_count = count;
	return 0;
}

/* From row numbers to byte offsets: carry flag and predicates, constants, 32-bit rows, 64-bit rows.
 */
static uint32_t lay_out(struct decoder *d, uint32_t *rows, const uint32_t *counts)
{
	uint32_t at = ((counts[PTX_CLASS_PREDICATE] + 1) * 4 + 127) / 128 * 128, narrow, wide;

	for (uint32_t i = 0; i < d->constant_count; i++) {
		d->constants[i].row = at;
		at += d->constants[i].wide ? 8 * LANES : 4 * LANES;
	}
	narrow = at;
	wide = narrow + counts[PTX_CLASS_32] * 4 * LANES;
	for (uint32_t r = 0; r < d->register_count; r++)
		switch (d->registers[r].class) {
		case PTX_CLASS_PREDICATE:
			rows[r] = (rows[r] + 1) * 4;
			break;
		case PTX_CLASS_32:
			rows[r] = narrow + rows[r] * 4 * LANES;
			break;
		default:
			rows[r] = wide + rows[r] * 8 * LANES;
		}
	return wide + counts[PTX_CLASS_64] * 8 * LANES;
}

int ptx_allocate(struct decoder *d, uint32_t *rows, uint32_t *ret_bytes)
{
	struct liveness v = { .d = d };
	uint32_t counts[PTX_CLASSES] = { 0 }, n = d->draft_count + 1;
	int rc = -1;

	v.blocks = calloc(n, sizeof(*v.blocks));
	v.block_of = calloc(n, sizeof(*v.block_of));
	v.first = calloc(d->register_count + 2, sizeof(*v.first));
	v.seen_in = calloc(n, sizeof(*v.seen_in));
	v.seen_out = calloc(n, sizeof(*v.seen_out));
	v.has_def = calloc(n, sizeof(*v.has_def));
	v.work = calloc(n, sizeof(*v.work));
	v.intervals = calloc(d->register_count + 1, sizeof(*v.intervals));
	if (!v.blocks || !v.block_of || !v.first || !v.seen_in || !v.seen_out || !v.has_def ||
	    !v.work || !v.intervals || build_blocks(&v) || collect_occurrences(&v))
		goto out;
	for (uint32_t r = 0; r < d->register_count; r++)
		find_interval(&v, r, &v.intervals[r]);
	qsort(v.intervals, d->register_count, sizeof(*v.intervals), by_start);
	if (scan(&v, PTX_CLASS_PREDICATE, rows, &counts[PTX_CLASS_PREDICATE]) ||
	    scan(&v, PTX_CLASS_32, rows, &counts[PTX_CLASS_32]) ||
	    scan(&v, PTX_CLASS_64, rows, &counts[PTX_CLASS_64]))
		goto out;
	*ret_bytes = lay_out(d, rows, counts);
	rc = 0;
out:
	if (rc)
		d->out_of_memory = true;
	free(v.blocks);
	free(v.block_of);
	free(v.first);
	free(v.seen_in);
	free(v.seen_out);
	free(v.has_def);
	free(v.work);
	free(v.intervals);
	free(v.preds);
	free(v.occurrences);
	return rc;
}
