/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two looks at the text. The first goes over all instructions until nothing changes and finds for
 * each register which buffers it may point into: whatever is computed from an address may be one in
 * the same buffer. The second looks at the form of each address (race-form.h): threads keep apart
 * in a buffer when all addresses have the same factors, and these lie further apart than what one
 * thread touches.
 */
#include "emulator/check/race-plan.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/check/race-form.h"
#include "emulator/ptx/ptx-ops.h"
#include "emulator/warp/register-value.h"

/* A register may point to these beside buffers; their bits stand above those of buffers. */
#define WINDOW (1ull << 62) /* shared or local memory */
#define ANYWHERE (1ull << 63)
#define BUFFERS (WINDOW - 1)

#define ADDRESSES (UINT64_C(1) << 32) /* a constant from here on may be one */

/* A form that all accesses to a buffer have in common. */
struct pattern {
	bool some, mixed;
	struct race_form form; /* start: the least one */
	int64_t end;           /* of the bytes from the greatest start on */
};

struct planner {
	struct race_plan *plan;
	const struct machine_launch *launch;
	const struct ptx_body *body;
	struct race_forms forms;
	uint64_t *points; /* by register */
	bool changed;
	bool hopeless; /* no plan can be made */
	bool unknown_reads;
	struct pattern patterns[RACE_PLAN_BUFFERS];
};

/* ---- what registers point to ---- */

static uint64_t buffer_bit(struct planner *x, uint64_t address)
{
	struct race_plan *p = x->plan;
	const struct machine_memory *m = x->launch->memory;
	struct machine_buffer b = { 0 };

	for (uint32_t i = 0; i < p->count; i++)
		if (address - p->buffers[i].address < p->buffers[i].size)
			return 1ull << i;
	if (address < ADDRESSES || !m->find(m->data, address, &b))
		return 0;
	if (p->count == RACE_PLAN_BUFFERS) {
		x->hopeless = true;
		return 0;
	}
	p->buffers[p->count] = (struct race_plan_buffer){ b.address, b.size };
	return 1ull << p->count++;
}

static uint64_t points_of(struct planner *x, const struct ptx_operand *o)
{
	const struct ptx_variable *v;
	uint64_t points = 0;

	switch (o->kind) {
	case PTX_OPERAND_REGISTER:
		return x->points[o->index];
	case PTX_OPERAND_INTEGER:
		return buffer_bit(x, o->value);
	case PTX_OPERAND_VARIABLE:
		return WINDOW;
	case PTX_OPERAND_SYMBOL:
		v = ptx_module_variable(x->launch->kernel->module, o->name);
		return !v || v->space == PTX_SPACE_SHARED ? WINDOW : buffer_bit(x, v->address);
	case PTX_OPERAND_VECTOR:
	case PTX_OPERAND_LIST:
	case PTX_OPERAND_PAIR:
	case PTX_OPERAND_ADDRESS:
		for (uint32_t i = 0; i < o->count; i++)
			points |= points_of(x, &o->elements[i]);
		return points;
	default:
		return 0;
	}
}

static void add_points(struct planner *x, const struct ptx_operand *o, uint64_t points)
{
	if (o->kind == PTX_OPERAND_VECTOR || o->kind == PTX_OPERAND_PAIR ||
	    o->kind == PTX_OPERAND_LIST)
		for (uint32_t i = 0; i < o->count; i++)
			add_points(x, &o->elements[i], points);
	if (o->kind != PTX_OPERAND_REGISTER)
		return;
	x->changed |= points & ~x->points[o->index];
	x->points[o->index] |= points;
}

/* Only 64 bits that are loaded in one piece count as an address; one that is put together of halves
 * may be found to stray. */
static uint64_t points_of_load(struct planner *x, const struct ptx_instruction *in)
{
	uint32_t count = in->operands[0].kind == PTX_OPERAND_VECTOR ? in->operands[0].count : 1;
	uint64_t points = 0, value;

	if (instruction_bits(in) < 64)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		if (!instruction_has(in, "param") ||
		    !race_forms_parameter(x->launch, in, i, &value))
			return ANYWHERE;
		points |= buffer_bit(x, value);
	}
	return points;
}

