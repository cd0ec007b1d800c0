/* SPDX-License-Identifier: Apache-2.0 */
/* Branches, calls, barriers and operations between lanes (PTX ISA 9.7.12, 9.7.13). */
#include "emulator/decode/ptx-decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/ptx/ptx-syscall.h"

#define NO_ROW ((struct ref){ PTX_NO_OPERAND, REF_RAW })

static int by_name(const void *key, const void *label)
{
	return strcmp(key, ((const struct ptx_label *)label)->name);
}

static bool encloses(const struct ptx_body *b, uint32_t outer, uint32_t inner, uint32_t *distance)
{
	for (*distance = 0;; ++*distance) {
		if (inner == outer)
			return true;
		if (inner == PTX_NONE)
			return false;
		inner = b->scope_parent[inner];
	}
}

/* Labels of inline assembly repeat in different blocks: the nearest enclosing one counts. */
static bool decode_label(struct decoder *d, const char *name, uint32_t scope, uint32_t *ret)
{
	const struct ptx_body *b = d->body;
	const struct ptx_label *l =
		b->label_count ? bsearch(name, b->labels, b->label_count, sizeof(*l), by_name)
			       : NULL;
	uint32_t best = UINT32_MAX, distance;

	if (!l)
		return false;
	while (l > b->labels && !strcmp(l[-1].name, name))
		l--;
	for (; l < b->labels + b->label_count && !strcmp(l->name, name); l++)
		if (encloses(b, l->scope, scope, &distance) && distance < best) {
			best = distance;
			*ret = l->position;
		}
	return best != UINT32_MAX;
}

static void count_span(int32_t *spans, uint32_t from, uint32_t to)
{
	if (from > to)
		return;
	spans[from]++;
	spans[to + 1]--;
}

int decode_find_loops(struct decoder *d)
{
	const struct ptx_body *b = d->body;
	int32_t *spans = calloc(b->instruction_count + 1, sizeof(*spans)), depth = 0;
	uint32_t target;

	if (!spans)
		return -1;
	for (uint32_t i = 0; i < b->instruction_count; i++) {
		const struct ptx_instruction *in = &b->instructions[i];

		if (in->form_len < 3 || memcmp(in->text, "br", 2))
			continue;
		if (in->operand_count == 1 && in->operands[0].kind == PTX_OPERAND_SYMBOL &&
		    decode_label(d, in->operands[0].name, in->scope, &target))
			count_span(spans, target, i);
		for (uint32_t n = 0; in->text[2] == 'x' && n < b->target_list_count; n++)
			for (uint32_t k = 0; k < b->target_lists[n].count; k++)
				if (decode_label(d, b->target_lists[n].labels[k], in->scope,
						 &target))
					count_span(spans, target, i);
	}
	for (uint32_t i = 0; i < b->instruction_count; i++) {
		depth += spans[i];
		d->repeats[i] = depth > 0;
	}
	free(spans);
	return 0;
}

int decode_bra(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	uint32_t target;
	struct draft *to;

	(void)f;
	if (in->operand_count != 1 || in->operands[0].kind != PTX_OPERAND_SYMBOL ||
	    !decode_label(d, in->operands[0].name, in->scope, &target))
		return decode_unknown(d, "the label is not defined");
	to = decode_emit(d, in->guard == PTX_NONE ? OP_bra
			    : in->guard_negated   ? OP_bra_unless
						  : OP_bra_if);
	to->jumps = true;
	to->imm = target;
	if (in->guard == PTX_NONE)
		to->ends = true;
	else
		to->slot[SLOT_A] = (struct ref){ in->guard, REF_REGISTER };
	return 0;
}

int decode_brx(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	const struct ptx_target_list *list = NULL;
	uint32_t *targets;
	struct draft *to;
	struct ref index;

	(void)f;
	if (in->operand_count != 2 || in->operands[1].kind != PTX_OPERAND_SYMBOL)
		return decode_unknown(d, "too few operands");
	for (uint32_t i = 0; i < d->body->target_list_count; i++)
		if (!strcmp(d->body->target_lists[i].name, in->operands[1].name))
			list = &d->body->target_lists[i];
	if (!list)
		return decode_unknown(d, "the list of branch targets is not defined");
	targets = mem_pool_array(&d->module->pool, list->count, sizeof(*targets));
	if (!targets) {
		d->out_of_memory = true;
		return -1;
	}
	for (uint32_t i = 0; i < list->count; i++)
		if (!decode_label(d, list->labels[i], in->scope, &targets[i]))
			return decode_unknown(d, "label %s is not defined", list->labels[i]);
	index = decode_source(d, &in->operands[0], TYPE_u32);
	to = decode_emit_op(d, OP_brx, REF_NOTHING, index, REF_NOTHING, REF_NOTHING);
	to->slot[SLOT_X0] = (struct ref){ list->count, REF_RAW };
	to->targets = targets;
	to->target_count = list->count;
	to->ends = true;
	return 0;
}

