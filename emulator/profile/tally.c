/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A block takes a table from a list of idle ones when it begins and returns it when it ends, so the
 * lock is taken twice for each block and never while counting. Whether a branch has parted its
 * lanes is seen at the warp's next step; a wait at a barrier is the difference to the warp with the
 * most steps since the barrier before. After the launch the tables are summed into the first one
 * that has the function, so tally_instructions() can be called once. An instruction without
 * operations of its own takes the count of a neighbour in its basic block.
 */
#include "emulator/profile/tally.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/memory/access.h"
#include "emulator/ptx/ptx-syntax.h"
#include "emulator/warp/exec.h"

#define SECTOR_SHIFT 5
#define BANKS 32
#define WORD_SHIFT 2
#define WARPS_MAX 32 /* of a block */

/* Counts of one function's operations. */
struct program_tally {
	struct program_tally *next;
	const struct ptx_program *program;
	struct profile_counts *ops;
	bool *parts; /* may the lanes of this operation part? */
};

struct warp_tally {
	struct profile_counts *branch;  /* whose lanes may have parted; NULL: none */
	uint32_t mask;                  /* that it had */
	uint64_t steps;                 /* since the last barrier */
	struct profile_counts *barrier; /* at which the warp has arrived; NULL: it is not at one */
};

/* The counts of one block at a time. */
struct tally_table {
	struct tally_table *next, *next_idle;
	struct program_tally *programs, *last;
	struct profile_counts *current; /* of the operation at work */
	struct profile_counts nowhere;  /* when memory is out */
	struct warp_tally warps[WARPS_MAX];
	bool failed;
};

/* ---- tables ---- */

static struct program_tally *program_tally_new(const struct ptx_program *p)
{
	struct program_tally *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->program = p;
	t->ops = calloc(p->op_count + 1, sizeof(*t->ops));
	t->parts = calloc(p->op_count + 1, sizeof(*t->parts));
	if (t->ops && t->parts) {
		for (uint32_t i = 0; i < p->op_count; i++) {
			const struct ptx_instruction *in =
				&p->function->body->instructions[p->ops[i].source];
			bool jumps = in->form_len >= 3 &&
				     (!memcmp(in->text, "bra", 3) || !memcmp(in->text, "brx", 3));

			t->parts[i] = p->ops[i].id == OP_bra_if || p->ops[i].id == OP_bra_unless ||
				      p->ops[i].id == OP_brx || (jumps && in->guard != PTX_NONE);
		}
		return t;
	}
	free(t->ops);
	free(t->parts);
	free(t);
	return NULL;
}

static struct program_tally *find_program(struct tally_table *t, const struct ptx_program *p)
{
	struct program_tally *x = t->programs;

	while (x && x->program != p)
		x = x->next;
	if (!x && (x = program_tally_new(p))) {
		x->next = t->programs;
		t->programs = x;
	}
	t->failed |= !x;
	return x;
}

static void table_free(struct tally_table *t)
{
	while (t->programs) {
		struct program_tally *x = t->programs;

		t->programs = x->next;
		free(x->ops);
		free(x->parts);
		free(x);
	}
	free(t);
}

static struct tally *tally_of(struct observer *x)
{
	return OBSERVER_OF(x, struct tally, observer);
}

static void on_block_begin(struct observer *x, struct block *c)
{
	struct tally *t = tally_of(x);
	struct tally_table *table;

	pthread_mutex_lock(&t->lock);
	table = t->idle;
	if (table) {
		t->idle = table->next_idle;
	} else if ((table = calloc(1, sizeof(*table)))) {
		table->next = t->all;
		t->all = table;
	}
	pthread_mutex_unlock(&t->lock);
	if (table)
		memset(table->warps, 0, sizeof(table->warps));
	else
		atomic_store(&x->over, true);
	*observer_slot(x, c) = table;
}

static void on_block_end(struct observer *x, struct block *c)
{
	struct tally_table *table = *observer_slot(x, c);
	struct tally *t = tally_of(x);

	if (!table)
		return;
	pthread_mutex_lock(&t->lock);
	table->next_idle = t->idle;
	t->idle = table;
	pthread_mutex_unlock(&t->lock);
}

/* ---- what is seen ---- */

/* The lanes of a branch have parted when some wait elsewhere and no fragment has all of them. */
static void look_back(struct warp_tally *wt, const struct warp *w)
{
	uint32_t elsewhere = 0;
	bool together = false;

	for (uint32_t i = 0; i < w->ready_count; i++) {
		elsewhere |= w->ready[i].mask & wt->mask;
		together |= !(wt->mask & ~w->ready[i].mask);
	}
	wt->branch->splits += elsewhere && !together;
	wt->branch = NULL;
}

