/* SPDX-License-Identifier: Apache-2.0 */
/* mov, cvt, cvta, isspacep: data between registers, sizes and address kinds (PTX ISA 9.7.9). */
#include "emulator/decode/ptx-decode.h"

#include <stdio.h>
#include <string.h>

/* The register has one value as long as the function runs. */
static bool is_fixed(const struct decoder *d, struct ref r)
{
	return r.kind == REF_CONSTANT ||
	       (r.kind == REF_REGISTER && r.index < d->body->register_count &&
		d->definitions[r.index] == 1 && !d->repeats[d->defined_at[r.index]]);
}

/* A plain copy. Readers that come later in the text are bound to the source when that cannot
 * change. */
void decode_copy(struct decoder *d, const struct ptx_operand *to, struct ref dest, struct ref from)
{
	bool wide = decode_is_wide(d, from);
	const struct ptx_instruction *in = &d->body->instructions[d->current];

	decode_emit_op(d, wide ? OP_mov_b64 : OP_mov_b32, dest, from, REF_NOTHING, REF_NOTHING);
	if (in->guard != PTX_NONE || to->kind != PTX_OPERAND_REGISTER ||
	    d->definitions[to->index] != 1)
		return;
	if (is_fixed(d, from))
		d->aliases[to->index] = from;
}

static int pack(struct decoder *d, const struct ptx_operand *to, const struct ptx_operand *v,
		enum lane_type type)
{
	struct ref part[4], dest = decode_dest(d, to, type);
	enum lane_type half = type_size(type) == 8   ? TYPE_u32
			      : type_size(type) == 4 ? TYPE_u16
						     : TYPE_u8;

	if (v->count == 4 && type_size(type) >= 4) {
		struct ref low = decode_temporary(d, PTX_CLASS_32),
			   high = decode_temporary(d, PTX_CLASS_32);
		bool bytes = type_size(type) == 4;

		for (int i = 0; i < 4; i++)
			part[i] = decode_source(d, &v->elements[i], bytes ? TYPE_u8 : TYPE_u16);
		decode_emit_op(d, bytes ? OP_pack_b16_b8 : OP_pack_b32_b16, low, part[0], part[1],
			       REF_NOTHING);
		decode_emit_op(d, bytes ? OP_pack_b16_b8 : OP_pack_b32_b16, high, part[2], part[3],
			       REF_NOTHING);
		decode_emit_op(d, bytes ? OP_pack_b32_b16 : OP_pack_b64_b32, dest, low, high,
			       REF_NOTHING);
		return 0;
	}
	if (v->count != 2)
		return decode_unknown(d, "a vector of this size cannot be packed");
	part[0] = decode_source(d, &v->elements[0], half);
	part[1] = decode_source(d, &v->elements[1], half);
	decode_emit_op(d,
		       half == TYPE_u32   ? OP_pack_b64_b32
		       : half == TYPE_u16 ? OP_pack_b32_b16
					  : OP_pack_b16_b8,
		       dest, part[0], part[1], REF_NOTHING);
	return 0;
}

static void split(struct decoder *d, const struct ptx_operand *v, struct ref from, bool wide)
{
	for (int i = 0; i < 2; i++) {
		struct ref dest;

		if (v->elements[i].kind == PTX_OPERAND_SINK)
			continue;
		dest = decode_dest(d, &v->elements[i], wide ? TYPE_u32 : TYPE_u16);
		decode_emit_op(
			d, wide ? (i ? OP_high_b32 : OP_low_b32) : (i ? OP_high_b16 : OP_low_b16),
			dest, from, REF_NOTHING, REF_NOTHING);
	}
}

static int unpack(struct decoder *d, const struct ptx_operand *v, const struct ptx_operand *from,
		  enum lane_type type)
{
	struct ref source = decode_source(d, from, type), safe;
	unsigned size = type_size(type);

