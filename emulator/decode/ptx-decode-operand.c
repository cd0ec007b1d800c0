/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoders of all families are made of this: drafts of operations, and their operands. Each
 * constant has one row, however often it is used. Plain copies (mov, cvta of global memory) to a
 * register written once disappear: readers are bound to the original, when that is a constant or is
 * written once and outside of loops, so that it stays what it was when it was copied.
 */
#include "emulator/decode/ptx-decode.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"

struct draft *decode_emit(struct decoder *d, enum ptx_op id)
{
	struct draft *to;

	if (!ARRAY_ROOM(d->drafts, d->draft_count, &d->draft_cap)) {
		d->out_of_memory = true;
		return &d->nowhere;
	}
	to = &d->drafts[d->draft_count++];
	memset(to, 0, sizeof(*to));
	to->id = (uint16_t)id;
	to->source = d->current;
	return to;
}

struct draft *decode_emit_op(struct decoder *d, enum ptx_op id, struct ref dest, struct ref a,
			     struct ref b, struct ref c)
{
	struct draft *to = decode_emit(d, id);

	to->slot[SLOT_D] = dest;
	to->slot[SLOT_A] = a;
	to->slot[SLOT_B] = b;
	to->slot[SLOT_C] = c;
	to->defines = dest.kind == REF_REGISTER ? 1 << SLOT_D : 0;
	return to;
}

int ptx_insert(struct decoder *d, const uint8_t *before, enum ptx_op id)
{
	uint32_t from = d->draft_count, to = from, last = d->body->instruction_count + 1;

	for (uint32_t i = 0; i < from; i++)
		to += before[i];
	for (uint32_t i = from; i < to && !d->out_of_memory; i++)
		d->out_of_memory = !ARRAY_ROOM(d->drafts, i, &d->draft_cap);
	if (d->out_of_memory)
		return -1;
	d->draft_count = to;
	while (from-- > 0) {
		d->drafts[--to] = d->drafts[from];
		if (before[from])
			d->drafts[--to] = (struct draft){ .id = (uint16_t)id,
							  .source = d->drafts[from].source };
		while (last > 0 && d->first_draft[last - 1] == from)
			d->first_draft[--last] = to;
	}
	return 0;
}

int decode_unknown(struct decoder *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!d->problem[0])
		vsnprintf(d->problem, sizeof(d->problem), fmt, ap);
	va_end(ap);
	return -1;
}

struct ref decode_temporary(struct decoder *d, enum ptx_register_class class)
{
	if (!ARRAY_ROOM(d->registers, d->register_count, &d->register_cap)) {
		d->out_of_memory = true;
		return REF_NOTHING;
	}
	d->registers[d->register_count] = (struct ptx_register){
		.class = (uint8_t)class,
		.bits = class == PTX_CLASS_64   ? 64
			: class == PTX_CLASS_32 ? 32
						: 1,
	};
	return (struct ref){ d->register_count++, REF_REGISTER };
}

static bool same_constant(const struct ptx_constant *a, const struct ptx_constant *b)
{
	return a->kind == b->kind && a->value == b->value && a->wide == b->wide &&
	       a->load == b->load;
}

static int grow_constant_hash(struct decoder *d)
{
	uint32_t cap = d->constant_hash_cap ? d->constant_hash_cap * 2 : 128;
	uint32_t *table = calloc(cap, sizeof(*table));

	if (!table)
		return -1;
	for (uint32_t i = 0; i < d->constant_count; i++) {
		uint32_t k = (uint32_t)(d->constants[i].value * 0x9e3779b97f4a7c15ull >> 40) % cap;

		while (table[k])
			k = (k + 1) % cap;
		table[k] = i + 1;
	}
	free(d->constant_hash);
	d->constant_hash = table;
	d->constant_hash_cap = cap;
	return 0;
}

struct ref decode_constant(struct decoder *d, struct ptx_constant c)
{
	uint32_t k;

