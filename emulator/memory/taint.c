/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taint of the registers of frames, operation by operation. Each destination gets its taint from
 * the values and taints that its sources have before the operation runs; loads then add what their
 * handlers found in the shadow.
 */
#include "emulator/memory/taint.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/memory/shadow.h"
#include "emulator/memory/state-space.h"
#include "emulator/memory/taint-rules.h"
#include "emulator/ptx/ptx-ops.h"
#include "emulator/warp/exec.h"
#include "emulator/warp/observer.h"

#define ORIGINS 2048
#define COMPUTED 0x8000 /* in a row's origin: its value is no plain copy of what was loaded */

/* A load of unknown bytes. */
struct origin {
	const struct op *op;
	const struct ptx_function *function;
	uint32_t block[3], thread[3];
	uint64_t address;
	enum ptx_space space;
	uint32_t size;
	bool computed; /* the memory had been written, with what was worked out from such a load */
};

struct taint {
	struct observer observer;
	struct machine_worker *worker;
	bool observed;
	uint32_t frames; /* that have tainted registers */
	uint32_t next;
	uint16_t in_params, in_local; /* origins of what was last stored there */
	struct origin origins[ORIGINS];
};

static size_t area_bytes(const struct frame *f)
{
	return f->program->frame_bytes + (size_t)f->program->param_area * LANES;
}

/* Behind the taint of rows and parameters: for each four bytes of the rows, where the row's taint
 * came from. */
static uint16_t *origin_of(const struct frame *f, uint32_t row)
{
	return (uint16_t *)(void *)(f->taint + (area_bytes(f) + 63) / 64 * 64) + row / 4;
}

static bool make_area(struct machine_worker *k, struct frame *f)
{
	size_t size =
		(area_bytes(f) + 63) / 64 * 64 + f->program->frame_bytes / 4 * sizeof(uint16_t);

	if (f->taint)
		return true;
	f->taint = aligned_alloc(64, (size + 127) / 64 * 64);
	if (!f->taint)
		return false;
	memset(f->taint, 0, size);
	k->taint->frames++;
	return true;
}

static void step(struct observer *x, struct warp *w, const struct op *o);

static const struct observer_class watcher = { .name = "taint", .step = step };

static bool start(struct machine_worker *k)
{
	if (!k->taint) {
		k->taint = calloc(1, sizeof(*k->taint));
		if (!k->taint)
			return false;
		k->taint->observer.class = &watcher;
		k->taint->worker = k;
	}
	if (!k->taint->observed)
		observer_add(k, &k->taint->observer);
	k->taint->observed = true;
	return true;
}

void taint_drop(struct machine_worker *k, struct frame *f)
{
	if (!f->taint)
		return;
	free(f->taint);
	f->taint = NULL;
	if (!--k->taint->frames && k->taint->observed) {
		observer_drop(k, &k->taint->observer);
		k->taint->observed = false;
	}
}

void taint_release(struct machine_worker *k)
{
	free(k->taint);
	k->taint = NULL;
}

/* The taint of one lane of a row. */
static uint64_t get(const struct frame *f, uint32_t row, uint8_t type, uint32_t l)
{
	uint64_t v;

	if (taint_bits(type) == 64)
		return ((const uint64_t *)(const void *)(f->taint + row))[l];
	if (taint_bits(type) == 1)
		return *(const uint32_t *)(const void *)(f->taint + row) >> l & 1;
	v = ((const uint32_t *)(const void *)(f->taint + row))[l];
	return taint_bits(type) == 32 ? v : v & ((1u << taint_bits(type)) - 1);
}

static void put(const struct frame *f, uint32_t row, uint8_t type, uint32_t l, uint64_t v)
{
	uint32_t *word = (uint32_t *)(void *)(f->taint + row);

	if (taint_bits(type) == 64)
		((uint64_t *)(void *)(f->taint + row))[l] = v;
	else if (taint_bits(type) == 1)
		*word = (*word & ~(1u << l)) | (uint32_t)(v & 1) << l;
	else
		word[l] = (uint32_t)v;
}