	if (v->count == 4 && size == 4) {
		for (unsigned i = 0; i < 4; i++)
			decode_emit_op(d, OP_byte_b32, decode_dest(d, &v->elements[i], TYPE_u16),
				       source, decode_value(d, 8 * i, false), REF_NOTHING);
		return 0;
	}
	if (v->count == 4 && size == 8) {
		for (int i = 0; i < 2; i++) {
			struct ref half = decode_temporary(d, PTX_CLASS_32);
			struct ptx_operand pair = { .kind = PTX_OPERAND_VECTOR,
						    .count = 2,
						    .elements = &v->elements[2 * i] };

			decode_emit_op(d, i ? OP_high_b32 : OP_low_b32, half, source, REF_NOTHING,
				       REF_NOTHING);
			split(d, &pair, half, false);
		}
		return 0;
	}
	if (v->count != 2 || size < 4)
		return decode_unknown(d, "a vector of this size cannot be unpacked");
	/* The first part may be the source register itself. */
	safe = source;
	if (size == 4) {
		safe = decode_temporary(d, PTX_CLASS_32);
		decode_emit_op(d, OP_mov_b32, safe, source, REF_NOTHING, REF_NOTHING);
	}
	split(d, v, safe, size == 8);
	return 0;
}

int decode_mov(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	enum lane_type type = form_last_type(f);
	const struct ptx_operand *to = &in->operands[0], *from = &in->operands[1];
	struct ref dest, source;

	if (in->operand_count != 2 || type == TYPE__)
		return decode_unknown(d, "mov of this type is not emulated");
	if (from->kind == PTX_OPERAND_VECTOR)
		return pack(d, to, from, type);
	if (to->kind == PTX_OPERAND_VECTOR)
		return unpack(d, to, from, type);
	source = decode_source(d, from, type);
	dest = decode_dest(d, to, type);
	if (d->problem[0])
		return -1;
	if (type == TYPE_p)
		decode_emit_op(d, OP_mov_pred, dest, source, source, REF_NOTHING);
	else
		decode_copy(d, to, dest, source);
	return 0;
}

static bool is_float(enum lane_type t)
{
	return t == TYPE_f16 || t == TYPE_bf16 || t == TYPE_f32 || t == TYPE_f64;
}

static bool is_signed(enum lane_type t)
{
	return t == TYPE_s8 || t == TYPE_s16 || t == TYPE_s32 || t == TYPE_s64;
}

static const char *const type_names[] = {
	[TYPE__] = "_",     [TYPE_p] = "pred",  [TYPE_u8] = "u8",   [TYPE_s8] = "s8",
	[TYPE_u16] = "u16", [TYPE_s16] = "s16", [TYPE_u32] = "u32", [TYPE_s32] = "s32",
	[TYPE_u64] = "u64", [TYPE_s64] = "s64", [TYPE_f16] = "f16", [TYPE_bf16] = "bf16",
	[TYPE_f32] = "f32", [TYPE_f64] = "f64",
};

/* dest = (to)from for a form that is in the table. */
static int convert(struct decoder *d, const char *to, const char *from, const char *suffix,
		   struct ref dest, struct ref a)
{
	char text[64];
	enum ptx_op id;

	snprintf(text, sizeof(text), "cvt.%s.%s%s", to, from, suffix);
	id = op_find(text);
	if (id == OP_COUNT)
		return decode_unknown(d, "no conversion from %s to %s%s in this emulator", from, to,
				      suffix);
	decode_emit_op(d, id, dest, a, REF_NOTHING, REF_NOTHING);
	return 0;
}

static struct ref temporary_of(struct decoder *d, enum lane_type type)
{
	return decode_temporary(d, type_size(type) == 8 ? PTX_CLASS_64 : PTX_CLASS_32);
}

static int integer_to_integer(struct decoder *d, const struct form *f, enum lane_type to,
			      enum lane_type from, struct ref dest, struct ref a)
{
	char text[64];