	if (d->constant_count * 2 >= d->constant_hash_cap && grow_constant_hash(d)) {
		d->out_of_memory = true;
		return REF_NOTHING;
	}
	k = (uint32_t)(c.value * 0x9e3779b97f4a7c15ull >> 40) % d->constant_hash_cap;
	for (; d->constant_hash[k]; k = (k + 1) % d->constant_hash_cap)
		if (same_constant(&d->constants[d->constant_hash[k] - 1], &c))
			return (struct ref){ d->constant_hash[k] - 1, REF_CONSTANT };
	if (!ARRAY_ROOM(d->constants, d->constant_count, &d->constant_cap)) {
		d->out_of_memory = true;
		return REF_NOTHING;
	}
	d->constants[d->constant_count++] = c;
	d->constant_hash[k] = d->constant_count;
	return (struct ref){ d->constant_count - 1, REF_CONSTANT };
}

struct ref decode_value(struct decoder *d, uint64_t value, bool wide)
{
	return decode_constant(d, (struct ptx_constant){ .kind = PTX_CONSTANT_VALUE,
							 .wide = wide,
							 .value = wide ? value : (uint32_t)value });
}

static const struct {
	const char *name;
	uint16_t special; /* enum ptx_special, or an operation + SPECIAL_OP */
} specials[] = {
#define SPECIAL_OP 0x1000
	{ "%tid.x", PTX_SPECIAL_TID_X },
	{ "%tid.y", PTX_SPECIAL_TID_Y },
	{ "%tid.z", PTX_SPECIAL_TID_Z },
	{ "%ntid.x", PTX_SPECIAL_NTID_X },
	{ "%ntid.y", PTX_SPECIAL_NTID_Y },
	{ "%ntid.z", PTX_SPECIAL_NTID_Z },
	{ "%ctaid.x", PTX_SPECIAL_CTAID_X },
	{ "%ctaid.y", PTX_SPECIAL_CTAID_Y },
	{ "%ctaid.z", PTX_SPECIAL_CTAID_Z },
	{ "%nctaid.x", PTX_SPECIAL_NCTAID_X },
	{ "%nctaid.y", PTX_SPECIAL_NCTAID_Y },
	{ "%nctaid.z", PTX_SPECIAL_NCTAID_Z },
	{ "%laneid", PTX_SPECIAL_LANEID },
	{ "%warpid", PTX_SPECIAL_WARPID },
	{ "%nwarpid", PTX_SPECIAL_NWARPID },
	{ "%lanemask_eq", PTX_SPECIAL_LANEMASK_EQ },
	{ "%lanemask_le", PTX_SPECIAL_LANEMASK_LE },
	{ "%lanemask_lt", PTX_SPECIAL_LANEMASK_LT },
	{ "%lanemask_ge", PTX_SPECIAL_LANEMASK_GE },
	{ "%lanemask_gt", PTX_SPECIAL_LANEMASK_GT },
	{ "%smid", PTX_SPECIAL_SMID },
	{ "%nsmid", PTX_SPECIAL_NSMID },
	{ "%gridid", PTX_SPECIAL_GRIDID },
	{ "%envreg1", PTX_SPECIAL_ENVREG1 },
	{ "%envreg2", PTX_SPECIAL_ENVREG2 },
	{ "%dynamic_smem_size", PTX_SPECIAL_DYNAMIC_SMEM_SIZE },
	{ "%total_smem_size", PTX_SPECIAL_TOTAL_SMEM_SIZE },
	{ "%clusterid.x", PTX_SPECIAL_CTAID_X },
	{ "%clusterid.y", PTX_SPECIAL_CTAID_Y },
	{ "%clusterid.z", PTX_SPECIAL_CTAID_Z },
	{ "%nclusterid.x", PTX_SPECIAL_NCTAID_X },
	{ "%nclusterid.y", PTX_SPECIAL_NCTAID_Y },
	{ "%nclusterid.z", PTX_SPECIAL_NCTAID_Z },
	{ "%cluster_ctaid.x", PTX_SPECIAL_ZERO },
	{ "%cluster_ctaid.y", PTX_SPECIAL_ZERO },
	{ "%cluster_ctaid.z", PTX_SPECIAL_ZERO },
	{ "%cluster_ctarank", PTX_SPECIAL_ZERO },
	{ "%cluster_nctaid.x", PTX_SPECIAL_ONE },
	{ "%cluster_nctaid.y", PTX_SPECIAL_ONE },
	{ "%cluster_nctaid.z", PTX_SPECIAL_ONE },
	{ "%cluster_nctarank", PTX_SPECIAL_ONE },
	{ "%clock", SPECIAL_OP + OP_clock32 },
	{ "%clock64", SPECIAL_OP + OP_clock64 },
	{ "%globaltimer", SPECIAL_OP + OP_globaltimer },
	{ "%globaltimer_lo", SPECIAL_OP + OP_globaltimer_lo },
	{ "%globaltimer_hi", SPECIAL_OP + OP_globaltimer_hi },
};