static uint64_t value(const struct warp *w, uint32_t row, uint8_t type, uint32_t l)
{
	uint64_t v;

	if (taint_bits(type) == 64)
		return ROW(w, const uint64_t, row)[l];
	if (taint_bits(type) == 1)
		return PREDICATE(w, row) >> l & 1;
	v = ROW(w, const uint32_t, row)[l];
	return taint_bits(type) == 32 ? v : v & ((1u << taint_bits(type)) - 1);
}

static bool row_is_tainted(const struct frame *f, uint32_t row, uint8_t type, uint32_t mask)
{
	if (!type)
		return false;
	FOR_ACTIVE (l, mask)
		if (get(f, row, type, l))
			return true;
	return false;
}

static void clear_row(const struct frame *f, uint32_t row, uint8_t type, uint32_t mask)
{
	FOR_ACTIVE (l, mask)
		put(f, row, type, l, 0);
}

static void clear_predicate(const struct frame *f, uint32_t row, uint32_t mask)
{
	*(uint32_t *)(void *)(f->taint + row) &= ~mask;
}

/* The place where the bytes were loaded that led to this use. */
static void describe(struct warp *w, const struct op *o, uint32_t lane, const struct origin *from,
		     enum taint_use use, struct gpu_fault *f)
{
	warp_describe(w, o, GPU_FAULT_UNINITIALIZED, 1u << lane, "", f);
	f->use = use;
	if (f->frame_count)
		f->use_place = f->frames[0];
	f->access = GPU_ACCESS_READ;
	f->space = from->space;
	f->size = from->size;
	f->address = from->address;
	f->computed = from->computed;
	if (from->op) {
		memcpy(f->block, from->block, sizeof(f->block));
		memcpy(f->thread, from->thread, sizeof(f->thread));
		warp_describe_place(from->function, from->op, f);
	}
	state_space_describe(w, f);
}

static void report(struct warp *w, const struct op *o, uint32_t lane, const struct origin *from,
		   enum taint_use use)
{
	const struct machine_launch *l = w->worker->launch->spec;
	struct gpu_fault f;

	if (!l->finding)
		return;
	describe(w, o, lane, from, use, &f);
	pthread_mutex_lock(w->worker->launch->lock);
	l->finding(l->data, &f);
	pthread_mutex_unlock(w->worker->launch->lock);
}

static void use_row(struct warp *w, const struct op *o, uint32_t row, uint8_t type, uint32_t mask,
		    enum taint_use use)
{
	const struct frame *f = w->frame;

	FOR_ACTIVE (l, mask)
		if (get(f, row, type, l)) {
			report(w, o, l,
			       &w->worker->taint
					->origins[(*origin_of(f, row) & ~COMPUTED) % ORIGINS],
			       use);
			/* It is known from here on, so that what follows from it is not told again.
			 */
			clear_row(f, row, type, ALL_LANES);
			return;
		}
}

static uint64_t all_ones(uint8_t type)
{
	return taint_bits(type) == 64 ? ~0ull : 0xffffffffu;
}

static uint64_t halves(const struct taint_rule *r, const uint64_t t[3])
{
	uint64_t all = t[0] | t[1] | t[2];

	if (r->type[1] == TAINT_TYPE_f32)
		return (t[0] ? 0xffff0000u : 0) | (t[1] ? 0xffffu : 0);
	return (all & 0xffff0000u ? 0xffff0000u : 0) | (all & 0xffffu ? 0xffffu : 0);
}

/* An `and` with a known 0 and an `or` with a known 1 have a known result. */
static uint64_t and_bits(const uint64_t t[3], const uint64_t v[3])
{
	return (t[0] & t[1]) | (t[0] & v[1]) | (t[1] & v[0]);
}

static uint64_t or_bits(const uint64_t t[3], const uint64_t v[3])
{
	return (t[0] & t[1]) | (t[0] & ~v[1]) | (t[1] & ~v[0]);
}

