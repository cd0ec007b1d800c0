/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads, stores, atomics (PTX ISA 9.7.9, 9.7.13). Cache hints and memory orders need nothing here:
 * handlers access memory in program order, which x86 keeps, and fences are operations of their own.
 * Parameters of a launch are constants; those of calls lie in the frame.
 */
#include "emulator/decode/ptx-decode.h"

#include <stdio.h>
#include <string.h>

enum ptx_space form_space(const struct form *f)
{
	for (unsigned i = 0; i < f->count; i++) {
		if (!strncmp(f->modifiers[i], "shared", 6))
			return PTX_SPACE_SHARED;
		if (!strcmp(f->modifiers[i], "global"))
			return PTX_SPACE_GLOBAL;
		if (!strcmp(f->modifiers[i], "const"))
			return PTX_SPACE_CONST;
		if (!strcmp(f->modifiers[i], "local"))
			return PTX_SPACE_LOCAL;
		if (!strncmp(f->modifiers[i], "param", 5))
			return PTX_SPACE_PARAM;
	}
	return PTX_SPACE_GENERIC;
}

int decode_address_in(struct decoder *d, const struct ptx_operand *o, enum ptx_space space,
		      struct address *a)
{
	memset(a, 0, sizeof(*a));
	a->space = space;
	if (o->kind != PTX_OPERAND_ADDRESS || !o->count)
		return decode_unknown(d, "an address expected");
	a->base = &o->elements[0];
	if (a->space == PTX_SPACE_GENERIC)
		a->flags |= OP_GENERIC;
	if (a->space == PTX_SPACE_CONST)
		a->flags |= OP_CONST;
	if (a->base->kind != PTX_OPERAND_REGISTER) {
		a->row = decode_source(d, a->base, TYPE_u64);
		return d->problem[0] ? -1 : 0;
	}
	a->offset = (int64_t)a->base->value;
	if (d->registers[a->base->index].class == PTX_CLASS_32) {
		a->row = decode_source(d, a->base, TYPE_u32);
		if (a->space == PTX_SPACE_SHARED || a->space == PTX_SPACE_LOCAL) {
			a->flags |= OP_ADDRESS_32;
		} else {
			struct ref wide = decode_temporary(d, PTX_CLASS_64);

			decode_emit_op(d, OP_cvt_u64_u32, wide, a->row, REF_NOTHING, REF_NOTHING);
			a->row = wide;
		}
	} else {
		a->row = decode_source(d, a->base, TYPE_u64);
	}
	return d->problem[0] ? -1 : 0;
}

static int decode_address(struct decoder *d, const struct ptx_operand *o, const struct form *f,
			  struct address *a)
{
	return decode_address_in(d, o, form_space(f), a);
}

/* The form says whether other threads touch the same memory. */
static uint16_t strength(const struct form *f)
{
	static const struct {
		const char *word;
		uint16_t flags;
	} words[] = {
		{ "volatile", OP_STRONG },
		{ "relaxed", OP_STRONG },
		{ "mmio", OP_STRONG },
		{ "acquire", OP_STRONG | OP_ACQUIRE },
		{ "release", OP_STRONG | OP_RELEASE },
		{ "acq_rel", OP_STRONG | OP_ACQUIRE | OP_RELEASE },
	};
	uint16_t flags = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (form_has(f, words[i].word))
			flags |= words[i].flags;
	return flags;
}

static unsigned vector_count(const struct form *f)
{
	return form_has(f, "v2") ? 2 : form_has(f, "v4") ? 4 : form_has(f, "v8") ? 8 : 1;
}

/* Name of a type in the memory operations: sign matters for short loads only. */
static const char *memory_name(enum lane_type t, bool store)
{
	switch (t) {
	case TYPE_u8:
		return "u8";
	case TYPE_s8:
		return store ? "u8" : "s8";
	case TYPE_u16:
	case TYPE_f16:
	case TYPE_bf16:
		return "u16";
	case TYPE_s16:
		return store ? "u16" : "s16";
	case TYPE_u32:
	case TYPE_s32:
	case TYPE_f32:
		return "b32";
	case TYPE_u64:
	case TYPE_s64:
	case TYPE_f64:
		return "b64";
	default:
		return NULL;
	}
}

