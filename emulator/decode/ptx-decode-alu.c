/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic, logic, comparison: the opcode with its modifiers is put in the order of
 * ptx-opcodes.def and looked up there. What is not part of the form is done around the operation:
 * rounding directions and flushing of subnormals by a mode operation before it, clamping and
 * flushing of results by one after it.
 */
#include "emulator/decode/ptx-decode.h"

#include <stdio.h>
#include <string.h>

#define MXCSR_DEFAULT 0x1f80
#define MXCSR_DOWN 0x2000
#define MXCSR_UP 0x4000
#define MXCSR_ZERO 0x6000
#define MXCSR_FLUSH 0x8040 /* results and operands */

/* The processor mode that the modifiers ask for. */
static int64_t mode_of(const struct form *f, bool flush)
{
	int64_t mode = MXCSR_DEFAULT;

	if (form_has(f, "rm"))
		mode |= MXCSR_DOWN;
	if (form_has(f, "rp"))
		mode |= MXCSR_UP;
	if (form_has(f, "rz"))
		mode |= MXCSR_ZERO;
	if (flush && form_has(f, "ftz"))
		mode |= MXCSR_FLUSH;
	return mode;
}

void decode_mode(struct decoder *d, const struct form *f, bool flush)
{
	int64_t mode = mode_of(f, flush);

	if (mode != MXCSR_DEFAULT)
		decode_emit(d, OP_mode)->imm = mode;
}

static bool one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

/* Types that an opcode does not tell apart. */
static const char *plain_type(const char *opcode, const char *word, unsigned index)
{
	static const char *const carry[] = { "add", "addc", "sub", "subc", NULL };

	if (!strcmp(opcode, "shr") && word[0] == 'b')
		return !strcmp(word, "b16") ? "u16" : !strcmp(word, "b32") ? "u32" : "u64";
	if (!strcmp(opcode, "slct") && index == 0)
		return type_size(form_type(word)) == 8   ? "b64"
		       : type_size(form_type(word)) == 4 ? "b32"
							 : word;
	if (one_of(opcode, carry) && !strcmp(word, "s32"))
		return "u32";
	if (one_of(opcode, carry) && !strcmp(word, "s64"))
		return "u64";
	return word;
}

/* "add.rn.ftz.f32" -> "add.f32" */
static void canonical_form(const struct form *f, char *ret, size_t size)
{
	static const char *const dropped[] = { "rn",      "rz",     "rm",      "rp",    "ftz",
					       "sat",     "approx", "full",    "noftz", "uni",
					       "aligned", "relu",   "xorsign", "abs",   NULL };
	bool keep_type = !strcmp(f->opcode, "add") || !strcmp(f->opcode, "sub");
	size_t n = (size_t)snprintf(ret, size, "%s", f->opcode);
	unsigned types = 0;

	for (unsigned i = 0; i < f->count && n < size; i++) {
		const char *word = f->modifiers[i];

		if (one_of(word, dropped))
			continue;
		if (form_type(word) != TYPE__ && !(keep_type && !form_has(f, "cc")))
			word = plain_type(f->opcode, word, types++);
		n += (size_t)snprintf(ret + n, size - n, ".%s", word);
	}
}

static bool flushes_by_step(const char *opcode)
{
	static const char *const moves[] = { "min", "max", "abs", "neg", "copysign", NULL };

	return one_of(opcode, moves);
}

static const char *step_type(enum lane_type type)
{
	return type == TYPE_f32    ? "f32"
	       : type == TYPE_f64  ? "f64"
	       : type == TYPE_f16  ? "f16"
	       : type == TYPE_bf16 ? "bf16"
	       : type == TYPE_s16  ? "s16"
				   : "s32";
}

static int emit_step(struct decoder *d, const char *what, enum lane_type type, struct ref to,
		     struct ref from)
{
	char text[32];
	enum ptx_op id;

	snprintf(text, sizeof(text), "(%s).%s", what, step_type(type));
	id = op_find(text);
	if (id == OP_COUNT)
		return decode_unknown(d, ".%s of this type is not emulated", what);
	decode_emit_op(d, id, to, from, REF_NOTHING, REF_NOTHING);
	return 0;
}