static uint64_t result(const struct taint_rule *r, const uint64_t t[3], const uint64_t v[3])
{
	uint64_t all = t[0] | t[1] | t[2];
	bool first;

	switch (r->class) {
	case TAINT_COPY:
		return t[0];
	case TAINT_XOR:
		return all;
	case TAINT_AND:
		return and_bits(t, v);
	case TAINT_OR:
		return or_bits(t, v) & all_ones(r->type[0]);
	case TAINT_MASK_AND:
		return and_bits(t, v) & 1;
	case TAINT_MASK_OR:
		return or_bits(t, v) & 1;
	case TAINT_MASK_ANDN:
		return and_bits(t, (const uint64_t[]){ v[0], ~v[1], 0 }) & 1;
	case TAINT_UPWARD:
		return all ? -(all & -all) & all_ones(r->type[0]) : 0;
	case TAINT_HALVES:
		return halves(r, t);
	case TAINT_EQUAL:
		return all && !((v[0] ^ v[1]) & ~all);
	case TAINT_PICK:
		return t[2]   ? (v[0] != v[1] || all & ~1ull ? all_ones(r->type[0]) : 0)
		       : v[2] ? t[0]
			      : t[1];
	case TAINT_SIGN_PICK:
		first = r->type[3] == TAINT_TYPE_f32 ? float_of((uint32_t)v[2]) >= 0
						     : (int32_t)v[2] >= 0;
		return t[2] ? all_ones(r->type[0]) : first ? t[0] : t[1];
	case TAINT_MASK_COPY:
	case TAINT_COMPARE:
		return all != 0;
	default:
		return all ? all_ones(r->type[0]) : 0;
	}
}

/* The operation itself, on rows that hold the taint of what it moves. */
static void move(struct warp *w, const struct op *o, const struct taint_rule *r)
{
	_Alignas(64) uint8_t rows[5][LANES * 8];
	const uint32_t from[] = { o->a, o->b, o->c, o->x[0] };
	struct op twin = *o;
	uint8_t *saved = w->rows;
	uint32_t lost = 0;

	for (unsigned i = 0; i < 4; i++) {
		bool control = r->control >> i & 1;
		uint8_t type = i < 3 ? r->type[i + 1] : control ? TAINT_TYPE_u32 : 0;

		if (!type)
			continue;
		memcpy(rows[i], (control ? w->rows : w->frame->taint) + from[i],
		       taint_bits(type) == 64 ? 256 : 128);
		FOR_ACTIVE (l, w->mask)
			lost |= (uint32_t)(control && get(w->frame, from[i], type, l)) << l;
	}
	twin.a = 0;
	twin.b = sizeof(rows[0]);
	twin.c = 2 * sizeof(rows[0]);
	twin.x[0] = 3 * sizeof(rows[0]);
	twin.d = 4 * sizeof(rows[0]);
	w->rows = rows[0];
	w->worker->handlers[o->id].full(w, &twin);
	w->rows = saved;
	FOR_ACTIVE (l, w->mask)
		put(w->frame, o->d, r->type[0], l,
		    lost >> l & 1                  ? all_ones(r->type[0])
		    : taint_bits(r->type[0]) == 64 ? ((uint64_t *)(void *)rows[4])[l]
						   : ((uint32_t *)(void *)rows[4])[l]);
}

static bool is_copy(uint8_t class)
{
	return class == TAINT_COPY || class == TAINT_MOVED || class == TAINT_PICK ||
	       class == TAINT_AND || class == TAINT_OR;
}

/* From rows a, b, c to row d. */
static void pass_on(struct warp *w, const struct op *o, const struct taint_rule *r)
{
	const uint32_t rows[] = { o->a, o->b, o->c };
	const struct frame *f = w->frame;
	uint16_t origin = 0;
	bool tainted = false;

	for (int i = 0; i < 3; i++)
		if (row_is_tainted(f, rows[i], r->type[i + 1], w->mask)) {
			tainted = true;
			origin = *origin_of(f, rows[i]);
		}
	if (!tainted) {
		clear_row(f, o->d, r->type[0], w->mask);
		return;
	}
	*origin_of(f, o->d) = is_copy(r->class) ? origin : origin | COMPUTED;
	if (r->class == TAINT_MOVED) {
		move(w, o, r);
		return;
	}
	FOR_ACTIVE (l, w->mask) {
		uint64_t t[3] = { 0 }, v[3] = { 0 };

		for (int i = 0; i < 3; i++)
			if (r->type[i + 1]) {
				t[i] = get(f, rows[i], r->type[i + 1], l);
				v[i] = value(w, rows[i], r->type[i + 1], l);
			}
		put(f, o->d, r->type[0], l, result(r, t, v));
	}
}

/* Lanes take the taint of the lane that their value comes from; one that comes from another place
 * of the code is known. */