	if (!form_has(f, "sat"))
		return convert(d, type_names[to], type_names[from], "", dest, a);
	if (type_size(from) < 8) {
		struct ref wide = decode_temporary(d, PTX_CLASS_64);

		if (convert(d, is_signed(from) ? "s64" : "u64", type_names[from], "", wide, a))
			return -1;
		a = wide;
	}
	snprintf(text, sizeof(text), "(clamp).%s.%s", type_names[to],
		 is_signed(from) ? "s64" : "u64");
	decode_emit_op(d, op_find(text), dest, a, REF_NOTHING, REF_NOTHING);
	return 0;
}

static const char *whole_rounding(const struct form *f)
{
	static const char *const words[] = { "rni", "rzi", "rmi", "rpi" };

	for (int i = 0; i < 4; i++)
		if (form_has(f, words[i]))
			return words[i];
	return NULL;
}

static struct ref round_to_whole(struct decoder *d, enum lane_type type, const char *how,
				 struct ref a)
{
	struct ref t = temporary_of(d, type);
	char text[32];

	snprintf(text, sizeof(text), "(round).%s.%s", type_names[type], how);
	decode_emit_op(d, op_find(text), t, a, REF_NOTHING, REF_NOTHING);
	return t;
}

static struct ref flushed(struct decoder *d, const struct form *f, enum lane_type type,
			  struct ref a)
{
	struct ref t;

	if (!form_has(f, "ftz") || type != TYPE_f32)
		return a;
	t = decode_temporary(d, PTX_CLASS_32);
	decode_emit_op(d, OP_flush_f32, t, a, REF_NOTHING, REF_NOTHING);
	return t;
}

static int float_to_integer(struct decoder *d, const struct form *f, enum lane_type to,
			    enum lane_type from, struct ref dest, struct ref a)
{
	const char *how = whole_rounding(f);

	if (from == TYPE_f16 || from == TYPE_bf16) {
		struct ref t = decode_temporary(d, PTX_CLASS_32);

		if (convert(d, "f32", type_names[from], "", t, a))
			return -1;
		a = t;
		from = TYPE_f32;
	}
	a = flushed(d, f, from, a);
	if (how && strcmp(how, "rzi"))
		a = round_to_whole(d, from, how, a);
	return convert(d, type_names[to], type_names[from], "", dest, a);
}

static const char *direction(const struct form *f)
{
	return form_has(f, "rz")   ? ".rz"
	       : form_has(f, "rm") ? ".rm"
	       : form_has(f, "rp") ? ".rp"
				   : "";
}

/*
 * Every 32-bit integer, half and binary32 number is exact in binary64. Larger integers are rounded
 * to odd there, so the second rounding is the only one that counts. A NaN keeps its bits only where
 * it is binary64 already.
 */
static int to_half(struct decoder *d, const struct form *f, enum lane_type to, enum lane_type from,
		   struct ref dest, struct ref a)
{
	struct ref t = a, result;

	if (from == TYPE_f32 && !*direction(f))
		return convert(d, type_names[to], "f32", "", dest, a);
	if (from == TYPE_bf16) {
		t = decode_temporary(d, PTX_CLASS_32);
		if (convert(d, "f32", "bf16", "", t, a))
			return -1;
		a = t;
		from = TYPE_f32;
	}
	if (from == TYPE_s64 || from == TYPE_u64) {
		t = decode_temporary(d, PTX_CLASS_64);
		decode_emit_op(d, from == TYPE_s64 ? OP_odd_f64_s64 : OP_odd_f64_u64, t, a,
			       REF_NOTHING, REF_NOTHING);
	} else if (from != TYPE_f64) {
		t = decode_temporary(d, PTX_CLASS_64);
		if (convert(d, "f64", type_names[from], "", t, a))
			return -1;
	}
	if (!is_float(from) || from == TYPE_f64)
		return convert(d, type_names[to], "f64", direction(f), dest, t);
	result = decode_temporary(d, PTX_CLASS_32);
	if (convert(d, type_names[to], "f64", direction(f), result, t))
		return -1;
	decode_emit_op(d, to == TYPE_f16 ? OP_canonical_f16 : OP_canonical_bf16, dest, result,
		       REF_NOTHING, REF_NOTHING);
	return 0;
}