static void on_step(struct observer *x, struct warp *w, const struct op *o)
{
	struct tally_table *t = *observer_slot(x, w->block);
	struct warp_tally *wt;
	struct program_tally *p;
	size_t index;

	if (!t)
		return;
	wt = &t->warps[w->index % WARPS_MAX];
	p = t->last;
	if (!p || p->program != w->frame->program)
		p = t->last = find_program(t, w->frame->program);
	if (wt->branch)
		look_back(wt, w);
	if (!p) {
		t->current = &t->nowhere;
		return;
	}
	index = (size_t)(o - p->program->ops);
	t->current = &p->ops[index];
	t->current->executed++;
	t->current->lanes += lane_count(w->mask);
	wt->steps++;
	if (p->parts[index]) {
		wt->branch = t->current;
		wt->mask = w->mask;
	}
}

static void on_sync(struct observer *x, struct warp *w, const struct op *o)
{
	struct tally_table *t = *observer_slot(x, w->block);

	if (!t || o->id != OP_barrier)
		return;
	t->current->barriers++;
	t->warps[w->index % WARPS_MAX].barrier = t->current;
}

static void on_barrier(struct observer *x, struct block *c, uint32_t id)
{
	struct tally_table *t = *observer_slot(x, c);
	uint64_t most = 0;

	(void)id;
	if (!t)
		return;
	for (int i = 0; i < WARPS_MAX; i++)
		if (t->warps[i].barrier && t->warps[i].steps > most)
			most = t->warps[i].steps;
	for (int i = 0; i < WARPS_MAX; i++) {
		struct warp_tally *wt = &t->warps[i];

		if (!wt->barrier)
			continue;
		wt->barrier->waited += most - wt->steps;
		wt->barrier = NULL;
		wt->steps = 0;
	}
}

/* ---- memory ---- */

static uint32_t note_sector(uint64_t *seen, uint32_t n, uint64_t sector)
{
	for (uint32_t i = n; i-- > 0;)
		if (seen[i] == sector)
			return n;
	seen[n] = sector;
	return n + 1;
}

/* The lowest and the highest address of these lanes. */
static void find_range(const uint64_t *address, uint32_t mask, uint64_t *ret_low,
		       uint64_t *ret_high)
{
	uint64_t low = address[first_lane(mask)], high = low;

	if (mask == ALL_LANES) {
		for (int l = 1; l < LANES; l++) {
			low = address[l] < low ? address[l] : low;
			high = address[l] > high ? address[l] : high;
		}
	} else {
		FOR_ACTIVE (l, mask) {
			low = address[l] < low ? address[l] : low;
			high = address[l] > high ? address[l] : high;
		}
	}
	*ret_low = low;
	*ret_high = high;
}

static uint32_t scattered_sectors(const uint64_t *address, uint32_t mask, uint32_t size)
{
	uint64_t seen[LANES];
	uint32_t n = 0, beyond = 0;

	FOR_ACTIVE (l, mask) {
		n = note_sector(seen, n, address[l] >> SECTOR_SHIFT);
		beyond += (uint32_t)(((address[l] + size - 1) >> SECTOR_SHIFT) -
				     (address[l] >> SECTOR_SHIFT));
	}
	return n + beyond;
}

uint32_t tally_sectors(const uint64_t *address, uint32_t mask, uint32_t size)
{
	uint64_t low, high, touched = 0;

	find_range(address, mask, &low, &high);
	low >>= SECTOR_SHIFT;
	/* Mostly they lie close together: a bit each. */
	if (size > 1u << SECTOR_SHIFT || ((high + size - 1) >> SECTOR_SHIFT) - low >= 64)
		return scattered_sectors(address, mask, size);
	FOR_ACTIVE (l, mask) {
		touched |= 1ull << ((address[l] >> SECTOR_SHIFT) - low);
		touched |= 1ull << (((address[l] + size - 1) >> SECTOR_SHIFT) - low);
	}
	return (uint32_t)__builtin_popcountll(touched);
}