static void shuffle(struct warp *w, const struct op *o)
{
	const uint32_t *pb = ROW(w, uint32_t, o->b), *pc = ROW(w, uint32_t, o->c);
	uint32_t before[LANES];

	use_row(w, o, o->b, TAINT_TYPE_u32, w->mask, TAINT_USE_LANE);
	for (uint32_t l = 0; l < LANES; l++)
		before[l] = w->mask >> l & 1 ? (uint32_t)get(w->frame, o->a, TAINT_TYPE_u32, l) : 0;
	FOR_ACTIVE (l, w->mask) {
		int lane = (int)l, b = pb[l] & 31, c = pc[l] & 31, segment = pc[l] >> 8 & 31,
		    low = lane & segment;
		int high = low | (c & ~segment), from;
		bool inside;

		switch (o->flags & WARP_MODE) {
		case SHFL_UP:
			from = lane - b;
			inside = from >= high;
			break;
		case SHFL_DOWN:
			from = lane + b;
			inside = from <= high;
			break;
		case SHFL_BFLY:
			from = lane ^ b;
			inside = from <= high;
			break;
		default:
			from = low | (b & ~segment);
			inside = from <= high;
			break;
		}
		put(w->frame, o->d, TAINT_TYPE_u32, l, before[inside ? from & 31 : lane]);
	}
	*origin_of(w->frame, o->d) = *origin_of(w->frame, o->a);
	if (o->x[0] != PTX_NO_OPERAND)
		clear_predicate(w->frame, o->x[0], w->mask);
}

/* Results of votes, matches and reductions depend on all lanes. */
static void gather(struct warp *w, const struct op *o, uint8_t from, uint8_t to)
{
	bool tainted = row_is_tainted(w->frame, o->a, from, w->mask);
	uint64_t ballot = from == TAINT_TYPE_p
				  ? *(uint32_t *)(void *)(w->frame->taint + o->a) & w->mask
				  : 0xffffffffu;

	FOR_ACTIVE (l, w->mask)
		put(w->frame, o->d, to, l, tainted ? ballot : 0);
	if (tainted)
		*origin_of(w->frame, o->d) = *origin_of(w->frame, o->a) | COMPUTED;
	if ((o->id == OP_match || o->id == OP_elect) && o->x[0] != PTX_NO_OPERAND)
		clear_predicate(w->frame, o->x[0], w->mask);
}

static uint8_t row_type(const struct taint_rule *r)
{
	return r->size == 8 ? TAINT_TYPE_u64 : TAINT_TYPE_u32;
}

static uint32_t element_row(const struct op *o, uint32_t first, uint32_t i)
{
	return i ? o->x[i - 1] : first;
}

static uint8_t address_type(const struct op *o)
{
	return o->flags & OP_ADDRESS_32 ? TAINT_TYPE_u32 : TAINT_TYPE_u64;
}

static void step_memory(struct warp *w, const struct op *o, const struct taint_rule *r)
{
	const struct frame *f = w->frame;
	uint8_t *area = f->taint + f->program->frame_bytes + o->imm;
	uint32_t step = f->program->param_area;

	if (r->space != PTX_SPACE_PARAM) {
		use_row(w, o, o->a, address_type(o), w->mask, TAINT_USE_ADDRESS);
		if (r->class == TAINT_LOAD)
			for (uint32_t i = 0; i < r->count; i++)
				clear_row(f, element_row(o, o->d, i), row_type(r), w->mask);
		return;
	}
	FOR_ACTIVE (l, w->mask) {
		uint64_t t = 0;

		if (r->class == TAINT_LOAD) {
			memcpy(&t, area + (uint64_t)l * step, r->size);
			put(f, o->d, row_type(r), l, t);
			if (t)
				*origin_of(f, o->d) = w->worker->taint->in_params;
		} else {
			t = get(f, o->b, row_type(r), l);
			memcpy(area + (uint64_t)l * step, &t, r->size);
			if (t)
				w->worker->taint->in_params = *origin_of(f, o->b);
		}
	}
}