static void follow(struct planner *x, const struct ptx_instruction *in)
{
	uint64_t points = 0;

	if (!in->operand_count || in->operands[0].kind == PTX_OPERAND_ADDRESS)
		return;
	if (instruction_is(in, "ld") || instruction_is(in, "ldu")) {
		points = points_of_load(x, in);
	} else if (instruction_is(in, "atom")) {
		points = instruction_bits(in) == 64 ? ANYWHERE : 0;
	} else {
		for (uint32_t i = 1; i < in->operand_count; i++)
			points |= points_of(x, &in->operands[i]);
	}
	add_points(x, &in->operands[0], points);
}

static void follow_all(struct planner *x)
{
	do {
		x->changed = false;
		for (uint32_t i = 0; i < x->body->instruction_count && !x->hopeless; i++)
			follow(x, &x->body->instructions[i]);
	} while (x->changed && !x->hopeless);
}

/* ---- operations ---- */

static void add_to_pattern(struct pattern *p, const struct race_form *f, int64_t size)
{
	if (!p->some) {
		p->some = true;
		p->form = *f;
		p->end = f->start + size;
		return;
	}
	p->mixed |= memcmp(p->form.factor, f->factor, sizeof(f->factor));
	p->form.start = f->start < p->form.start ? f->start : p->form.start;
	p->end = f->start + size > p->end ? f->start + size : p->end;
}

static void add_to_patterns(struct planner *x, uint64_t points, const struct race_form *f,
			    int64_t size)
{
	for (uint32_t i = 0; i < x->plan->count; i++) {
		if (!(points >> i & 1))
			continue;
		if (f)
			add_to_pattern(&x->patterns[i], f, size);
		else
			x->patterns[i].mixed = true;
	}
}

static const struct ptx_operand *address_of(const struct ptx_instruction *in)
{
	for (uint32_t i = 0; i < in->operand_count; i++)
		if (in->operands[i].kind == PTX_OPERAND_ADDRESS)
			return &in->operands[i];
	return NULL;
}

/* A load, store or atomic; `shape` is that of a plain one. */
static void look_at(struct planner *x, const struct op *o, const struct access_shape *shape,
		    bool writes)
{
	const struct ptx_operand *address = address_of(&x->body->instructions[o->source]);
	uint64_t points = address ? points_of(x, address) : ANYWHERE;
	struct race_form f;

	x->plan->expected[o->cache] = (uint32_t)(points & BUFFERS);
	if (points & ANYWHERE || !points) {
		x->hopeless |= writes;
		x->unknown_reads = true;
		points &= ~ANYWHERE;
	}
	if (writes)
		x->plan->written |= (uint32_t)(points & BUFFERS);
	if (shape && address && race_forms_address(&x->forms, address, &f))
		add_to_patterns(x, points, &f, shape->size);
	else
		add_to_patterns(x, points, NULL, 0);
}

static bool is_global(const struct op *o)
{
	return access_table.shapes[o->id].count &&
	       access_table.shapes[o->id].space == PTX_SPACE_GLOBAL && !(o->flags & OP_CONST);
}

static void look_at_all(struct planner *x)
{
	const struct ptx_program *p = x->body->program;

	for (uint32_t i = 0; i < p->op_count && !x->hopeless; i++) {
		const struct op *o = &p->ops[i];

		switch (o->id) {
		case OP_call:
		case OP_call_indirect:
		case OP_cp_bulk:
			x->hopeless = true;
			break;
		case OP_atom:
			if (o->x[0] >> 16 != PTX_SPACE_SHARED)
				look_at(x, o, NULL, true);
			break;
		case OP_matrix_store:
			look_at(x, o, NULL, true);
			break;
		case OP_cp_async:
		case OP_matrix_load:
			x->unknown_reads = true;
			break;
		default:
			if (is_global(o))
				look_at(x, o, access_shape(o),
					access_table.shapes[o->id].kind != GPU_ACCESS_READ);
			break;
		}
	}
}

/* ---- the plan ---- */