static struct ref special_source(struct decoder *d, const struct ptx_operand *o, bool wide)
{
	for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++) {
		uint16_t s = specials[i].special;
		bool clock_wide = s == SPECIAL_OP + OP_clock64 || s == SPECIAL_OP + OP_globaltimer;
		struct ref t;

		if (strcmp(specials[i].name, o->name))
			continue;
		if (s < SPECIAL_OP)
			return decode_constant(
				d, (struct ptx_constant){ .kind = PTX_CONSTANT_SPECIAL,
							  .wide = wide,
							  .value = s,
							  .per_block = (s >= PTX_SPECIAL_CTAID_X &&
									s <= PTX_SPECIAL_CTAID_Z) ||
								       s == PTX_SPECIAL_SMID });
		if (clock_wide != wide)
			break;
		t = decode_temporary(d, wide ? PTX_CLASS_64 : PTX_CLASS_32);
		decode_emit_op(d, (enum ptx_op)(s - SPECIAL_OP), t, REF_NOTHING, REF_NOTHING,
			       REF_NOTHING);
		return t;
	}
	decode_unknown(d, "special register %s is not emulated", o->name);
	return REF_NOTHING;
}

/* The address of a name as its state space has it: global and const generic, shared and local as
 * offsets. */
static struct ref symbol_source(struct decoder *d, const struct ptx_operand *o, bool wide)
{
	const struct ptx_variable *v;
	const struct ptx_function *f;

	if (o->kind == PTX_OPERAND_VARIABLE) {
		const struct ptx_body_variable *b = &d->body->variables[o->index];

		switch (b->space) {
		case PTX_SPACE_LOCAL:
			return decode_constant(
				d, (struct ptx_constant){ .kind = PTX_CONSTANT_LOCAL,
							  .wide = wide,
							  .value = b->offset + o->value });
		case PTX_SPACE_SHARED:
			return decode_value(d, b->offset + o->value, wide);
		default:
			return decode_value(
				d,
				MACHINE_PARAM_WINDOW +
					(d->function->is_kernel && o->index < d->body->formal_count
						 ? 0
						 : 0x1000000) +
					b->offset + o->value,
				wide);
		}
	}
	if (!strcmp(o->name, "WARP_SZ"))
		return decode_value(d, LANES, wide);
	v = ptx_module_variable(d->module, o->name);
	if (v && v->space == PTX_SPACE_SHARED && v->is_extern)
		return decode_constant(d,
				       (struct ptx_constant){ .kind = PTX_CONSTANT_DYNAMIC_SHARED,
							      .wide = wide,
							      .value = o->value });
	if (v && (v->address || v->space == PTX_SPACE_SHARED))
		return decode_value(d, v->address + o->value, wide);
	f = ptx_module_function(d->module, o->name);
	if (f && f->code_address)
		return decode_value(d, f->code_address, wide);
	decode_unknown(d, v ? "variable `%s` has no address yet" : "`%s` is not defined", o->name);
	return REF_NOTHING;
}

bool decode_is_wide(const struct decoder *d, struct ref r)
{
	if (r.kind == REF_REGISTER)
		return d->registers[r.index].class == PTX_CLASS_64;
	return r.kind == REF_CONSTANT && d->constants[r.index].wide;
}