/* Operations whose destinations the table does not tell. */
static void step_by_hand(struct warp *w, const struct op *o)
{
	const struct frame *f = w->frame;
	uint32_t rows[] = { o->d, o->x[0], o->x[1], o->x[2] };

	switch (o->id) {
	case OP_bra_if:
	case OP_bra_unless:
		use_row(w, o, o->a, TAINT_TYPE_p, w->mask, TAINT_USE_BRANCH);
		break;
	case OP_brx:
		use_row(w, o, o->a, TAINT_TYPE_u32, w->mask, TAINT_USE_BRANCH);
		break;
	case OP_call_indirect:
		use_row(w, o, o->a, TAINT_TYPE_u64, w->mask, TAINT_USE_ADDRESS);
		break;
	case OP_atom:
		use_row(w, o, o->a, address_type(o), w->mask, TAINT_USE_ADDRESS);
		break;
	case OP_shfl:
		shuffle(w, o);
		break;
	case OP_vote:
		gather(w, o, TAINT_TYPE_p,
		       (o->flags & WARP_MODE) == VOTE_BALLOT ? TAINT_TYPE_u32 : TAINT_TYPE_p);
		break;
	case OP_match:
		gather(w, o, o->flags & WARP_WIDE ? TAINT_TYPE_u64 : TAINT_TYPE_u32,
		       TAINT_TYPE_u32);
		break;
	case OP_redux:
		gather(w, o, TAINT_TYPE_u32, TAINT_TYPE_u32);
		break;
	case OP_activemask:
	case OP_clock32:
	case OP_globaltimer_lo:
	case OP_globaltimer_hi:
	case OP_movmatrix:
		clear_row(f, o->d, TAINT_TYPE_u32, w->mask);
		break;
	case OP_elect:
		if (o->d != PTX_NO_OPERAND)
			clear_row(f, o->d, TAINT_TYPE_u32, w->mask);
		if (o->x[0] != PTX_NO_OPERAND)
			clear_predicate(f, o->x[0], w->mask);
		break;
	case OP_alloca:
	case OP_stacksave:
	case OP_clock64:
	case OP_globaltimer:
		clear_row(f, o->d, TAINT_TYPE_u64, w->mask);
		break;
	case OP_mbarrier:
		if (o->flags == MBARRIER_TEST || o->flags == MBARRIER_TEST_PARITY)
			clear_predicate(f, o->x[1], w->mask);
		else if (o->x[1] != PTX_NO_OPERAND)
			clear_row(f, o->x[1], TAINT_TYPE_u64, w->mask);
		break;
	case OP_unstage:
		for (uint32_t i = 0; i < o->flags >> STAGE_COUNT_SHIFT; i++)
			clear_row(f, rows[i], o->flags >> i & 1 ? TAINT_TYPE_u64 : TAINT_TYPE_u32,
				  w->mask);
		break;
	default:
		break;
	}
}

static bool is_wide_atom(const struct op *o)
{
	uint32_t type = o->x[0] >> 8 & 255;

	return type == ATOM_U64 || type == ATOM_S64 || type == ATOM_F64;
}

/* A guard is not shown by itself: it stands right before what it guards. */
static void check_guard(struct warp *w, const struct op *o)
{
	const struct op *first = w->frame->program->ops;

	for (const struct op *p = o;
	     p > first && (p[-1].id == OP_guard || p[-1].id == OP_guard_not || p[-1].id == OP_mode);
	     p--)
		if (p[-1].id != OP_mode)
			use_row(w, o, p[-1].a, TAINT_TYPE_p, w->mask, TAINT_USE_BRANCH);
}

static void step(struct observer *x, struct warp *w, const struct op *o)
{
	const struct taint_rule *r = taint_rule(o->id);
	const struct frame *f = w->frame;
	uint8_t wide;

	(void)x;
	if (!f->taint)
		return;
	check_guard(w, o);
	if (r->class == TAINT_LOAD || r->class == TAINT_STORE)
		step_memory(w, o, r);
	else if (r->class == TAINT_NOTHING)
		step_by_hand(w, o);
	else
		pass_on(w, o, r);
	if (o->id == OP_add_cc_u32 || o->id == OP_addc_cc_u32 || o->id == OP_sub_cc_u32 ||
	    o->id == OP_subc_cc_u32 || o->id == OP_add_cc_u64 || o->id == OP_addc_cc_u64 ||
	    o->id == OP_sub_cc_u64 || o->id == OP_subc_cc_u64)
		clear_predicate(f, 0, w->mask);
	if (o->id != OP_atom)
		return;
	wide = is_wide_atom(o) ? TAINT_TYPE_u64 : TAINT_TYPE_u32;
	use_row(w, o, o->b, wide, w->mask, TAINT_USE_ATOMIC);
	if ((o->x[0] & 255) == ATOM_CAS)
		use_row(w, o, o->c, wide, w->mask, TAINT_USE_ATOMIC);
	if (o->x[1])
		clear_row(f, o->d, wide, w->mask);
}

