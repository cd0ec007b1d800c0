/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forms that ptx-opcodes.def has operations for, and the words of an instruction's opcode. A
 * form such as "add.u32" is looked for in a hash table that is filled once.
 */
#include "emulator/decode/ptx-decode.h"

#include <string.h>

const struct op_info op_table[OP_COUNT] = {
#define OP(family, name, form, shape, D, A, B, C, ...)                                             \
	[OP_##name] = { form, SHAPE_##shape, { TYPE_##D, TYPE_##A, TYPE_##B, TYPE_##C } },
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
};

#define FORM_HASH 4096

static struct form_hash {
	pthread_once_t once;
	uint16_t slots[FORM_HASH]; /* operation + 1; 0: free */
} form_hash = { .once = PTHREAD_ONCE_INIT };

static uint32_t hash_text(const char *s)
{
	uint32_t h = 2166136261u;

	while (*s)
		h = (h ^ (unsigned char)*s++) * 16777619u;
	return h ^ h >> 15;
}

static void fill_form_hash(void)
{
	for (unsigned id = 0; id < OP_COUNT; id++) {
		uint32_t i = hash_text(op_table[id].form) % FORM_HASH;

		while (form_hash.slots[i])
			i = (i + 1) % FORM_HASH;
		form_hash.slots[i] = (uint16_t)(id + 1);
	}
}

enum ptx_op op_find(const char *form)
{
	uint32_t i;

	pthread_once(&form_hash.once, fill_form_hash);
	for (i = hash_text(form) % FORM_HASH; form_hash.slots[i]; i = (i + 1) % FORM_HASH)
		if (!strcmp(op_table[form_hash.slots[i] - 1].form, form))
			return (enum ptx_op)(form_hash.slots[i] - 1);
	return OP_COUNT;
}

unsigned type_size(enum lane_type t)
{
	switch (t) {
	case TYPE_u8:
	case TYPE_s8:
		return 1;
	case TYPE_u16:
	case TYPE_s16:
	case TYPE_f16:
	case TYPE_bf16:
		return 2;
	case TYPE_u64:
	case TYPE_s64:
	case TYPE_f64:
		return 8;
	case TYPE__:
	case TYPE_p:
		return 0;
	default:
		return 4;
	}
}

bool form_has(const struct form *f, const char *word)
{
	for (unsigned i = 0; i < f->count; i++)
		if (!strcmp(f->modifiers[i], word))
			return true;
	return false;
}

enum lane_type form_type(const char *word)
{
	static const struct {
		const char *name;
		enum lane_type type;
	} types[] = {
		{ "pred", TYPE_p },    { "b8", TYPE_u8 },     { "u8", TYPE_u8 },
		{ "s8", TYPE_s8 },     { "b16", TYPE_u16 },   { "u16", TYPE_u16 },
		{ "s16", TYPE_s16 },   { "f16", TYPE_f16 },   { "bf16", TYPE_bf16 },
		{ "b32", TYPE_u32 },   { "u32", TYPE_u32 },   { "s32", TYPE_s32 },
		{ "f32", TYPE_f32 },   { "f16x2", TYPE_u32 }, { "bf16x2", TYPE_u32 },
		{ "u16x2", TYPE_u32 }, { "s16x2", TYPE_u32 }, { "b64", TYPE_u64 },
		{ "u64", TYPE_u64 },   { "s64", TYPE_s64 },   { "f64", TYPE_f64 },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(types[i].name, word))
			return types[i].type;
	return TYPE__;
}

enum lane_type form_last_type(const struct form *f)
{
	for (unsigned i = f->count; i-- > 0;)
		if (form_type(f->modifiers[i]) != TYPE__)
			return form_type(f->modifiers[i]);
	return TYPE__;
}