int decode_ret(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	(void)in;
	(void)f;
	decode_emit(d, OP_ret)->ends = true;
	return 0;
}

int decode_plain(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	bool leaves = !strcmp(f->opcode, "exit");

	(void)in;
	decode_emit(d, leaves ? OP_exit : OP_trap)->ends = true;
	return 0;
}

int decode_nop(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	(void)in;
	(void)f;
	decode_emit(d, OP_nop);
	return 0;
}

int decode_fence(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	(void)in;
	decode_emit(d, OP_fence)->imm = form_has(f, "cta") ? FENCE_CTA : FENCE_DEVICE;
	return 0;
}

int decode_nanosleep(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	(void)in;
	(void)f;
	decode_emit(d, OP_nanosleep);
	return 0;
}

/* alloca.u64 address, size{, align}; stacksave.u64 d; stackrestore.u64 a */
int decode_alloca(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	bool saves = !strcmp(f->opcode, "stacksave"), restores = !strcmp(f->opcode, "stackrestore");
	uint64_t align = in->operand_count > 2 ? in->operands[2].value : 8;
	struct ref dest = REF_NOTHING, source = REF_NOTHING;

	if (!form_has(f, "u64") || in->operand_count < (saves || restores ? 1 : 2) || !align ||
	    align & (align - 1))
		return decode_unknown(d, "local memory is allocated with 64-bit addresses only");
	if (!restores)
		dest = decode_dest(d, &in->operands[0], TYPE_u64);
	if (!saves)
		source = decode_source(d, &in->operands[restores ? 0 : 1], TYPE_u64);
	if (d->problem[0])
		return -1;
	d->calls = true;
	decode_emit_op(d,
		       saves      ? OP_stacksave
		       : restores ? OP_stackrestore
				  : OP_alloca,
		       dest, source, REF_NOTHING, REF_NOTHING)
		->imm = (int64_t)align;
	return 0;
}

static int list_arguments(struct decoder *d, const struct ptx_operand *list, uint32_t *count,
			  const struct ptx_call_argument **ret)
{
	struct ptx_call_argument *a =
		mem_pool_array(&d->module->pool, list->count + 1u, sizeof(*a));

	if (!a) {
		d->out_of_memory = true;
		return -1;
	}
	for (unsigned i = 0; i < list->count; i++) {
		const struct ptx_operand *o = &list->elements[i];

		if (o->kind != PTX_OPERAND_VARIABLE ||
		    d->body->variables[o->index].space != PTX_SPACE_PARAM)
			return decode_unknown(d, "arguments of calls must be .param variables");
		a[i].offset = d->body->variables[o->index].offset;
		a[i].size = d->body->variables[o->index].size;
	}
	*count = list->count;
	*ret = a;
	return 0;
}

/* call (results), target, (arguments), prototype: all but the target optional */
int decode_call(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	struct ptx_call *call = mem_pool_alloc(&d->module->pool, sizeof(*call));
	const struct ptx_operand *o = in->operands, *end = in->operands + in->operand_count;
	struct draft *to;
	struct ref target = REF_NOTHING;
	enum ptx_op id = OP_call;

	(void)f;
	if (!call) {
		d->out_of_memory = true;
		return -1;
	}
	if (o < end && o->kind == PTX_OPERAND_LIST &&
	    list_arguments(d, o++, &call->return_count, &call->returns))
		return -1;
	if (o == end)
		return decode_unknown(d, "a call without a target");
	if (o->kind == PTX_OPERAND_REGISTER) {
		target = decode_source(d, o, TYPE_u64);
		id = OP_call_indirect;
	} else if (o->kind == PTX_OPERAND_SYMBOL) {
		call->name = o->name;
		call->callee = ptx_module_function(d->module, o->name);
		if (!call->callee || !call->callee->has_body) {
			if (!ptx_syscall_known(o->name))
				return decode_unknown(
					d, "function `%s` is not defined in any loaded module",
					o->name);
			id = OP_call_system;
		}
	} else {
		return decode_unknown(d, "a call target of this kind is not emulated");
	}
	o++;
	if (o < end && o->kind == PTX_OPERAND_LIST &&
	    list_arguments(d, o, &call->argument_count, &call->arguments))
		return -1;
	if (d->problem[0])
		return -1;
	d->area = true;
	d->calls |= id != OP_call_system;
	to = decode_emit_op(d, id, REF_NOTHING, target, REF_NOTHING, REF_NOTHING);
	to->imm = (int64_t)(uintptr_t)call;
	return 0;
}