static uint64_t lane_address(const struct warp *w, const struct op *o, uint32_t l)
{
	if (o->flags & OP_ADDRESS_32)
		return (uint32_t)(ROW(w, const uint32_t, o->a)[l] + (uint32_t)o->imm);
	return ROW(w, const uint64_t, o->a)[l] + (uint64_t)o->imm;
}

static uint16_t add_origin(struct warp *w, const struct op *o, uint32_t lane, uint64_t address,
			   enum ptx_space space, uint32_t size, bool computed)
{
	struct taint *t = w->worker->taint;
	struct origin *to = &t->origins[t->next];
	const uint32_t *block = w->worker->launch->spec->block;
	uint32_t thread = w->index * LANES + lane;

	*to = (struct origin){
		.op = o,
		.function = w->frame->program->function,
		.address = address,
		.space = space,
		.size = size,
		.computed = computed,
		.thread = { thread % block[0], thread / block[0] % block[1],
			    thread / block[0] / block[1] },
	};
	memcpy(to->block, w->block->id, sizeof(to->block));
	t->next = (t->next + 1) % ORIGINS;
	return (uint16_t)(to - t->origins);
}

/* Taint of a value whose shadow byte starts at `at`: the bits of its unknown bytes. */
static uint64_t unknown_bits(const uint8_t *words, uint64_t offset, uint32_t size)
{
	uint64_t t = 0;

	for (uint32_t i = 0; i < size; i++)
		if (!(words[(offset + i) / SHADOW_WORD] >> ((offset + i) % SHADOW_WORD) & 1))
			t |= 0xffull << 8 * i;
	return t;
}

bool taint_loaded(struct warp *w, const struct op *o)
{
	const struct taint_rule *r = taint_rule(o->id);
	bool watched = w->worker->taint && w->worker->taint->observed && w->frame->taint;
	enum ptx_space space = (enum ptx_space)r->space;
	int origin = -1;

	if (!watched) {
		bool already = w->worker->steps_wanted; /* observer_run() asks once */

		if (!start(w->worker) || !make_area(w->worker, w->frame))
			return true;
		if (!already) {
			w->next = o;
			w->event = WARP_RESUME;
			return false;
		}
	}
	FOR_ACTIVE (l, w->mask) {
		uint64_t address = lane_address(w, o, l);
		const uint8_t *words = state_space_shadow(w, l, address, space);

		if (!words)
			continue;
		for (uint32_t i = 0; i < r->count; i++) {
			uint64_t offset = (address & 3) + (uint64_t)i * r->size;
			uint64_t t = unknown_bits(words, offset, r->size);

			if (!t)
				continue;
			if (origin < 0)
				origin = add_origin(w, o, l, address, space,
						    (uint32_t)r->size * r->count,
						    words[offset / SHADOW_WORD] >> 4);
			*origin_of(w->frame, element_row(o, o->d, i)) = (uint16_t)origin;
			put(w->frame, element_row(o, o->d, i), row_type(r), l, t);
		}
	}
	return true;
}

/* A buffer gets its first byte that was worked out from unknown ones: should the host copy it, the
 * cause is told. */
static void keep_cause(struct warp *w, const struct op *o, uint32_t lane, uint64_t address,
		       uint16_t origin)
{
	struct shadow *s = state_space_buffer_shadow(w, address);
	struct gpu_fault *f, *none = NULL;

	if (!s || atomic_load(&s->cause))
		return;
	f = calloc(1, sizeof(*f));
	if (!f)
		return;
	describe(w, o, lane, &w->worker->taint->origins[(origin & ~COMPUTED) % ORIGINS],
		 TAINT_USE_HOST, f);
	if (!atomic_compare_exchange_strong(&s->cause, &none, f))
		free(f);
}