static bool is_half(enum lane_type type)
{
	return type == TYPE_f16 || type == TYPE_bf16;
}

/* Halves are worked on as binary32, where their subnormals are normal: .ftz flushes them
 * beforehand. */
static struct ref flushed_source(struct decoder *d, const struct form *f, enum lane_type type,
				 struct ref from)
{
	struct ref t;

	if (!form_has(f, "ftz") || !is_half(type))
		return from;
	t = decode_temporary(d, PTX_CLASS_32);
	emit_step(d, "flush", type, t, from);
	return t;
}

/* Steps behind an operation: flush, then clamp. */
static int finish_result(struct decoder *d, const struct form *f, enum lane_type type,
			 struct ref dest, bool clamp)
{
	if (form_has(f, "ftz") && (flushes_by_step(f->opcode) || is_half(type)) &&
	    emit_step(d, "flush", type, dest, dest))
		return -1;
	if (clamp && emit_step(d, "saturate", type, dest, dest))
		return -1;
	return form_has(f, "relu") ? emit_step(d, "relu", type, dest, dest) : 0;
}

static enum ptx_op find_operation(const struct form *f, bool *clamp)
{
	char text[160], with[176];
	enum ptx_op id;

	canonical_form(f, text, sizeof(text));
	*clamp = form_has(f, "sat");
	if (*clamp) {
		snprintf(with, sizeof(with), "%s.sat", text);
		id = op_find(with);
		if (id != OP_COUNT) {
			*clamp = false;
			return id;
		}
	}
	if (form_has(f, "ftz") && form_has(f, "f64")) {
		snprintf(with, sizeof(with), "%s.approx.f64.ftz", f->opcode);
		return op_find(with);
	}
	return op_find(text);
}

/* min and max of magnitudes, under the product of the signs. */
static void take_magnitudes(struct decoder *d, enum lane_type type, struct ref *sources,
			    struct ref *sign)
{
	uint32_t bit = is_half(type) ? 0x8000u : 0x80000000u;

	*sign = decode_temporary(d, PTX_CLASS_32);
	decode_emit_op(d, OP_xor_b32, *sign, sources[0], sources[1], REF_NOTHING);
	decode_emit_op(d, OP_and_b32, *sign, *sign, decode_value(d, bit, false), REF_NOTHING);
	for (int i = 0; i < 2; i++) {
		struct ref t = decode_temporary(d, PTX_CLASS_32);

		decode_emit_op(d, OP_and_b32, t, sources[i], decode_value(d, bit - 1, false),
			       REF_NOTHING);
		sources[i] = t;
	}
}

/* One operation on scalar registers, with the steps before and behind it. */
static int emit_scalar(struct decoder *d, const struct form *f, const struct ref *from,
		       struct ref dest)
{
	enum lane_type type = form_last_type(f);
	struct ref sources[3] = { from[0], from[1], from[2] }, sign = REF_NOTHING;
	bool clamp;
	enum ptx_op id = find_operation(f, &clamp);

	if (id == OP_COUNT)
		return decode_unknown(d, "no such operation in this emulator");
	if (clamp && type != TYPE_f32 && type != TYPE_f64 && type != TYPE_f16)
		return decode_unknown(d, ".sat of this operation is not emulated");
	for (int i = 0; i < 3; i++)
		if (sources[i].kind != REF_NONE)
			sources[i] = flushed_source(d, f, type, sources[i]);
	if (form_has(f, "xorsign"))
		take_magnitudes(d, type, sources, &sign);
	if (type == TYPE_f32 || type == TYPE_f64)
		decode_mode(d, f, !flushes_by_step(f->opcode) && type == TYPE_f32);
	decode_emit_op(d, id, dest, sources[0], sources[1], sources[2]);
	if (sign.kind != REF_NONE)
		decode_emit_op(d, OP_or_b32, dest, dest, sign, REF_NOTHING);
	return finish_result(d, f, type, dest, clamp);
}

/* The word for one of the two halves, NULL when the form is not about pairs. */
static const char *half_type(const struct form *f)
{
	const char *last = f->count ? f->modifiers[f->count - 1] : "";

	/* Some forms name .relu behind the type. */
	if (!strcmp(last, "relu") && f->count > 1)
		last = f->modifiers[f->count - 2];
	return !strcmp(last, "f16x2")    ? "f16"
	       : !strcmp(last, "bf16x2") ? "bf16"
	       : !strcmp(last, "s16x2")  ? "s16"
	       : !strcmp(last, "u16x2")  ? "u16"
					 : NULL;
}