/* Words that lanes want of a bank one after another. */
static uint32_t passes_with_conflicts(const uint64_t *address, uint32_t mask, uint32_t words)
{
	uint32_t lanes[BANKS] = { 0 }, most = 0;
	uint64_t wanted[BANKS][LANES];

	FOR_ACTIVE (l, mask) {
		for (uint32_t k = 0; k < words; k++) {
			uint64_t word = (address[l] >> WORD_SHIFT) + k;
			uint32_t bank = word % BANKS, i = 0;

			while (i < lanes[bank] && wanted[bank][i] != word)
				i++;
			if (i < lanes[bank])
				continue;
			wanted[bank][lanes[bank]++] = word;
			if (lanes[bank] > most)
				most = lanes[bank];
		}
	}
	return most;
}

/* Words of which no two are a row of banks apart lie in a bank each. */
static uint32_t passes_of_part(const uint64_t *address, uint32_t mask, uint32_t words)
{
	uint64_t low, high;

	if (!mask)
		return 0;
	find_range(address, mask, &low, &high);
	if ((high >> WORD_SHIFT) - (low >> WORD_SHIFT) + words <= BANKS)
		return 1;
	return passes_with_conflicts(address, mask, words);
}

uint32_t tally_passes(const uint64_t *address, uint32_t mask, uint32_t size, uint32_t *ret_ideal)
{
	/* 8 bytes a lane are moved for half a warp at a time, 16 for a quarter. */
	uint32_t words = size > 4 ? size / 4 : 1,
		 part = words >= 4   ? 8
			: words >= 2 ? 16
				     : 32,
		 passes = 0;

	*ret_ideal = 0;
	for (uint32_t first = 0; first < LANES; first += part) {
		uint32_t lanes = mask & (part == 32 ? ALL_LANES : ((1u << part) - 1) << first);

		passes += passes_of_part(address, lanes, words > 4 ? 4 : words);
		*ret_ideal += lanes != 0;
	}
	return passes;
}

/* Lanes behind the first one at their address, where most meet. */
static uint32_t conflicts_of(const uint64_t *address, uint32_t mask)
{
	uint32_t most = 0;

	while (mask) {
		uint64_t at = address[first_lane(mask)];
		uint32_t same = 0;

		FOR_ACTIVE (l, mask)
			same |= (uint32_t)(address[l] == at) << l;
		mask &= ~same;
		if (lane_count(same) > most)
			most = lane_count(same);
	}
	return most ? most - 1 : 0;
}

static void count_global(struct profile_counts *c, const struct memory_step *s)
{
	uint32_t bytes = lane_count(s->mask) * s->size,
		 sectors = tally_sectors(s->address, s->mask, s->size);
	uint32_t ideal = (bytes + (1u << SECTOR_SHIFT) - 1) >> SECTOR_SHIFT;

	c->global_requests++;
	c->global_sectors += sectors;
	c->global_ideal += ideal < sectors ? ideal : sectors;
	c->global_bytes += bytes;
}

static void on_access(struct observer *x, struct warp *w, const struct op *o,
		      const struct memory_step *s)
{
	struct tally_table *t = *observer_slot(x, w->block);
	struct profile_counts *c = t ? t->current : NULL;
	uint32_t ideal;

	if (!c)
		return;
	if (s->kind == GPU_ACCESS_ATOMIC) {
		c->atomic_requests++;
		c->atomic_conflicts += conflicts_of(s->address, s->mask);
	}
	if (s->space == PTX_SPACE_SHARED) {
		c->shared_requests++;
		c->shared_passes += tally_passes(s->address, s->mask, s->size, &ideal);
		c->shared_ideal += ideal;
	} else if (s->space == PTX_SPACE_LOCAL) {
		c->local_requests++;
		c->local_bytes += (uint64_t)lane_count(s->mask) * s->size;
	} else if (!(o->flags & OP_CONST && o->id >= OP_ld_global_u8 && o->id < OP_atom)) {
		count_global(c, s);
	}
}

static const struct observer_class class = {
	.name = "profile",
	.step = on_step,
	.sync = on_sync,
	.access = on_access,
	.barrier = on_barrier,
	.block_begin = on_block_begin,
	.block_end = on_block_end,
};

void tally_init(struct tally *t)
{
	*t = (struct tally){ .observer = { .class = &class } };
	pthread_mutex_init(&t->lock, NULL);
}

void tally_release(struct tally *t)
{
	while (t->all) {
		struct tally_table *table = t->all;

		t->all = table->next;
		table_free(table);
	}
	pthread_mutex_destroy(&t->lock);
}

bool tally_failed(const struct tally *t)
{
	bool failed = atomic_load(&t->observer.over);

	for (const struct tally_table *x = t->all; x; x = x->next)
		failed |= x->failed;
	return failed;
}

/* ---- by instruction ---- */