/* Shadow bits of one stored byte. A byte with a known bit counts as known: a bit-field may have
 * been set in it. */
static void set_byte(uint8_t *words, uint64_t offset, bool known, bool computed)
{
	uint8_t bit = (uint8_t)(1u << offset % SHADOW_WORD), *at = &words[offset / SHADOW_WORD];

	__atomic_fetch_and(at, (uint8_t)~(known ? bit << 4 : bit | bit << 4), __ATOMIC_RELAXED);
	if (known || computed)
		__atomic_fetch_or(at, (uint8_t)(known ? bit : bit << 4), __ATOMIC_RELAXED);
}

void taint_stored(struct warp *w, const struct op *o)
{
	const struct taint_rule *r = taint_rule(o->id);
	const struct frame *f = w->frame;

	for (uint32_t i = 0; i < r->count; i++) {
		uint32_t row = element_row(o, o->b, i);
		bool computed = *origin_of(f, row) & COMPUTED;

		if (r->space == PTX_SPACE_LOCAL && row_is_tainted(f, row, row_type(r), w->mask))
			w->worker->taint->in_local = *origin_of(f, row);
		FOR_ACTIVE (l, w->mask) {
			uint64_t t = get(f, row, row_type(r), l), address = lane_address(w, o, l);
			uint8_t *words =
				state_space_shadow(w, l, address, (enum ptx_space)r->space);

			if (!words)
				continue;
			if (!t) {
				shadow_mark(words, (address & 3) + (uint64_t)i * r->size, r->size);
				continue;
			}
			if (computed && r->space == PTX_SPACE_GLOBAL)
				keep_cause(w, o, l, address, *origin_of(f, row));
			for (uint32_t b = 0; b < r->size; b++)
				set_byte(words, (address & 3) + (uint64_t)i * r->size + b,
					 (t >> 8 * b & 255) != 255, computed);
		}
	}
}

static void report_direct(struct warp *w, const struct op *o, uint32_t lane, uint64_t address,
			  uint32_t size, enum ptx_space space, bool computed, enum taint_use use)
{
	struct origin from = {
		.address = address, .space = space, .size = size, .computed = computed
	};

	report(w, o, lane, &from, use);
}

void taint_atomic(struct warp *w, const struct op *o, uint32_t lanes, const uint64_t *address,
		  uint32_t size, enum ptx_space space)
{
	bool told = (o->x[0] & 255) == ATOM_EXCH;

	FOR_ACTIVE (l, lanes) {
		uint8_t *words = state_space_shadow(w, l, address[l], space);

		if (!words)
			continue;
		if (!told && !shadow_is_known(words, address[l] & 3, size)) {
			report_direct(w, o, l, address[l], size, space, words[0] >> 4,
				      TAINT_USE_ATOMIC);
			told = true;
		}
		shadow_mark(words, address[l] & 3, size);
	}
}

void taint_printed(struct warp *w, const struct op *o, uint32_t lane, uint64_t address,
		   uint32_t size)
{
	const uint8_t *words = state_space_shadow(w, lane, address, PTX_SPACE_GENERIC);
	const struct taint *t = w->worker->taint;

	/* The compiler puts the arguments there itself: a value that was not loaded is one that was
	 * never set. */
	if (words && t && w->frame->taint && !shadow_is_known(words, address & 3, size))
		report(w, o, lane, &t->origins[(t->in_local & ~COMPUTED) % ORIGINS],
		       TAINT_USE_PRINT);
}

void taint_copy_params(struct machine_worker *k, uint32_t lane, const struct frame *from,
		       uint32_t from_offset, struct frame *to, uint32_t to_offset, uint32_t size)
{
	static const uint8_t clean[64];

	if (!from->taint && !to->taint)
		return;
	if (!to->taint && !make_area(k, to))
		return;
	to_offset += lane * to->program->param_area;
	from_offset += lane * from->program->param_area;
	for (uint32_t at = 0; at < size; at += sizeof(clean)) {
		uint32_t n = size - at < sizeof(clean) ? size - at : (uint32_t)sizeof(clean);

		memcpy(to->taint + to->program->frame_bytes + to_offset + at,
		       from->taint ? from->taint + from->program->frame_bytes + from_offset + at
				   : clean,
		       n);
	}
}