static enum ptx_op memory_op(const char *ld_or_st, const struct address *a, const char *type,
			     unsigned count)
{
	const char *space = a->space == PTX_SPACE_SHARED  ? "shared"
			    : a->space == PTX_SPACE_LOCAL ? "local"
							  : "global";
	char text[48];

	snprintf(text, sizeof(text), "(%s).%s.%s%s", ld_or_st, space, type,
		 count == 2   ? "v2"
		 : count == 4 ? "v4"
			      : "");
	return op_find(text);
}

/*
 * The target of an element of a load is its register, or a temporary when the register is wider
 * than the type, with the conversion to append.
 */
struct target {
	struct ref row, final;
	enum ptx_op widen;
};

static struct target load_target(struct decoder *d, const struct ptx_operand *o,
				 enum lane_type type)
{
	struct target t = { .widen = OP_COUNT };

	if (o->kind == PTX_OPERAND_REGISTER && type_size(type) < 8 &&
	    d->registers[o->index].class == PTX_CLASS_64) {
		t.row = decode_temporary(d, PTX_CLASS_32);
		t.final = decode_dest(d, o, TYPE_u64);
		/* Short signed loads are sign-extended in their 32-bit row already. */
		t.widen = type == TYPE_s8 || type == TYPE_s16 || type == TYPE_s32 ? OP_cvt_s64_s32
										  : OP_cvt_u64_u32;
	} else {
		t.row = decode_dest(d, o, type);
	}
	return t;
}

static void finish_target(struct decoder *d, const struct target *t)
{
	if (t->widen != OP_COUNT)
		decode_emit_op(d, t->widen, t->final, t->row, REF_NOTHING, REF_NOTHING);
}

static enum ptx_load load_kind(enum lane_type t)
{
	switch (t) {
	case TYPE_u8:
		return PTX_LOAD_U8;
	case TYPE_s8:
		return PTX_LOAD_S8;
	case TYPE_u16:
	case TYPE_f16:
	case TYPE_bf16:
		return PTX_LOAD_U16;
	case TYPE_s16:
		return PTX_LOAD_S16;
	case TYPE_u64:
	case TYPE_s64:
	case TYPE_f64:
		return PTX_LOAD_64;
	default:
		return PTX_LOAD_32;
	}
}

static const struct ptx_operand *element(const struct ptx_operand *o, unsigned i)
{
	return o->kind == PTX_OPERAND_VECTOR ? &o->elements[i] : o;
}

/* A launch parameter at a known place: a constant row. */
static int load_launch_param(struct decoder *d, const struct ptx_operand *to, uint64_t offset,
			     enum lane_type type, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const struct ptx_operand *o = element(to, i);
		bool wide_register = o->kind == PTX_OPERAND_REGISTER &&
				     d->registers[o->index].class == PTX_CLASS_64;
		struct ref c;

		if (o->kind == PTX_OPERAND_SINK)
			continue;
		if (type_size(type) == 8 && !wide_register)
			return decode_unknown(d, "the destination register has the wrong size");
		c = decode_constant(d,
				    (struct ptx_constant){ .kind = PTX_CONSTANT_PARAM,
							   .wide = wide_register,
							   .load = (uint8_t)load_kind(type),
							   .value = offset + i * type_size(type) });
		decode_copy(d, o, decode_dest(d, o, wide_register ? TYPE_u64 : TYPE_u32), c);
	}
	return 0;
}

/* A parameter of the function itself or of a call it makes, at a known place of the frame. */
static int move_frame_param(struct decoder *d, const struct ptx_operand *o, uint64_t offset,
			    enum lane_type type, unsigned count, bool store)
{
	char text[32];
	enum ptx_op id;

	snprintf(text, sizeof(text), "(%s).param.%s", store ? "st" : "ld",
		 memory_name(type, store));
	id = op_find(text);
	d->area = true;
	for (unsigned i = 0; i < count; i++) {
		const struct ptx_operand *e = element(o, i);
		int64_t at = (int64_t)(offset + i * type_size(type));

		if (e->kind == PTX_OPERAND_SINK)
			continue;
		if (store) {
			struct ref v = decode_source(d, e, type);
			struct draft *to =
				decode_emit_op(d, id, REF_NOTHING, REF_NOTHING, v, REF_NOTHING);

			to->imm = at;
		} else {
			struct target t = load_target(d, e, type);

			decode_emit_op(d, id, t.row, REF_NOTHING, REF_NOTHING, REF_NOTHING)->imm =
				at;
			finish_target(d, &t);
		}
	}
	return d->problem[0] ? -1 : 0;
}

