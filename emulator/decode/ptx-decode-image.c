/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Textures and surfaces (PTX ISA 9.7.10, 9.7.11) in the unified mode that compilers write: one
 * 64-bit handle, then the coordinates. All operands are staged: handle in row 0, coordinates from
 * row 1 on.
 */
#include "emulator/decode/ptx-decode.h"

#include <string.h>

int decode_stage(struct decoder *d, const struct ref *rows, unsigned count, unsigned at)
{
	static const uint8_t slots[] = { SLOT_A, SLOT_B, SLOT_C, SLOT_X0, SLOT_X1, SLOT_X2 };

	if (at + count > STAGE_ROWS)
		return decode_unknown(d, "more operands than an instruction may have");
	for (unsigned done = 0; done < count; done += 6) {
		unsigned n = count - done < 6 ? count - done : 6;
		struct draft *to = decode_emit(d, OP_stage);

		to->flags = (uint16_t)(n << STAGE_COUNT_SHIFT);
		to->imm = at + done;
		for (unsigned i = 0; i < n; i++) {
			to->slot[slots[i]] = rows[done + i];
			to->flags |= (uint16_t)(decode_is_wide(d, rows[done + i]) << i);
		}
	}
	return d->problem[0] ? -1 : 0;
}

int decode_unstage(struct decoder *d, const struct ref *rows, unsigned count, unsigned at)
{
	static const uint8_t slots[] = { SLOT_D, SLOT_X0, SLOT_X1, SLOT_X2 };

	for (unsigned done = 0; done < count; done += 4) {
		unsigned n = count - done < 4 ? count - done : 4;
		struct draft *to = decode_emit(d, OP_unstage);

		to->flags = (uint16_t)(n << STAGE_COUNT_SHIFT);
		to->imm = at + done;
		for (unsigned i = 0; i < n; i++) {
			to->slot[slots[i]] = rows[done + i];
			to->defines |= (uint8_t)(1 << slots[i]);
			to->flags |= (uint16_t)(decode_is_wide(d, rows[done + i]) << i);
		}
	}
	return d->problem[0] ? -1 : 0;
}

static int list(struct decoder *d, const struct ptx_operand *o, enum lane_type type,
		struct ref *ret, unsigned max, bool dests)
{
	unsigned count = o->kind == PTX_OPERAND_VECTOR ? o->count : 1;

	if (count > max)
		return decode_unknown(d, "a vector of %u registers where %u fit", count, max);
	for (unsigned i = 0; i < count; i++) {
		const struct ptx_operand *e = o->kind == PTX_OPERAND_VECTOR ? &o->elements[i] : o;

		ret[i] = dests ? decode_dest(d, e, type) : decode_source(d, e, type);
	}
	return d->problem[0] ? -1 : (int)count;
}

int decode_sources(struct decoder *d, const struct ptx_operand *o, enum lane_type type,
		   struct ref *ret, unsigned max)
{
	return list(d, o, type, ret, max, false);
}

int decode_dests(struct decoder *d, const struct ptx_operand *o, enum lane_type type,
		 struct ref *ret, unsigned max)
{
	return list(d, o, type, ret, max, true);
}

static const char *const geometries[] = { "1d", "2d", "3d", "a1d", "a2d", "cube", "acube" };

static int geometry_of(const struct form *f)
{
	for (int i = 0; i < (int)(sizeof(geometries) / sizeof(geometries[0])); i++)
		if (form_has(f, geometries[i]))
			return i;
	return -1;
}

/* [handle, {coordinates}] */
static int stage_place(struct decoder *d, const struct ptx_operand *o, int geometry)
{
	static const uint8_t needed[] = { 1, 2, 3, 2, 3, 3, 4 };
	struct ref rows[5];
	int count;

	if (geometry < 0 || o->kind != PTX_OPERAND_ADDRESS || o->count != 2)
		return decode_unknown(d, "an image access of this shape is not emulated");
	rows[0] = decode_source(d, &o->elements[0], TYPE_u64);
	count = decode_sources(d, &o->elements[1], TYPE_u32, rows + 1, 4);
	if (count < 0)
		return -1;
	if (count < needed[geometry])
		return decode_unknown(d, "too few coordinates");
	return decode_stage(d, rows, needed[geometry] + 1u, 0);
}