/* No two threads of the launch touch the same byte of the buffer. */
static bool are_apart(const struct planner *x, const struct pattern *p)
{
	int64_t span = p->end - p->form.start;
	uint32_t left = 0;

	if (!p->some || p->mixed)
		return false;
	for (int i = 0; i < RACE_NUMBERS_OF_THREAD; i++)
		left |= (uint32_t)(race_form_count(x->launch, i) > 1) << i;
	while (left) {
		int least = __builtin_ctz(left);

		for (int i = 0; i < RACE_NUMBERS_OF_THREAD; i++)
			if (left >> i & 1 &&
			    llabs(p->form.factor[i]) < llabs(p->form.factor[least]))
				least = i;
		/* A sum that fits into the address at all does not overflow here. */
		if (llabs(p->form.factor[least]) < span)
			return false;
		span += llabs(p->form.factor[least]) * (race_form_count(x->launch, least) - 1);
		left &= ~(1u << least);
	}
	return true;
}

static void set_watches(struct planner *x)
{
	struct race_plan *plan = x->plan;
	const struct ptx_program *p = x->body->program;

	for (uint32_t i = 0; i < plan->count; i++)
		if (!x->unknown_reads && are_apart(x, &x->patterns[i]))
			plan->apart |= 1u << i;
	for (uint32_t i = 0; i < p->op_count; i++) {
		const struct op *o = &p->ops[i];
		uint32_t expected;

		if (!is_global(o) || !access_shape(o))
			continue;
		expected = plan->expected[o->cache];
		if (access_shape(o)->kind == GPU_ACCESS_READ) {
			if (!(expected & plan->written & ~plan->apart))
				atomic_store(&plan->watch[o->cache], RACE_FREE_READ);
		} else if (expected && !(expected & ~plan->apart)) {
			atomic_store(&plan->watch[o->cache], RACE_FREE_WRITE);
		}
	}
}

static void drop_watches(struct race_plan *p)
{
	free(p->watch);
	free(p->expected);
	p->watch = NULL;
	p->expected = NULL;
}

void race_plan_init(struct race_plan *p, const struct machine_launch *l)
{
	const struct ptx_body *b = l->kernel->body;
	struct planner x = { .plan = p, .launch = l, .body = b };
	uint32_t caches = b->program->cache_count + 1;

	memset(p, 0, sizeof(*p));
	p->caches = caches;
	p->program = b->program;
	p->ahead = race_ahead(b->program);
	if (!l->memory || !l->memory->find || race_forms_init(&x.forms, l))
		return;
	x.points = calloc(b->register_count + 1, sizeof(*x.points));
	p->watch = calloc(caches, sizeof(*p->watch));
	p->expected = calloc(caches, sizeof(*p->expected));
	if (x.points && p->watch && p->expected) {
		follow_all(&x);
		look_at_all(&x);
	}
	if (!x.points || !p->expected || x.hopeless)
		drop_watches(p);
	if (p->watch)
		set_watches(&x);
	free(x.points);
	race_forms_release(&x.forms);
}

void race_plan_release(struct race_plan *p)
{
	drop_watches(p);
	free(p->ahead);
}

/* ---- while the launch runs ---- */

static uint32_t find(const struct race_plan *p, uint64_t address)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (address - p->buffers[i].address < p->buffers[i].size)
			return 1u << i;
	return 0;
}

void race_plan_check(struct race_plan *p, const struct op *o, uint64_t address, bool writes)
{
	uint32_t b = find(p, address);

	if ((!writes || b & p->written) && !(b & p->apart & ~p->expected[o->cache]))
		return;
	atomic_store(&p->strayed, true);
	for (uint32_t i = 0; i < p->caches; i++)
		atomic_store(&p->watch[i], RACE_WATCH);
}

bool race_plan_allows(struct race_plan *p, const struct op *o, const struct memory_step *s)
{
	bool writes = s->kind != GPU_ACCESS_READ, allowed = true;

	FOR_ACTIVE (l, s->mask) {
		uint32_t b = find(p, s->address[l]);

		if (b & p->apart & p->expected[o->cache] || (!writes && !(b & p->written)))
			continue;
		race_plan_check(p, o, s->address[l], writes);
		allowed = false;
	}
	if (!allowed)
		atomic_store(&p->watch[o->cache], RACE_WATCH);
	return allowed;
}
