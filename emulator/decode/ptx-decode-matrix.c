/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix instructions (PTX ISA 9.7.14): wmma, mma, ldmatrix, stmatrix, movmatrix. Registers of all
 * fragments are staged, one operation does the work, results come back from the staging rows. A
 * warp barrier goes before, since all lanes take part.
 */
#include "emulator/decode/ptx-decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/ptx/matrix.h"

static int matrix_type_of(const char *word)
{
	static const char *const names[MATRIX_TYPES] = {
		[MATRIX_F16] = "f16",   [MATRIX_BF16] = "bf16", [MATRIX_TF32] = "tf32",
		[MATRIX_F32] = "f32",   [MATRIX_F64] = "f64",   [MATRIX_S8] = "s8",
		[MATRIX_U8] = "u8",     [MATRIX_S4] = "s4",     [MATRIX_U4] = "u4",
		[MATRIX_B1] = "b1",     [MATRIX_S32] = "s32",   [MATRIX_E4M3] = "e4m3",
		[MATRIX_E5M2] = "e5m2",
	};

	for (int i = 0; i < MATRIX_TYPES; i++)
		if (!strcmp(names[i], word))
			return i;
	return -1;
}

/* m16n8k16 */
static bool take_shape(const struct form *f, struct matrix_op *x)
{
	for (unsigned i = 0; i < f->count; i++) {
		unsigned m, n, k;
		int end = 0;

		if (sscanf(f->modifiers[i], "m%3un%3uk%3u%n", &m, &n, &k, &end) == 3 &&
		    !f->modifiers[i][end]) {
			*x = (struct matrix_op){ .m = (uint16_t)m,
						 .n = (uint16_t)n,
						 .k = (uint16_t)k };
			return true;
		}
	}
	return false;
}

struct shape {
	uint16_t m, n, k;
};

static bool shape_in(const struct matrix_op *x, const struct shape *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].m == x->m && list[i].n == x->n && list[i].k == x->k)
			return true;
	return false;
}

#define SHAPE_IN(x, ...)                                                                           \
	shape_in(x, (const struct shape[]){ __VA_ARGS__ },                                         \
		 sizeof((const struct shape[]){ __VA_ARGS__ }) / sizeof(struct shape))

/* Shapes that the ISA has for elements of that type. */
static bool shape_fits(const struct matrix_op *x, bool wmma)
{
	switch (x->type[MATRIX_A]) {
	case MATRIX_F16:
	case MATRIX_BF16:
		return wmma ? SHAPE_IN(x, { 16, 16, 16 }, { 32, 8, 16 }, { 8, 32, 16 })
			    : SHAPE_IN(x, { 16, 8, 8 }, { 16, 8, 16 });
	case MATRIX_S8:
	case MATRIX_U8:
		return wmma ? SHAPE_IN(x, { 16, 16, 16 }, { 32, 8, 16 }, { 8, 32, 16 })
			    : SHAPE_IN(x, { 8, 8, 16 }, { 16, 8, 16 }, { 16, 8, 32 });
	case MATRIX_TF32:
		return wmma ? SHAPE_IN(x, { 16, 16, 8 }) : SHAPE_IN(x, { 16, 8, 4 }, { 16, 8, 8 });
	case MATRIX_F64:
		return SHAPE_IN(x, { 8, 8, 4 }) ||
		       (!wmma && SHAPE_IN(x, { 16, 8, 4 }, { 16, 8, 8 }, { 16, 8, 16 }));
	case MATRIX_S4:
	case MATRIX_U4:
		return SHAPE_IN(x, { 8, 8, 32 }) ||
		       (!wmma && SHAPE_IN(x, { 16, 8, 32 }, { 16, 8, 64 }));
	case MATRIX_B1:
		return SHAPE_IN(x, { 8, 8, 128 }) ||
		       (!wmma && SHAPE_IN(x, { 16, 8, 128 }, { 16, 8, 256 }));
	case MATRIX_E4M3:
	case MATRIX_E5M2:
		return !wmma && SHAPE_IN(x, { 16, 8, 16 }, { 16, 8, 32 });
	default:
		return false;
	}
}

/* Registers of a fragment: wmma holds halves of A and B in eight, whatever the shape. */
static void count_registers(struct matrix_op *x, bool wmma)
{
	for (int part = 0; part < 3; part++) {
		enum matrix_type t = (enum matrix_type)x->type[part];

		x->registers[part] = (uint8_t)matrix_registers(x, (enum matrix_part)part, t);
		if (wmma && part != MATRIX_C && t == MATRIX_F16)
			x->registers[part] = 8;
	}
}