static struct form form_of_half(const struct form *f, const char *type)
{
	struct form half = *f;

	for (unsigned i = 0; i < half.count; i++)
		if (strstr(half.modifiers[i], "16x2"))
			half.modifiers[i] = type;
	return half;
}

static struct ref half_of(struct decoder *d, struct ref from, int high)
{
	struct ref t = decode_temporary(d, PTX_CLASS_32);

	decode_emit_op(d, high ? OP_high_b16 : OP_low_b16, t, from, REF_NOTHING, REF_NOTHING);
	return t;
}

/* Pairs of halves without an operation of their own: taken apart, done twice, put together. */
static int decode_pairs(struct decoder *d, const struct ptx_instruction *in, const struct form *f,
			const char *type)
{
	struct form half = form_of_half(f, type);
	struct ref sources[3], results[2], dest;
	unsigned count = in->operand_count - 1u;

	if (in->operand_count < 2 || count > 3)
		return decode_unknown(d, "too few operands");
	for (unsigned i = 0; i < count; i++)
		sources[i] = decode_source(d, &in->operands[1 + i], TYPE_u32);
	dest = decode_dest(d, &in->operands[0], TYPE_u32);
	if (d->problem[0])
		return -1;
	for (int high = 0; high < 2; high++) {
		struct ref parts[3] = { REF_NOTHING, REF_NOTHING, REF_NOTHING };

		for (unsigned i = 0; i < count; i++)
			parts[i] = half_of(d, sources[i], high);
		results[high] = decode_temporary(d, PTX_CLASS_32);
		if (emit_scalar(d, &half, parts, results[high]))
			return -1;
	}
	decode_emit_op(d, OP_pack_b32_b16, dest, results[0], results[1], REF_NOTHING);
	return 0;
}

int decode_alu(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	struct ref dest, sources[3] = { REF_NOTHING, REF_NOTHING, REF_NOTHING };
	const char *half = half_type(f);
	const struct op_info *info;
	bool clamp;
	enum ptx_op id = find_operation(f, &clamp);
	unsigned count = 0;

	if (half && (id == OP_COUNT || clamp || form_has(f, "ftz") || form_has(f, "relu") ||
		     form_has(f, "xorsign")))
		return decode_pairs(d, in, f, half);
	if (id == OP_COUNT)
		return decode_unknown(d, "no such operation in this emulator");
	info = &op_table[id];
	while (count < 3 && info->types[1 + count] != TYPE__)
		count++;
	if (in->operand_count < count + 1)
		return decode_unknown(d, "too few operands");
	for (unsigned i = 0; i < count; i++)
		sources[i] =
			decode_source(d, &in->operands[1 + i], (enum lane_type)info->types[1 + i]);
	dest = decode_dest(d, &in->operands[0], (enum lane_type)info->types[0]);
	return d->problem[0] ? -1 : emit_scalar(d, f, sources, dest);
}

static enum ptx_op comparison(const struct form *f)
{
	const char *type = f->modifiers[f->count - 1];
	char text[64];

	if (!strcmp(type, "b16") || !strcmp(type, "b32") || !strcmp(type, "b64"))
		type = !strcmp(type, "b16") ? "u16" : !strcmp(type, "b32") ? "u32" : "u64";
	snprintf(text, sizeof(text), "setp.%s.%s", f->modifiers[0], type);
	return op_find(text);
}

static enum ptx_op combination(const struct form *f)
{
	return form_has(f, "and") ? OP_and_pred : form_has(f, "or") ? OP_or_pred : OP_xor_pred;
}

static void compare(struct decoder *d, const struct form *f, enum ptx_op id, struct ref x,
		    struct ref y, struct ref dest)
{
	enum lane_type type = (enum lane_type)op_table[id].types[1];

	x = flushed_source(d, f, type, x);
	y = flushed_source(d, f, type, y);
	if (form_has(f, "ftz") && type == TYPE_f32)
		decode_mode(d, f, true);
	decode_emit_op(d, id, dest, x, y, REF_NOTHING);
}