static int float_to_float(struct decoder *d, const struct form *f, enum lane_type to,
			  enum lane_type from, struct ref dest, struct ref a)
{
	const char *how = whole_rounding(f);

	a = flushed(d, f, from, a);
	if (to == from && how && type_size(to) == 2) {
		struct ref t = decode_temporary(d, PTX_CLASS_32);

		if (convert(d, "f32", type_names[from], "", t, a))
			return -1;
		return convert(d, type_names[to], "f32", "", dest,
			       round_to_whole(d, TYPE_f32, how, t));
	}
	if (to == from) {
		if (how)
			a = round_to_whole(d, from, how, a);
		decode_emit_op(d, type_size(to) == 8 ? OP_mov_b64 : OP_mov_b32, dest, a,
			       REF_NOTHING, REF_NOTHING);
		return 0;
	}
	if (to == TYPE_f16 || to == TYPE_bf16)
		return to_half(d, f, to, from, dest, a);
	if (to == TYPE_f64 && from == TYPE_bf16) {
		struct ref t = decode_temporary(d, PTX_CLASS_32);

		if (convert(d, "f32", "bf16", "", t, a))
			return -1;
		return convert(d, "f64", "f32", "", dest, t);
	}
	if (from == TYPE_f64)
		decode_mode(d, f, true);
	return convert(d, type_names[to], type_names[from], "", dest, a);
}

static int emit_named(struct decoder *d, const char *form, struct ref dest, struct ref a,
		      struct ref b)
{
	enum ptx_op id = op_find(form);

	if (id == OP_COUNT)
		return decode_unknown(d, "no such conversion in this emulator");
	decode_emit_op(d, id, dest, a, b, REF_NOTHING);
	return 0;
}

/* Pairs of 8-bit floats. Only the saturating forms exist. */
static int convert_small(struct decoder *d, const struct ptx_instruction *in, const struct form *f,
			 const char *to, const char *from)
{
	struct ref a, b = REF_NOTHING, dest;
	char text[64];

	snprintf(text, sizeof(text), "cvt.%s.%s", to, from);
	a = decode_source(d, &in->operands[1], TYPE_u32);
	dest = decode_dest(d, &in->operands[0], TYPE_u32);
	if (d->problem[0])
		return -1;
	if (!strcmp(from, "f16x2")) {
		struct ref low = decode_temporary(d, PTX_CLASS_32),
			   high = decode_temporary(d, PTX_CLASS_32);

		decode_emit_op(d, OP_low_b16, low, a, REF_NOTHING, REF_NOTHING);
		decode_emit_op(d, OP_high_b16, high, a, REF_NOTHING, REF_NOTHING);
		b = decode_temporary(d, PTX_CLASS_32);
		a = decode_temporary(d, PTX_CLASS_32);
		decode_emit_op(d, OP_cvt_f32_f16, b, low, REF_NOTHING, REF_NOTHING);
		decode_emit_op(d, OP_cvt_f32_f16, a, high, REF_NOTHING, REF_NOTHING);
		snprintf(text, sizeof(text), "cvt.%s.f32", to);
	} else if (!strcmp(from, "f32")) {
		if (in->operand_count != 3)
			return decode_unknown(d, "too few operands");
		b = decode_source(d, &in->operands[2], TYPE_u32);
	}
	if (form_has(f, "relu") && strcmp(to, "f16x2")) {
		struct ref x = decode_temporary(d, PTX_CLASS_32),
			   y = decode_temporary(d, PTX_CLASS_32);

		decode_emit_op(d, OP_relu_f32, x, a, REF_NOTHING, REF_NOTHING);
		decode_emit_op(d, OP_relu_f32, y, b, REF_NOTHING, REF_NOTHING);
		a = x;
		b = y;
	}
	return emit_named(d, text, dest, a, b);
}