static int decode_bar_warp(struct decoder *d, const struct ptx_instruction *in)
{
	struct ref mask;

	if (in->operand_count != 1)
		return decode_unknown(d, "too few operands");
	mask = decode_source(d, &in->operands[0], TYPE_u32);
	decode_emit(d, OP_bar_warp)->slot[SLOT_X1] = mask;
	return 0;
}

/* A cluster is one block: whoever waits does so until all threads of the block wait, which they do
 * after they arrived. */
static int decode_cluster_barrier(struct decoder *d, const struct form *f)
{
	struct ref number;

	if (!form_has(f, "wait")) {
		decode_emit(d, OP_nop);
		return 0;
	}
	number = decode_value(d, MACHINE_CLUSTER_BARRIER, false);
	decode_emit_op(d, OP_barrier, REF_NOTHING, number, REF_NOTHING, REF_NOTHING)->flags =
		BARRIER_SYNC | BARRIER_CLUSTER;
	return 0;
}

/* bar.sync a{, b}; bar.arrive a, b; bar.red.op d, a{, b}, p; barrier is the same without the
 * aligned promise */
int decode_bar(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	bool reduces = form_has(f, "red"), counts = form_has(f, "popc");
	unsigned first = reduces ? 1 : 0, last = in->operand_count - (reduces ? 1u : 0u);
	struct ref id, count = REF_NOTHING, vote = REF_NOTHING, dest = REF_NOTHING;
	uint16_t flags = BARRIER_SYNC;
	struct draft *to;

	if (form_has(f, "warp"))
		return decode_bar_warp(d, in);
	if (form_has(f, "cluster"))
		return decode_cluster_barrier(d, f);
	if (in->operand_count < first + 1u)
		return decode_unknown(d, "a barrier of this kind is not emulated");
	if (form_has(f, "arrive"))
		flags = BARRIER_ARRIVE;
	if (reduces) {
		const struct ptx_operand *p = &in->operands[last];
		struct ptx_operand plain = *p;

		flags = counts ? BARRIER_POPC : form_has(f, "and") ? BARRIER_AND : BARRIER_OR;
		plain.negated = false;
		vote = decode_source(d, &plain, TYPE_p);
		flags |= p->negated ? BARRIER_NEGATED : 0;
		dest = decode_dest(d, &in->operands[0], counts ? TYPE_u32 : TYPE_p);
	}
	id = decode_source(d, &in->operands[first], TYPE_u32);
	if (last > first + 1) {
		count = decode_source(d, &in->operands[first + 1], TYPE_u32);
		flags |= BARRIER_COUNT;
	}
	if (d->problem[0])
		return -1;
	to = decode_emit_op(d, OP_barrier, dest, id, count, vote);
	to->flags = flags;
	return 0;
}

/* The operand that names lanes; forms without .sync take the running fragment. */
static int take_members(struct decoder *d, const struct ptx_instruction *in, const struct form *f,
			unsigned index, struct ref *ret, uint16_t *flags)
{
	*ret = NO_ROW;
	if (!form_has(f, "sync")) {
		*flags |= WARP_NO_MASK;
		return 0;
	}
	if (in->operand_count <= index)
		return decode_unknown(d, "too few operands");
	*ret = decode_source(d, &in->operands[index], TYPE_u32);
	return d->problem[0] ? -1 : 0;
}

static int take_pair(struct decoder *d, const struct ptx_operand *o, struct ref *row,
		     struct ref *predicate)
{
	*predicate = NO_ROW;
	if (o->kind == PTX_OPERAND_PAIR) {
		*predicate = o->elements[1].kind == PTX_OPERAND_SINK
				     ? NO_ROW
				     : decode_dest(d, &o->elements[1], TYPE_p);
		o = &o->elements[0];
	}
	*row = decode_dest(d, o, TYPE_u32);
	return d->problem[0] ? -1 : 0;
}

int decode_shfl(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	uint16_t flags = form_has(f, "up")     ? SHFL_UP
			 : form_has(f, "down") ? SHFL_DOWN
			 : form_has(f, "bfly") ? SHFL_BFLY
					       : SHFL_IDX;
	struct ref a, b, c, members, dest, predicate;
	struct draft *to;

	if (in->operand_count < 4)
		return decode_unknown(d, "too few operands");
	a = decode_source(d, &in->operands[1], TYPE_u32);
	b = decode_source(d, &in->operands[2], TYPE_u32);
	c = decode_source(d, &in->operands[3], TYPE_u32);
	if (take_members(d, in, f, 4, &members, &flags) ||
	    take_pair(d, &in->operands[0], &dest, &predicate))
		return -1;
	to = decode_emit_op(d, OP_shfl, dest, a, b, c);
	to->slot[SLOT_X0] = predicate;
	to->slot[SLOT_X1] = members;
	if (predicate.kind == REF_REGISTER)
		to->defines |= 1 << SLOT_X0;
	to->flags = flags;
	return 0;
}