/* ld.param and st.param with a parameter's name; 1 when the address is something else. */
static int move_param(struct decoder *d, const struct ptx_operand *o,
		      const struct ptx_operand *address, enum lane_type type, unsigned count,
		      bool store)
{
	const struct ptx_operand *base = address->count ? &address->elements[0] : NULL;
	const struct ptx_body_variable *v;
	uint64_t offset;

	if (!base || base->kind != PTX_OPERAND_VARIABLE)
		return 1;
	v = &d->body->variables[base->index];
	if (v->space != PTX_SPACE_PARAM)
		return 1;
	offset = v->offset + base->value;
	if (base->value + (uint64_t)count * type_size(type) > v->size)
		return decode_unknown(d, "an access past the end of parameter `%s`", v->name);
	if (d->function->is_kernel && base->index < d->body->formal_count)
		return store ? decode_unknown(d, "a launch parameter cannot be written")
			     : load_launch_param(d, o, offset, type, count);
	return move_frame_param(d, o, offset, type, count, store);
}

static int check_memory(struct decoder *d, const struct ptx_instruction *in, enum lane_type type,
			unsigned count, const struct ptx_operand *value)
{
	if (in->operand_count < 2 || !memory_name(type, false) || count > 4)
		return decode_unknown(d, "memory access of this type is not emulated");
	if ((value->kind == PTX_OPERAND_VECTOR) != (count > 1) ||
	    (count > 1 && value->count != count))
		return decode_unknown(d, "the number of registers does not fit the vector");
	return 0;
}

int decode_ld(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	enum lane_type type = form_last_type(f);
	unsigned count = vector_count(f);
	struct target t[4];
	struct address a;
	struct draft *to;
	enum ptx_op id;
	int rc;

	if (check_memory(d, in, type, count, &in->operands[0]))
		return -1;
	if (form_space(f) == PTX_SPACE_PARAM) {
		rc = move_param(d, &in->operands[0], &in->operands[1], type, count, false);
		if (rc <= 0)
			return rc;
	}
	if (decode_address(d, &in->operands[1], f, &a))
		return -1;
	if (a.space == PTX_SPACE_PARAM)
		a.flags |= OP_GENERIC;
	id = memory_op("ld", &a, memory_name(type, false), count);
	if (id == OP_COUNT)
		return decode_unknown(d, "a load of this shape is not emulated");
	for (unsigned i = 0; i < count; i++)
		t[i] = load_target(d, element(&in->operands[0], i), type);
	if (d->problem[0])
		return -1;
	to = decode_emit_op(d, id, t[0].row, a.row, REF_NOTHING, REF_NOTHING);
	for (unsigned i = 1; i < count; i++) {
		to->slot[SLOT_X0 + i - 1] = t[i].row;
		to->defines |= (uint8_t)(1 << (SLOT_X0 + i - 1));
	}
	to->imm = a.offset;
	to->flags = a.flags | strength(f);
	for (unsigned i = 0; i < count; i++)
		finish_target(d, &t[i]);
	return 0;
}

int decode_st(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	enum lane_type type = form_last_type(f);
	unsigned count = vector_count(f);
	struct ref v[4];
	struct address a;
	struct draft *to;
	enum ptx_op id;
	int rc;

	if (in->operand_count < 2 || check_memory(d, in, type, count, &in->operands[1]))
		return decode_unknown(d, "too few operands");
	if (form_space(f) == PTX_SPACE_PARAM) {
		rc = move_param(d, &in->operands[1], &in->operands[0], type, count, true);
		if (rc <= 0)
			return rc;
	}
	if (decode_address(d, &in->operands[0], f, &a))
		return -1;
	if (a.space == PTX_SPACE_PARAM)
		a.flags |= OP_GENERIC;
	id = memory_op("st", &a, memory_name(type, true), count);
	if (id == OP_COUNT)
		return decode_unknown(d, "a store of this shape is not emulated");
	for (unsigned i = 0; i < count; i++)
		v[i] = decode_narrow_source(d, element(&in->operands[1], i), type);
	if (d->problem[0])
		return -1;
	to = decode_emit_op(d, id, REF_NOTHING, a.row, v[0], REF_NOTHING);
	for (unsigned i = 1; i < count; i++)
		to->slot[SLOT_X0 + i - 1] = v[i];
	to->imm = a.offset;
	to->flags = a.flags | strength(f);
	return 0;
}

static int atom_what(const struct form *f)
{
	static const char *const names[] = { "add", "min", "max", "inc",  "dec",
					     "and", "or",  "xor", "exch", "cas" };

	for (int i = 0; i < (int)(sizeof(names) / sizeof(names[0])); i++)
		if (form_has(f, names[i]))
			return i;
	return -1;
}

