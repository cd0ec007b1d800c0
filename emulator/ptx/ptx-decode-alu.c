/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic, logic, comparison: the opcode with its modifiers is put in the order of ptx-opcodes.def and looked up
 * there. What is not part of the form is done around the operation: rounding directions and flushing of subnormals
 * by a mode operation before it, clamping and flushing of results by one after it.
 */
#include "emulator/ptx/ptx-decode.h"

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
		return type_size(form_type(word)) == 8 ? "b64" : type_size(form_type(word)) == 4 ? "b32" : word;
	if (one_of(opcode, carry) && !strcmp(word, "s32"))
		return "u32";
	if (one_of(opcode, carry) && !strcmp(word, "s64"))
		return "u64";
	return word;
}

/* "add.rn.ftz.f32" -> "add.f32" */
static void canonical_form(const struct form *f, char *ret, size_t size)
{
	static const char *const dropped[] = { "rn", "rz", "rm", "rp", "ftz", "sat", "approx", "full", "noftz", "uni",
					       "aligned", NULL };
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

/* Steps behind an operation: flush, then clamp. */
static int finish_result(struct decoder *d, const struct form *f, enum lane_type type, struct ref dest, bool clamp)
{
	const char *name = type == TYPE_f32 ? "f32" : type == TYPE_f64 ? "f64" : "f16";
	char text[32];

	if (form_has(f, "ftz") && flushes_by_step(f->opcode)) {
		snprintf(text, sizeof(text), "(flush).%s", name);
		if (op_find(text) == OP_COUNT)
			return decode_unknown(d, ".ftz of this type is not emulated");
		decode_emit_op(d, op_find(text), dest, dest, REF_NOTHING, REF_NOTHING);
	}
	if (clamp) {
		snprintf(text, sizeof(text), "(saturate).%s", name);
		decode_emit_op(d, op_find(text), dest, dest, REF_NOTHING, REF_NOTHING);
	}
	return 0;
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

int decode_alu(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	struct ref dest, sources[3] = { REF_NOTHING, REF_NOTHING, REF_NOTHING };
	const struct op_info *info;
	enum lane_type type = form_last_type(f);
	bool clamp;
	enum ptx_op id = find_operation(f, &clamp);
	unsigned count = 0;

	if (id == OP_COUNT)
		return decode_unknown(d, "no such operation in this emulator");
	if (clamp && type != TYPE_f32 && type != TYPE_f64 && type != TYPE_f16)
		return decode_unknown(d, ".sat of this operation is not emulated");
	info = &op_table[id];
	while (count < 3 && info->types[1 + count] != TYPE__)
		count++;
	if (in->operand_count < count + 1)
		return decode_unknown(d, "too few operands");
	for (unsigned i = 0; i < count; i++)
		sources[i] = decode_source(d, &in->operands[1 + i], (enum lane_type)info->types[1 + i]);
	dest = decode_dest(d, &in->operands[0], (enum lane_type)info->types[0]);
	if (d->problem[0])
		return -1;
	if (type == TYPE_f32 || type == TYPE_f64)
		decode_mode(d, f, !flushes_by_step(f->opcode) && type == TYPE_f32);
	decode_emit_op(d, id, dest, sources[0], sources[1], sources[2]);
	return finish_result(d, f, type, dest, clamp);
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

/* test: the comparison; with a boolean operation and a predicate: combined. Emits into `dest`. */
static int emit_comparison(struct decoder *d, const struct form *f, enum ptx_op id, const struct ptx_operand *a,
			   struct ref dest, bool *combined)
{
	enum lane_type type = (enum lane_type)op_table[id].types[1];
	struct ref x = decode_source(d, &a[0], type), y = decode_source(d, &a[1], type);

	*combined = form_has(f, "and") || form_has(f, "or") || form_has(f, "xor");
	if (d->problem[0])
		return -1;
	if (form_has(f, "ftz"))
		decode_mode(d, f, true);
	decode_emit_op(d, id, dest, x, y, REF_NOTHING);
	return 0;
}

static enum ptx_op combination(const struct form *f)
{
	return form_has(f, "and") ? OP_and_pred : form_has(f, "or") ? OP_or_pred : OP_xor_pred;
}

int decode_setp(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	const struct ptx_operand *dest = &in->operands[0], *second = NULL;
	enum ptx_op id = f->count ? comparison(f) : OP_COUNT;
	struct ref p, q, test, with;
	bool combined;

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

/* set.cmp.dtype.stype: a comparison whose result is a number */
int decode_set(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	enum ptx_op id = f->count ? comparison(f) : OP_COUNT;
	struct ref dest, test = decode_temporary(d, PTX_CLASS_PREDICATE);
	const char *type = f->count >= 2 ? f->modifiers[f->count - 2] : "";
	uint64_t yes = !strcmp(type, "f32") ? 0x3f800000u : !strcmp(type, "f16") ? 0x3c00 : 0xffffffffu;
	bool combined;

	if (id == OP_COUNT || in->operand_count < 3 || type_size(form_type(type)) > 4 || strstr(type, "x2"))
		return decode_unknown(d, "no such comparison in this emulator");
	if (emit_comparison(d, f, id, &in->operands[1], test, &combined))
		return -1;
	if (combined && in->operand_count > 3) {
		struct ref with = decode_source(d, &in->operands[3], TYPE_p);

		decode_emit_op(d, combination(f), test, test, with, REF_NOTHING);
	}
	dest = decode_dest(d, &in->operands[0], TYPE_u32);
	decode_emit_op(d, OP_selp_b32, dest, decode_value(d, yes, false), decode_value(d, 0, false), test);
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
	snprintf(text, sizeof(text), "mul.%s.%s", form_has(f, "hi") ? "hi" : "lo", f->modifiers[f->count - 1]);
	multiply = op_find(text);
	snprintf(text, sizeof(text), "add%s%s.%s", reads ? "c" : "", writes ? ".cc" : "", type_size(type) == 8 ? "u64" : "u32");
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