/* test: the comparison; with a boolean operation and a predicate: combined. Emits into `dest`. */
static int emit_comparison(struct decoder *d, const struct form *f, enum ptx_op id,
			   const struct ptx_operand *a, struct ref dest, bool *combined)
{
	enum lane_type type = (enum lane_type)op_table[id].types[1];
	struct ref x = decode_source(d, &a[0], type), y = decode_source(d, &a[1], type);

	*combined = form_has(f, "and") || form_has(f, "or") || form_has(f, "xor");
	if (d->problem[0])
		return -1;
	compare(d, f, id, x, y, dest);
	return 0;
}

/* Both halves compared, each combined with the predicate of operand 3 if there is a boolean
 * operation. */
static int compare_pairs(struct decoder *d, const struct ptx_instruction *in, const struct form *f,
			 const char *type, struct ref *ret)
{
	struct form half = form_of_half(f, type);
	enum ptx_op id = comparison(&half);
	bool combined = form_has(f, "and") || form_has(f, "or") || form_has(f, "xor");
	struct ref a, b, with = REF_NOTHING;

	if (id == OP_COUNT || in->operand_count < (combined ? 4 : 3))
		return decode_unknown(d, "no such comparison in this emulator");
	a = decode_source(d, &in->operands[1], TYPE_u32);
	b = decode_source(d, &in->operands[2], TYPE_u32);
	if (combined)
		with = decode_source(d, &in->operands[3], TYPE_p);
	if (d->problem[0])
		return -1;
	for (int high = 0; high < 2; high++) {
		struct ref x = half_of(d, a, high), y = half_of(d, b, high);

		ret[high] = decode_temporary(d, PTX_CLASS_PREDICATE);
		compare(d, &half, id, x, y, ret[high]);
		if (combined)
			decode_emit_op(d, combination(f), ret[high], ret[high], with, REF_NOTHING);
	}
	return 0;
}

/* setp of pairs: p is for the low half, q for the high one. */
static int decode_setp_pairs(struct decoder *d, const struct ptx_instruction *in,
			     const struct form *f, const char *type)
{
	const struct ptx_operand *to = &in->operands[0];
	struct ref tests[2];

	if (to->kind != PTX_OPERAND_PAIR || compare_pairs(d, in, f, type, tests))
		return decode_unknown(d, "a comparison of pairs needs two predicates");
	for (int high = 0; high < 2; high++)
		if (to->elements[high].kind != PTX_OPERAND_SINK)
			decode_emit_op(d, OP_mov_pred, decode_dest(d, &to->elements[high], TYPE_p),
				       tests[high], tests[high], REF_NOTHING);
	return d->problem[0] ? -1 : 0;
}

int decode_setp(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	const struct ptx_operand *dest = &in->operands[0], *second = NULL;
	enum ptx_op id = f->count ? comparison(f) : OP_COUNT;
	struct ref p, q, test, with;
	bool combined;

	if (half_type(f))
		return decode_setp_pairs(d, in, f, half_type(f));
	if (id == OP_COUNT || in->operand_count < 3)
		return decode_unknown(d, "no such comparison in this emulator");
	if (dest->kind == PTX_OPERAND_PAIR) {
		second = &dest->elements[1];
		dest = &dest->elements[0];
	}
	p = decode_dest(d, dest, TYPE_p);
	combined = form_has(f, "and") || form_has(f, "or") || form_has(f, "xor");
	test = combined || second ? decode_temporary(d, PTX_CLASS_PREDICATE) : p;
	if (emit_comparison(d, f, id, &in->operands[1], test, &combined))
		return -1;
	if (!combined && !second)
		return 0;
	if (!combined) {
		decode_emit_op(d, OP_mov_pred, p, test, test, REF_NOTHING);
		q = decode_dest(d, second, TYPE_p);
		decode_emit_op(d, OP_not_pred, q, test, test, REF_NOTHING);
		return 0;
	}
	if (in->operand_count < 4)
		return decode_unknown(d, "too few operands");
	with = decode_source(d, &in->operands[3], TYPE_p);
	if (second) {
		struct ref inverse = decode_temporary(d, PTX_CLASS_PREDICATE);
		struct ref result = decode_temporary(d, PTX_CLASS_PREDICATE);

		q = decode_dest(d, second, TYPE_p);
		decode_emit_op(d, OP_not_pred, inverse, test, test, REF_NOTHING);
		decode_emit_op(d, combination(f), result, inverse, with, REF_NOTHING);
		decode_emit_op(d, combination(f), p, test, with, REF_NOTHING);
		decode_emit_op(d, OP_mov_pred, q, result, result, REF_NOTHING);
		return 0;
	}
	decode_emit_op(d, combination(f), p, test, with, REF_NOTHING);
	return 0;
}