/* Does another block of code begin behind this one? */
static bool ends_block(const struct ptx_instruction *in)
{
	static const char *const words[] = { "bra", "brx", "ret", "exit", "trap" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (in->form_len >= strlen(words[i]) &&
		    !memcmp(in->text, words[i], strlen(words[i])))
			return true;
	return false;
}

struct by_instruction {
	struct profile_counts *counts;
	bool *starts; /* a block of code starts here */
	bool *known;  /* it has operations of its own */
	uint32_t n;
};

static int by_instruction_init(struct by_instruction *x, const struct ptx_body *b)
{
	x->n = b->instruction_count;
	x->counts = calloc(x->n + 1, sizeof(*x->counts));
	x->starts = calloc(x->n + 1, sizeof(*x->starts));
	x->known = calloc(x->n + 1, sizeof(*x->known));
	if (!x->counts || !x->starts || !x->known)
		return -1;
	for (uint32_t i = 0; i < b->label_count; i++)
		x->starts[b->labels[i].position] = true;
	for (uint32_t i = 0; i < x->n; i++)
		if (ends_block(&b->instructions[i]))
			x->starts[i + 1] = true;
	return 0;
}

static void by_instruction_release(struct by_instruction *x)
{
	free(x->counts);
	free(x->starts);
	free(x->known);
}

/* The operation of an instruction that ran most often tells how often the instruction ran. */
static void take_op(struct by_instruction *x, uint32_t source, const struct profile_counts *op)
{
	struct profile_counts *to = &x->counts[source];
	uint64_t executed = to->executed, lanes = to->lanes;

	profile_counts_add(to, op);
	to->executed = op->executed > executed ? op->executed : executed;
	to->lanes = op->executed > executed ? op->lanes : lanes;
	x->known[source] = true;
}

/* The nearest instruction of the same block that has operations and runs with all lanes of it;
 * itself when there is none. */
static uint32_t neighbour(const struct by_instruction *x, const struct ptx_body *b, uint32_t i)
{
	for (uint32_t k = i; !x->starts[k] && k-- > 0;)
		if (x->known[k] && b->instructions[k].guard == PTX_NONE)
			return k;
	for (uint32_t k = i + 1; k < x->n && !x->starts[k]; k++)
		if (x->known[k] && b->instructions[k].guard == PTX_NONE)
			return k;
	return i;
}

static void fill_gaps(struct by_instruction *x, const struct ptx_body *b)
{
	for (uint32_t i = 0; i < x->n; i++) {
		uint32_t like = x->known[i] ? i : neighbour(x, b, i);

		x->counts[i].executed = x->counts[like].executed;
		x->counts[i].lanes = x->counts[like].lanes;
	}
}

static void take_program(struct by_instruction *x, const struct program_tally *p)
{
	for (uint32_t i = 0; i < p->program->op_count; i++)
		if (p->program->ops[i].source < x->n)
			take_op(x, p->program->ops[i].source, &p->ops[i]);
}

/* The same function in all tables is told once. */
static bool is_first(const struct tally *t, const struct tally_table *table,
		     const struct ptx_program *p)
{
	for (const struct tally_table *other = t->all; other != table; other = other->next)
		for (const struct program_tally *x = other->programs; x; x = x->next)
			if (x->program == p)
				return false;
	return true;
}

/* The sum of all tables, in the first one. */
static void join(const struct tally_table *first, struct program_tally *to)
{
	for (const struct tally_table *other = first->next; other; other = other->next)
		for (const struct program_tally *x = other->programs; x; x = x->next)
			for (uint32_t i = 0; x->program == to->program && i < to->program->op_count;
			     i++)
				profile_counts_add(&to->ops[i], &x->ops[i]);
}

static int tell_program(const struct program_tally *p, tally_instruction_fn *fn, void *data)
{
	const struct ptx_body *b = p->program->function->body;
	struct by_instruction x = { 0 };
	int failed = by_instruction_init(&x, b);

	if (!failed) {
		take_program(&x, p);
		fill_gaps(&x, b);
		for (uint32_t i = 0; i < x.n; i++)
			if (x.counts[i].executed)
				fn(data, p->program, &b->instructions[i], &x.counts[i]);
	}
	by_instruction_release(&x);
	return failed;
}

int tally_instructions(struct tally *t, tally_instruction_fn *fn, void *data)
{
	for (const struct tally_table *table = t->all; table; table = table->next)
		for (struct program_tally *p = table->programs; p; p = p->next) {
			if (!is_first(t, table, p->program))
				continue;
			join(table, p);
			if (tell_program(p, fn, data))
				return -1;
		}
	return 0;
}