int decode_tex(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	bool gather = !strcmp(f->opcode, "tld4"), level = form_has(f, "level"),
	     gradient = form_has(f, "grad");
	int geometry = geometry_of(f), count;
	struct ref results[4], more[6];
	struct draft *to;

	if (in->operand_count < 2 || !form_has(f, "v4") || form_has(f, "f16") ||
	    form_has(f, "f16x2") ||
	    in->operand_count != (gradient ? 4
				  : level  ? 3
					   : 2) ||
	    in->operands[0].kind != PTX_OPERAND_VECTOR || in->operands[0].count != 4)
		return decode_unknown(d, "a texture access of this shape is not emulated");
	if (stage_place(d, &in->operands[1], geometry))
		return -1;
	for (unsigned i = 2, at = 5; i < in->operand_count; i++, at += (unsigned)count) {
		count = decode_sources(d, &in->operands[i], TYPE_u32, more, 4);
		/* Three gradients come as a vector of four. */
		count = count == 4 ? 3 : count;
		if (count < 0 || decode_stage(d, more, (unsigned)count, at))
			return -1;
	}
	if (decode_dests(d, &in->operands[0], TYPE_u32, results, 4) < 0)
		return -1;
	to = decode_emit(d, gather ? OP_tld4 : OP_tex);
	to->flags = (uint16_t)geometry;
	if (!strcmp(f->modifiers[f->count - 1], "s32"))
		to->flags |= IMAGE_WHOLE;
	to->flags |= gradient ? IMAGE_GRADIENT : level ? IMAGE_LEVEL : 0;
	if (gather)
		to->imm = form_has(f, "g") ? 1 : form_has(f, "b") ? 2 : form_has(f, "a") ? 3 : 0;
	return decode_unstage(d, results, 4, 0);
}

int decode_image_query(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	static const char *const names[] = {
		"width",
		"height",
		"depth",
		"array_size",
		"num_mipmap_levels",
		"normalized_coords",
		"filter_mode",
		"addr_mode_0",
		"addr_mode_1",
		"addr_mode_2",
		"num_samples",
		"channel_order",
		"channel_data_type",
	};
	bool level = form_has(f, "level");
	struct ref rows[2], result;
	struct draft *to;
	int what = -1;

	for (int i = 0; i < (int)(sizeof(names) / sizeof(names[0])); i++)
		if (form_has(f, names[i]))
			what = i;
	if (what < 0 || in->operand_count != (level ? 3 : 2) ||
	    in->operands[1].kind != PTX_OPERAND_ADDRESS || in->operands[1].count != 1)
		return decode_unknown(d, "a query of this kind is not emulated");
	rows[0] = decode_source(d, &in->operands[1].elements[0], TYPE_u64);
	if (level)
		rows[1] = decode_source(d, &in->operands[2], TYPE_u32);
	result = decode_dest(d, &in->operands[0], TYPE_u32);
	if (d->problem[0] || decode_stage(d, rows, level ? 2 : 1, 0))
		return -1;
	to = decode_emit(d, OP_image_query);
	to->imm = what;
	to->flags = level ? IMAGE_AT_LEVEL : 0;
	to->slot[SLOT_X0] = (struct ref){ !strcmp(f->opcode, "suq"), REF_RAW };
	return decode_unstage(d, &result, 1, 0);
}

static uint16_t surface_flags(const struct form *f, int geometry)
{
	uint16_t flags = (uint16_t)geometry;

	flags |= form_has(f, "clamp") ? IMAGE_CLAMPED : form_has(f, "zero") ? IMAGE_IGNORED : 0;
	return flags | (form_has(f, "b") ? IMAGE_BYTES : 0) | IMAGE_WHOLE;
}

static int reduction_of(const struct form *f)
{
	return form_has(f, "add")   ? ATOM_ADD
	       : form_has(f, "min") ? ATOM_MIN
	       : form_has(f, "max") ? ATOM_MAX
	       : form_has(f, "and") ? ATOM_AND
				    : ATOM_OR;
}

int decode_surface(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	bool loads = !strcmp(f->opcode, "suld"), reduces = !strcmp(f->opcode, "sured");
	enum lane_type type = form_last_type(f);
	unsigned size = type_size(type);
	int geometry = geometry_of(f), count;
	struct ref values[4];
	struct draft *to;

	if (in->operand_count != 2 || !size || (!reduces && !form_has(f, "b")))
		return decode_unknown(d, "a surface access of this shape is not emulated");
	if (stage_place(d, &in->operands[loads ? 1 : 0], geometry))
		return -1;
	if (loads)
		count = decode_dests(d, &in->operands[0], type, values, 4);
	else
		count = decode_sources(d, &in->operands[1], type, values, 4);
	if (count < 0 || (!loads && decode_stage(d, values, (unsigned)count, 5)))
		return -1;
	to = decode_emit(d, loads ? OP_suld : reduces ? OP_sured : OP_sust);
	to->flags = surface_flags(f, geometry);
	to->imm = count;
	to->slot[SLOT_X0] = (struct ref){ size, REF_RAW };
	to->slot[SLOT_X1] = (struct ref){ (uint32_t)reduction_of(f), REF_RAW };
	to->slot[SLOT_X2] = (struct ref){ type == TYPE_s32 || type == TYPE_s64, REF_RAW };
	return loads ? decode_unstage(d, values, (unsigned)count, 0) : 0;
}