static uint32_t truth_value(const char *type)
{
	return !strcmp(type, "f32")              ? 0x3f800000u
	       : !strncmp(type, "f16", 3)        ? 0x3c00
	       : !strncmp(type, "bf16", 4)       ? 0x3f80
	       : type_size(form_type(type)) == 2 ? 0xffff
						 : 0xffffffffu;
}

/* Numbers for a pair of numbers; for u32 and s32 all bits of the half. */
static int decode_set_pairs(struct decoder *d, const struct ptx_instruction *in,
			    const struct form *f, const char *type)
{
	uint32_t value = strstr(f->modifiers[f->count - 2], "x2") ? truth_value(type) : 0xffff;
	struct ref tests[2], halves[2], dest;
	struct ref yes = decode_value(d, value, false), no = decode_value(d, 0, false);

	if (compare_pairs(d, in, f, type, tests))
		return -1;
	for (int high = 0; high < 2; high++) {
		halves[high] = decode_temporary(d, PTX_CLASS_32);
		decode_emit_op(d, OP_selp_b32, halves[high], yes, no, tests[high]);
	}
	dest = decode_dest(d, &in->operands[0], TYPE_u32);
	decode_emit_op(d, OP_pack_b32_b16, dest, halves[0], halves[1], REF_NOTHING);
	return 0;
}

/* set.cmp.dtype.stype: a comparison whose result is a number */
int decode_set(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	enum ptx_op id = f->count ? comparison(f) : OP_COUNT;
	struct ref dest, test = decode_temporary(d, PTX_CLASS_PREDICATE);
	const char *type = f->count >= 2 ? f->modifiers[f->count - 2] : "";
	bool combined;

	if (half_type(f) && f->count >= 2)
		return decode_set_pairs(d, in, f, half_type(f));
	if (id == OP_COUNT || in->operand_count < 3 || type_size(form_type(type)) > 4 ||
	    strstr(type, "x2"))
		return decode_unknown(d, "no such comparison in this emulator");
	if (emit_comparison(d, f, id, &in->operands[1], test, &combined))
		return -1;
	if (combined && in->operand_count > 3) {
		struct ref with = decode_source(d, &in->operands[3], TYPE_p);

		decode_emit_op(d, combination(f), test, test, with, REF_NOTHING);
	}
	dest = decode_dest(d, &in->operands[0], TYPE_u32);
	decode_emit_op(d, OP_selp_b32, dest, decode_value(d, truth_value(type), false),
		       decode_value(d, 0, false), test);
	return 0;
}

int decode_selp(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	enum lane_type type = form_last_type(f);
	bool wide = type_size(type) == 8;
	struct ref a, b, p, dest;

	if (in->operand_count < 4 || type == TYPE__ || type == TYPE_p)
		return decode_unknown(d, "selp with these operands is not emulated");
	a = decode_source(d, &in->operands[1], type);
	b = decode_source(d, &in->operands[2], type);
	p = decode_source(d, &in->operands[3], TYPE_p);
	dest = decode_dest(d, &in->operands[0], type);
	decode_emit_op(d, wide ? OP_selp_b64 : OP_selp_b32, dest, a, b, p);
	return 0;
}