static int atom_type(const char *word)
{
	static const struct {
		const char *name;
		enum atom_type type;
	} types[] = {
		{ "u32", ATOM_U32 }, { "b32", ATOM_U32 },     { "s32", ATOM_S32 },
		{ "f32", ATOM_F32 }, { "f16x2", ATOM_F16X2 }, { "bf16x2", ATOM_BF16X2 },
		{ "u64", ATOM_U64 }, { "b64", ATOM_U64 },     { "s64", ATOM_S64 },
		{ "f64", ATOM_F64 }, { "f16", ATOM_F16 },     { "bf16", ATOM_BF16 },
		{ "b16", ATOM_F16 },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(types[i].name, word))
			return (int)types[i].type;
	return -1;
}

/* An atomic operation, the same for all elements of a vector. */
struct atomic {
	int what, type;
	enum lane_type lane;
	struct address a;
};

/* One element: `dest` may be NULL. */
static int atomic_element(struct decoder *d, const struct atomic *x, const struct ptx_operand *dest,
			  const struct ptx_operand *b, const struct ptx_operand *c, int64_t offset)
{
	struct ref rb = decode_source(d, b, x->lane),
		   rc = c ? decode_source(d, c, x->lane) : REF_NOTHING;
	struct ref result = dest ? decode_dest(d, dest, x->lane) : REF_NOTHING;
	struct draft *to;

	if (d->problem[0])
		return -1;
	to = decode_emit_op(d, OP_atom, result, x->a.row, rb, rc);
	to->slot[SLOT_X0] = (struct ref){
		(uint32_t)x->what | (uint32_t)x->type << 8 | (uint32_t)x->a.space << 16, REF_RAW
	};
	to->slot[SLOT_X1] = (struct ref){ dest != NULL, REF_RAW };
	to->imm = x->a.offset + offset;
	to->flags = x->a.flags;
	return 0;
}

/* The type is the last word that is one: some forms name the operation behind it. */
static int form_atom_type(const struct form *f)
{
	for (unsigned i = f->count; i-- > 0;)
		if (atom_type(f->modifiers[i]) >= 0)
			return atom_type(f->modifiers[i]);
	return -1;
}

static int atomic(struct decoder *d, const struct ptx_operand *dest, const struct ptx_operand *rest,
		  unsigned rest_count, const struct form *f)
{
	struct atomic x = { .what = atom_what(f), .type = form_atom_type(f) };
	unsigned count = vector_count(f), bytes;

	if (x.what < 0 || x.type < 0 || rest_count < (x.what == ATOM_CAS ? 3u : 2u) ||
	    form_has(f, "b128"))
		return decode_unknown(d, "an atomic operation of this kind is not emulated");
	x.lane = x.type >= ATOM_U64 && x.type <= ATOM_F64 ? TYPE_u64
		 : x.type == ATOM_F32                     ? TYPE_f32
							  : TYPE_u32;
	if (x.type == ATOM_F64)
		x.lane = TYPE_f64;
	if (decode_address(d, &rest[0], f, &x.a))
		return -1;
	x.a.flags |= strength(f);
	if (count == 1)
		return atomic_element(d, &x, dest, &rest[1], x.what == ATOM_CAS ? &rest[2] : NULL,
				      0);
	bytes = x.type == ATOM_F16 || x.type == ATOM_BF16 ? 2 : type_size(x.lane);
	if (rest[1].kind != PTX_OPERAND_VECTOR || rest[1].count != count || x.what == ATOM_CAS ||
	    (dest && (dest->kind != PTX_OPERAND_VECTOR || dest->count != count)))
		return decode_unknown(d, "the number of registers does not fit the vector");
	for (unsigned i = 0; i < count; i++)
		if (atomic_element(d, &x, dest ? &dest->elements[i] : NULL, &rest[1].elements[i],
				   NULL, i * bytes))
			return -1;
	return 0;
}

int decode_atom(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	if (in->operand_count < 2)
		return decode_unknown(d, "too few operands");
	return atomic(d, in->operands[0].kind == PTX_OPERAND_SINK ? NULL : &in->operands[0],
		      &in->operands[1], in->operand_count - 1u, f);
}

int decode_red(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	if (in->operand_count < 2)
		return decode_unknown(d, "too few operands");
	return atomic(d, NULL, &in->operands[0], in->operand_count, f);
}