int decode_vote(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	bool ballot = form_has(f, "ballot");
	uint16_t flags = ballot               ? VOTE_BALLOT
			 : form_has(f, "any") ? VOTE_ANY
			 : form_has(f, "uni") ? VOTE_UNI
					      : VOTE_ALL;
	struct ptx_operand plain;
	struct ref p, members, dest;
	struct draft *to;

	if (in->operand_count < 2)
		return decode_unknown(d, "too few operands");
	plain = in->operands[1];
	if (plain.negated)
		flags |= WARP_NEGATED;
	plain.negated = false;
	p = decode_source(d, &plain, TYPE_p);
	if (take_members(d, in, f, 2, &members, &flags))
		return -1;
	dest = decode_dest(d, &in->operands[0], ballot ? TYPE_u32 : TYPE_p);
	to = decode_emit_op(d, OP_vote, dest, p, REF_NOTHING, REF_NOTHING);
	to->slot[SLOT_X1] = members;
	to->flags = flags;
	return 0;
}

int decode_match(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	bool wide = form_has(f, "b64");
	uint16_t flags = (form_has(f, "all") ? MATCH_ALL : MATCH_ANY) | (wide ? WARP_WIDE : 0);
	struct ref a, members, dest, predicate;
	struct draft *to;

	if (in->operand_count < 3)
		return decode_unknown(d, "too few operands");
	a = decode_source(d, &in->operands[1], wide ? TYPE_u64 : TYPE_u32);
	if (take_members(d, in, f, 2, &members, &flags) ||
	    take_pair(d, &in->operands[0], &dest, &predicate))
		return -1;
	to = decode_emit_op(d, OP_match, dest, a, REF_NOTHING, REF_NOTHING);
	to->slot[SLOT_X0] = predicate;
	to->slot[SLOT_X1] = members;
	if (predicate.kind == REF_REGISTER)
		to->defines |= 1 << SLOT_X0;
	to->flags = flags;
	return 0;
}

int decode_redux(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	bool is_signed = form_has(f, "s32");
	uint16_t flags = form_has(f, "add")   ? REDUX_ADD
			 : form_has(f, "min") ? (is_signed ? REDUX_MIN_S32 : REDUX_MIN_U32)
			 : form_has(f, "max") ? (is_signed ? REDUX_MAX_S32 : REDUX_MAX_U32)
			 : form_has(f, "and") ? REDUX_AND
			 : form_has(f, "or")  ? REDUX_OR
					      : REDUX_XOR;
	struct ref a, members, dest;
	struct draft *to;

	if (in->operand_count < 3 || form_has(f, "f32"))
		return decode_unknown(d, "redux of this kind is not emulated");
	a = decode_source(d, &in->operands[1], TYPE_u32);
	if (take_members(d, in, f, 2, &members, &flags))
		return -1;
	dest = decode_dest(d, &in->operands[0], TYPE_u32);
	to = decode_emit_op(d, OP_redux, dest, a, REF_NOTHING, REF_NOTHING);
	to->slot[SLOT_X1] = members;
	to->flags = flags;
	return 0;
}

int decode_activemask(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	(void)f;
	if (in->operand_count != 1)
		return decode_unknown(d, "too few operands");
	decode_emit_op(d, OP_activemask, decode_dest(d, &in->operands[0], TYPE_u32), REF_NOTHING,
		       REF_NOTHING, REF_NOTHING);
	return 0;
}

int decode_elect(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	struct ref dest, predicate, members;
	uint16_t flags = 0;
	struct draft *to;

	if (in->operand_count != 2 || take_pair(d, &in->operands[0], &dest, &predicate) ||
	    take_members(d, in, f, 1, &members, &flags))
		return decode_unknown(d, "too few operands");
	to = decode_emit_op(d, OP_elect, dest, REF_NOTHING, REF_NOTHING, REF_NOTHING);
	to->slot[SLOT_X0] = predicate;
	to->slot[SLOT_X1] = members;
	if (predicate.kind == REF_REGISTER)
		to->defines |= 1 << SLOT_X0;
	to->flags = flags;
	return 0;
}