static uint64_t float_bits(const struct ptx_operand *o, enum lane_type type)
{
	double v;
	float f;
	uint32_t bits;
	uint64_t wide;

	if (type == TYPE_f64 && o->single) {
		bits = (uint32_t)o->value;
		memcpy(&f, &bits, 4);
		v = f;
		memcpy(&wide, &v, 8);
		return wide;
	}
	if ((type == TYPE_f32 || (type != TYPE_f64 && type_size(type) == 4)) && !o->single) {
		memcpy(&v, &o->value, 8);
		f = (float)v;
		memcpy(&bits, &f, 4);
		return bits;
	}
	return o->value;
}

static struct ref predicate_source(struct decoder *d, const struct ptx_operand *o)
{
	struct ref r = REF_NOTHING, t;

	if (o->kind == PTX_OPERAND_INTEGER)
		/* setp and its kind take no constants, but 0 and 1 stand where a predicate may be
		 * fixed. */
		return decode_constant(d, (struct ptx_constant){ .kind = PTX_CONSTANT_VALUE,
								 .value = o->value ? ~0u : 0 });
	if (o->kind != PTX_OPERAND_REGISTER ||
	    d->registers[o->index].class != PTX_CLASS_PREDICATE) {
		decode_unknown(d, "a predicate register expected");
		return r;
	}
	r = (struct ref){ o->index, REF_REGISTER };
	if (!o->negated)
		return r;
	t = decode_temporary(d, PTX_CLASS_PREDICATE);
	decode_emit_op(d, OP_not_pred, t, r, r, REF_NOTHING);
	return t;
}

struct ref decode_source(struct decoder *d, const struct ptx_operand *o, enum lane_type type)
{
	bool wide = type_size(type) == 8;

	if (type == TYPE_p)
		return predicate_source(d, o);
	switch (o->kind) {
	case PTX_OPERAND_REGISTER:
		if (d->registers[o->index].class == PTX_CLASS_PREDICATE ||
		    (d->registers[o->index].class == PTX_CLASS_64) != wide) {
			decode_unknown(d, "an operand register has the wrong size");
			return REF_NOTHING;
		}
		if (d->aliases[o->index].kind)
			return d->aliases[o->index];
		return (struct ref){ o->index, REF_REGISTER };
	case PTX_OPERAND_INTEGER:
		return decode_value(d, o->value, wide);
	case PTX_OPERAND_FLOAT:
		return decode_value(d, float_bits(o, type), wide);
	case PTX_OPERAND_SPECIAL:
		return special_source(d, o, wide);
	case PTX_OPERAND_SYMBOL:
	case PTX_OPERAND_VARIABLE:
		return symbol_source(d, o, wide);
	default:
		decode_unknown(d, "an operand of a kind that does not fit here");
		return REF_NOTHING;
	}
}

struct ref decode_narrow_source(struct decoder *d, const struct ptx_operand *o, enum lane_type type)
{
	struct ref wide, low;

	if (o->kind != PTX_OPERAND_REGISTER || type_size(type) == 8 ||
	    d->registers[o->index].class != PTX_CLASS_64)
		return decode_source(d, o, type);
	wide = decode_source(d, o, TYPE_u64);
	low = decode_temporary(d, PTX_CLASS_32);
	decode_emit_op(d, OP_low_b32, low, wide, REF_NOTHING, REF_NOTHING);
	return low;
}

struct ref decode_dest(struct decoder *d, const struct ptx_operand *o, enum lane_type type)
{
	enum ptx_register_class class = type == TYPE_p         ? PTX_CLASS_PREDICATE
					: type_size(type) == 8 ? PTX_CLASS_64
							       : PTX_CLASS_32;

	if (o->kind == PTX_OPERAND_SINK)
		return decode_temporary(d, class);
	if (o->kind != PTX_OPERAND_REGISTER || d->registers[o->index].class != class) {
		decode_unknown(d, "the destination register has the wrong size");
		return REF_NOTHING;
	}
	return (struct ref){ o->index, REF_REGISTER };
}