static struct matrix_op *keep(struct decoder *d, const struct matrix_op *x)
{
	struct matrix_op *to = mem_pool_alloc(&d->module->pool, sizeof(*to));

	if (to)
		*to = *x;
	else
		d->out_of_memory = true;
	return to;
}

static void emit_warp_barrier(struct decoder *d)
{
	struct ref all = decode_value(d, UINT32_MAX, false);

	decode_emit(d, OP_bar_warp)->slot[SLOT_X1] = all;
}

static enum lane_type register_type(enum matrix_type t)
{
	return t == MATRIX_F64 ? TYPE_f64 : TYPE_u32;
}

static int stage_fragment(struct decoder *d, const struct ptx_operand *o, enum matrix_type type,
			  unsigned count, unsigned at)
{
	struct ref rows[16];
	int n = decode_sources(d, o, register_type(type), rows, 16);

	if (n < 0)
		return -1;
	if ((unsigned)n != count)
		return decode_unknown(d, "a fragment of %d registers where the shape has %u", n,
				      count);
	return decode_stage(d, rows, count, at);
}

static int unstage_fragment(struct decoder *d, const struct ptx_operand *o, enum matrix_type type,
			    unsigned count)
{
	struct ref rows[16];
	int n = decode_dests(d, o, register_type(type), rows, 16);

	if (n < 0)
		return -1;
	if ((unsigned)n != count)
		return decode_unknown(d, "a fragment of %d registers where the shape has %u", n,
				      count);
	return decode_unstage(d, rows, count, 0);
}

/* D, A, B, C */
static int multiply(struct decoder *d, const struct ptx_instruction *in, const struct matrix_op *x)
{
	unsigned results = matrix_registers(x, MATRIX_C, (enum matrix_type)x->result);
	struct matrix_op *kept = keep(d, x);

	if (in->operand_count != 4 || !kept)
		return decode_unknown(d, "too few operands");
	emit_warp_barrier(d);
	if (stage_fragment(d, &in->operands[1], (enum matrix_type)x->type[0], x->registers[0], 0) ||
	    stage_fragment(d, &in->operands[2], (enum matrix_type)x->type[1], x->registers[1],
			   MATRIX_STAGE_B) ||
	    stage_fragment(d, &in->operands[3], (enum matrix_type)x->type[2], x->registers[2],
			   MATRIX_STAGE_C))
		return -1;
	decode_emit(d, OP_matrix_multiply)->imm = (int64_t)(uintptr_t)kept;
	return unstage_fragment(d, &in->operands[0], (enum matrix_type)x->result, results);
}

/* The words of the form that are types, in order. */
static unsigned take_types(const struct form *f, int *types, unsigned max)
{
	unsigned count = 0;

	for (unsigned i = 0; i < f->count && count < max; i++)
		if (matrix_type_of(f->modifiers[i]) >= 0)
			types[count++] = matrix_type_of(f->modifiers[i]);
	return count;
}

static int set_types(struct decoder *d, struct matrix_op *x, const struct form *f, bool wmma)
{
	int types[4];
	unsigned count = take_types(f, types, 4);

	if (count == 2 && wmma) {
		types[3] = types[1];
		types[1] = types[2] = MATRIX_F16;
	} else if (count != 4) {
		return decode_unknown(d, "a matrix product of these types is not emulated");
	}
	x->result = (uint8_t)types[0];
	x->type[MATRIX_A] = (uint8_t)types[1];
	x->type[MATRIX_B] = (uint8_t)types[2];
	x->type[MATRIX_C] = (uint8_t)types[3];
	x->saturate = form_has(f, "satfinite");
	x->and_bits = form_has(f, "and");
	if (!shape_fits(x, wmma))
		return decode_unknown(d, "a matrix product of this shape is not emulated");
	count_registers(x, wmma);
	return 0;
}

int decode_mma(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	struct matrix_op x;

	if (!take_shape(f, &x) || form_has(f, "sp") || !form_has(f, "row") || !form_has(f, "col"))
		return decode_unknown(d, "a matrix product of this shape is not emulated");
	return set_types(d, &x, f, false) ? -1 : multiply(d, in, &x);
}

/* wmma.load.a d, [p], stride; wmma.store.d [p], d, stride. Without a stride the rows follow each
 * other. */