/* cvt.rn.f16x2.f32 d, a, b: a goes to the upper half */
static int convert_pair(struct decoder *d, const struct ptx_instruction *in, const struct form *f,
			const char *to)
{
	enum lane_type half = !strcmp(to, "f16x2") ? TYPE_f16 : TYPE_bf16;
	struct ref parts[2], dest, a;

	if (in->operand_count != 3 || form_has(f, "satfinite"))
		return decode_unknown(d, "a conversion to %s of this shape is not emulated", to);
	if (!*direction(f) && !form_has(f, "relu")) {
		a = decode_source(d, &in->operands[1], TYPE_f32);
		parts[0] = decode_source(d, &in->operands[2], TYPE_f32);
		dest = decode_dest(d, &in->operands[0], TYPE_u32);
		return emit_named(d, half == TYPE_f16 ? "cvt.f16x2.f32" : "cvt.bf16x2.f32", dest, a,
				  parts[0]);
	}
	for (int i = 0; i < 2; i++) {
		a = decode_source(d, &in->operands[2 - i], TYPE_f32);
		parts[i] = decode_temporary(d, PTX_CLASS_32);
		if (d->problem[0] || to_half(d, f, half, TYPE_f32, parts[i], a))
			return -1;
		if (form_has(f, "relu"))
			decode_emit_op(d, half == TYPE_f16 ? OP_relu_f16 : OP_relu_bf16, parts[i],
				       parts[i], REF_NOTHING, REF_NOTHING);
	}
	dest = decode_dest(d, &in->operands[0], TYPE_u32);
	decode_emit_op(d, OP_pack_b32_b16, dest, parts[0], parts[1], REF_NOTHING);
	return 0;
}

static int convert_tf32(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	struct ref a = decode_source(d, &in->operands[1], TYPE_f32),
		   dest = decode_dest(d, &in->operands[0], TYPE_u32);

	if (d->problem[0] || form_has(f, "satfinite"))
		return decode_unknown(d, "a conversion to tf32 of this shape is not emulated");
	emit_named(d,
		   form_has(f, "rna")  ? "cvt.tf32.f32.rna"
		   : form_has(f, "rz") ? "cvt.tf32.f32.rz"
				       : "cvt.tf32.f32.rn",
		   dest, a, REF_NOTHING);
	if (form_has(f, "relu"))
		decode_emit_op(d, OP_relu_f32, dest, dest, REF_NOTHING, REF_NOTHING);
	return 0;
}

/* Words that are no lane types of their own; 1 when it is none of these. */
static int convert_special(struct decoder *d, const struct ptx_instruction *in,
			   const struct form *f, const char *to, const char *from)
{
	if (!strncmp(to, "e4m3", 4) || !strncmp(to, "e5m2", 4) || !strncmp(from, "e4m3", 4) ||
	    !strncmp(from, "e5m2", 4))
		return convert_small(d, in, f, to, from);
	if (!strcmp(to, "tf32"))
		return convert_tf32(d, in, f);
	if (!strcmp(from, "f32") && (!strcmp(to, "f16x2") || !strcmp(to, "bf16x2")))
		return convert_pair(d, in, f, to);
	return 1;
}

static int clamp_result(struct decoder *d, const struct form *f, enum lane_type type,
			struct ref dest)
{
	char text[32];

	if (form_has(f, "relu") && is_float(type)) {
		snprintf(text, sizeof(text), "(relu).%s", type_names[type]);
		return emit_named(d, text, dest, dest, REF_NOTHING);
	}
	if (!form_has(f, "sat") || !is_float(type))
		return 0;
	snprintf(text, sizeof(text), "(saturate).%s", type_names[type]);
	return emit_named(d, text, dest, dest, REF_NOTHING);
}