/* mad.f32 is fma; mad and madc with the carry flag are a product and a step of the chain. */
int decode_mad_carry(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	bool reads = !strcmp(f->opcode, "madc"), writes = form_has(f, "cc");
	enum lane_type type = form_last_type(f);
	struct ref a, b, c, dest, product;
	char text[64];
	enum ptx_op multiply, add;

	if (type == TYPE_f32 || type == TYPE_f64) {
		struct form fma = *f;

		fma.opcode = "fma";
		return decode_alu(d, in, &fma);
	}
	if (!reads && !writes)
		return decode_alu(d, in, f);
	if (in->operand_count < 4)
		return decode_unknown(d, "too few operands");
	if (!f->count)
		return decode_unknown(d, "it has no type");
	snprintf(text, sizeof(text), "mul.%s.%s", form_has(f, "hi") ? "hi" : "lo",
		 f->modifiers[f->count - 1]);
	multiply = op_find(text);
	snprintf(text, sizeof(text), "add%s%s.%s", reads ? "c" : "", writes ? ".cc" : "",
		 type_size(type) == 8 ? "u64" : "u32");
	add = op_find(text);
	if (multiply == OP_COUNT || add == OP_COUNT)
		return decode_unknown(d, "no such operation in this emulator");
	a = decode_source(d, &in->operands[1], type);
	b = decode_source(d, &in->operands[2], type);
	c = decode_source(d, &in->operands[3], type);
	dest = decode_dest(d, &in->operands[0], type);
	product = decode_temporary(d, type_size(type) == 8 ? PTX_CLASS_64 : PTX_CLASS_32);
	decode_emit_op(d, multiply, product, a, b, REF_NOTHING);
	decode_emit_op(d, add, dest, product, c, REF_NOTHING);
	return 0;
}

int decode_lop3(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	struct ref a, b, c, dest;
	struct draft *to;

	if (f->count != 1 || in->operand_count != 5 || in->operands[4].kind != PTX_OPERAND_INTEGER)
		return decode_unknown(d, "only lop3.b32 d, a, b, c, table is emulated");
	a = decode_source(d, &in->operands[1], TYPE_u32);
	b = decode_source(d, &in->operands[2], TYPE_u32);
	c = decode_source(d, &in->operands[3], TYPE_u32);
	dest = decode_dest(d, &in->operands[0], TYPE_u32);
	to = decode_emit_op(d, OP_lop3_b32, dest, a, b, c);
	to->imm = (int64_t)in->operands[4].value;
	return 0;
}

int decode_bfi(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	bool wide = form_has(f, "b64");
	enum lane_type type = wide ? TYPE_u64 : TYPE_u32;
	struct ref a, b, pos, len, dest;

	if (in->operand_count != 5)
		return decode_unknown(d, "too few operands");
	a = decode_source(d, &in->operands[1], type);
	b = decode_source(d, &in->operands[2], type);
	pos = decode_source(d, &in->operands[3], TYPE_u32);
	len = decode_source(d, &in->operands[4], TYPE_u32);
	dest = decode_dest(d, &in->operands[0], type);
	decode_emit_op(d, wide ? OP_bfi_b64 : OP_bfi_b32, dest, a, b, pos)->slot[SLOT_X0] = len;
	return 0;
}

/* vabsdiff4.u32.u32.u32{.add} and its kind */
int decode_video(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	static const char *const names[] = { "vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg" };
	size_t len = strlen(f->opcode);
	uint16_t flags = f->opcode[len - 1] == '4' ? VIDEO_BYTES : 0;
	struct ref a, b, c, dest;

	for (uint16_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == len - 1 && !strncmp(names[i], f->opcode, len - 1))
			flags |= i;
	if (in->operand_count != 4 || f->count < 3 || form_type(f->modifiers[0]) == TYPE__)
		return decode_unknown(d, "video operations with byte selectors are not emulated");
	flags |= f->modifiers[0][0] == 's' ? VIDEO_D_SIGNED : 0;
	flags |= f->modifiers[1][0] == 's' ? VIDEO_A_SIGNED : 0;
	flags |= f->modifiers[2][0] == 's' ? VIDEO_B_SIGNED : 0;
	flags |= form_has(f, "sat") ? VIDEO_SATURATE : 0;
	flags |= form_has(f, "add") ? VIDEO_SUM : 0;
	a = decode_source(d, &in->operands[1], TYPE_u32);
	b = decode_source(d, &in->operands[2], TYPE_u32);
	c = decode_source(d, &in->operands[3], TYPE_u32);
	dest = decode_dest(d, &in->operands[0], TYPE_u32);
	decode_emit_op(d, OP_video_simd, dest, a, b, c)->flags = flags;
	return 0;
}