static int move_fragment(struct decoder *d, const struct ptx_instruction *in, const struct form *f,
			 struct matrix_op *x)
{
	bool store = !strcmp(f->modifiers[0], "store");
	const struct ptx_operand *place = &in->operands[store ? 0 : 1],
				 *data = &in->operands[store ? 1 : 0];
	struct matrix_op *kept;
	struct ref address, stride;
	uint32_t length;
	int type;

	if (in->operand_count < 2 || !take_types(f, &type, 1))
		return decode_unknown(d, "too few operands");
	x->part = form_has(f, "a") ? MATRIX_A : form_has(f, "b") ? MATRIX_B : MATRIX_C;
	x->by_rows = form_has(f, "row");
	x->space = (uint8_t)form_space(f);
	x->type[x->part] = (uint8_t)type;
	if (x->part != MATRIX_C)
		x->type[MATRIX_A] = (uint8_t)type;
	x->registers[x->part] = x->part != MATRIX_C && type == MATRIX_F16
					? 8
					: (uint8_t)matrix_registers(x, (enum matrix_part)x->part,
								    (enum matrix_type)type);
	if (x->registers[x->part] == 0 || x->registers[x->part] > 16 ||
	    (x->part != MATRIX_C && !shape_fits(x, true)))
		return decode_unknown(d, "a fragment of this shape is not emulated");
	length = x->part == MATRIX_A   ? (x->by_rows ? x->k : x->m)
		 : x->part == MATRIX_B ? (x->by_rows ? x->n : x->k)
		 : x->by_rows          ? x->n
				       : x->m;
	kept = keep(d, x);
	if (!kept)
		return -1;
	emit_warp_barrier(d);
	if (store && stage_fragment(d, data, (enum matrix_type)type, x->registers[x->part], 0))
		return -1;
	address = decode_address_row(d, place, form_space(f));
	stride = in->operand_count > 2 ? decode_source(d, &in->operands[2], TYPE_u32)
				       : decode_value(d, length, false);
	if (d->problem[0])
		return -1;
	decode_emit_op(d, store ? OP_matrix_store : OP_matrix_load, REF_NOTHING, address, stride,
		       REF_NOTHING)
		->imm = (int64_t)(uintptr_t)kept;
	return store ? 0 : unstage_fragment(d, data, (enum matrix_type)type, x->registers[x->part]);
}

int decode_wmma(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	struct matrix_op x;

	if (f->count < 2 || !take_shape(f, &x))
		return decode_unknown(d, "a matrix instruction of this shape is not emulated");
	if (strcmp(f->modifiers[0], "mma"))
		return move_fragment(d, in, f, &x);
	return set_types(d, &x, f, true) ? -1 : multiply(d, in, &x);
}

int decode_ldmatrix(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	bool store = !strcmp(f->opcode, "stmatrix");
	unsigned count = form_has(f, "x4") ? 4 : form_has(f, "x2") ? 2 : 1;
	struct ref rows[4], address;
	struct draft *to;
	int n;

	if (in->operand_count != 2 || !form_has(f, "m8n8") || !form_has(f, "b16"))
		return decode_unknown(d, "only 8 x 8 matrices of 16 bits are emulated here");
	emit_warp_barrier(d);
	if (store)
		n = decode_sources(d, &in->operands[1], TYPE_u32, rows, 4);
	else
		n = decode_dests(d, &in->operands[0], TYPE_u32, rows, 4);
	if (n != (int)count)
		return decode_unknown(d, "the number of registers does not fit the matrices");
	if (store && decode_stage(d, rows, count, 0))
		return -1;
	address = decode_address_row(d, &in->operands[store ? 0 : 1], form_space(f));
	if (d->problem[0])
		return -1;
	to = decode_emit_op(d, store ? OP_stmatrix : OP_ldmatrix, REF_NOTHING, address, REF_NOTHING,
			    REF_NOTHING);
	to->imm = count;
	to->slot[SLOT_X0] = (struct ref){ (uint32_t)form_space(f), REF_RAW };
	to->slot[SLOT_X1] = (struct ref){ form_has(f, "trans"), REF_RAW };
	return store ? 0 : decode_unstage(d, rows, count, 0);
}

int decode_movmatrix(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	struct ref source, dest;

	if (in->operand_count != 2 || !form_has(f, "m8n8") || !form_has(f, "trans"))
		return decode_unknown(d, "too few operands");
	emit_warp_barrier(d);
	source = decode_source(d, &in->operands[1], TYPE_u32);
	dest = decode_dest(d, &in->operands[0], TYPE_u32);
	if (d->problem[0])
		return -1;
	decode_emit_op(d, OP_movmatrix, dest, source, REF_NOTHING, REF_NOTHING);
	return 0;
}