int decode_cvt(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	const char *to_name, *from_name;
	enum lane_type to, from;
	struct ref a, dest, final;
	int rc;

	if (f->count < 2 || in->operand_count < 2)
		return decode_unknown(d, "too few operands");
	to_name = f->modifiers[f->count - 2];
	from_name = f->modifiers[f->count - 1];
	to = form_type(to_name);
	from = form_type(from_name);
	rc = convert_special(d, in, f, to_name, from_name);
	if (rc <= 0)
		return rc;
	if (form_has(f, "satfinite") || strstr(to_name, "x2") || strstr(from_name, "x2"))
		return decode_unknown(d, "no conversion from %s to %s in this emulator", from_name,
				      to_name);
	if (type_size(to) == 0 || type_size(from) == 0)
		return decode_unknown(d, "no conversion from %s to %s in this emulator", from_name,
				      to_name);
	a = decode_narrow_source(d, &in->operands[1], from);
	final = REF_NOTHING;
	if (in->operands[0].kind == PTX_OPERAND_REGISTER && type_size(to) < 8 &&
	    d->registers[in->operands[0].index].class == PTX_CLASS_64) {
		final = decode_dest(d, &in->operands[0], TYPE_u64);
		dest = decode_temporary(d, PTX_CLASS_32);
	} else {
		dest = decode_dest(d, &in->operands[0], to);
	}
	if (d->problem[0])
		return -1;
	if (is_float(to) && is_float(from)) {
		rc = float_to_float(d, f, to, from, dest, a);
	} else if (is_float(from)) {
		rc = float_to_integer(d, f, to, from, dest, a);
	} else if (to == TYPE_f16 || to == TYPE_bf16) {
		rc = to_half(d, f, to, from, dest, a);
	} else if (is_float(to)) {
		decode_mode(d, f, false);
		rc = convert(d, type_names[to], type_names[from], "", dest, a);
	} else {
		rc = integer_to_integer(d, f, to, from, dest, a);
	}
	if (rc || clamp_result(d, f, to, dest))
		return -1;
	if (final.kind != REF_NONE)
		return convert(d, is_signed(to) ? "s64" : "u64",
			       is_float(to) ? "u32" : type_names[to], "", final, dest);
	return 0;
}

static uint64_t window_of(const struct form *f)
{
	for (unsigned i = 0; i < f->count; i++) {
		if (!strncmp(f->modifiers[i], "shared", 6))
			return MACHINE_SHARED_WINDOW;
		if (!strcmp(f->modifiers[i], "local"))
			return MACHINE_LOCAL_WINDOW;
	}
	return 0;
}

/* Global, constant and parameter addresses are generic ones already. */
int decode_cvta(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	uint64_t window = window_of(f);
	struct ref a, dest;

	if (in->operand_count != 2 || !form_has(f, "u64"))
		return decode_unknown(d, "only 64-bit addresses are emulated");
	a = decode_source(d, &in->operands[1], TYPE_u64);
	dest = decode_dest(d, &in->operands[0], TYPE_u64);
	if (d->problem[0])
		return -1;
	if (!window)
		decode_copy(d, &in->operands[0], dest, a);
	else
		decode_emit_op(d, form_has(f, "to") ? OP_sub_u64 : OP_add_u64, dest, a,
			       decode_value(d, window, true), REF_NOTHING);
	return 0;
}

int decode_isspacep(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	uint64_t window = window_of(f);
	struct ref a, p;

	if (in->operand_count != 2)
		return decode_unknown(d, "too few operands");
	a = decode_source(d, &in->operands[1], TYPE_u64);
	p = decode_dest(d, &in->operands[0], TYPE_p);
	if (form_has(f, "param"))
		window = MACHINE_PARAM_WINDOW;
	/* Global is all but the windows; constant memory cannot be told from global here. */
	if (window)
		decode_emit_op(d, OP_isspacep, p, a, decode_value(d, window, true), REF_NOTHING);
	else if (form_has(f, "global"))
		decode_emit_op(d, OP_isspacep_not, p, a,
			       decode_value(d, MACHINE_SHARED_WINDOW, true), REF_NOTHING);
	else
		decode_emit_op(d, OP_isspacep, p, a, decode_value(d, MACHINE_CODE_WINDOW, true),
			       REF_NOTHING);
	return 0;
}
