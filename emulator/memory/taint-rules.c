/* SPDX-License-Identifier: Apache-2.0 */
/* The rules are read off the names of the operations once. What no line here names taints its
 * result as a whole. */
#include "emulator/memory/taint-rules.h"

#include <pthread.h>
#include <stdio.h>

static struct taint_rules {
	pthread_once_t once;
	struct taint_rule of[OP_COUNT];
} rules = { .once = PTHREAD_ONCE_INIT };

/* Operations on values: the first prefix that fits. */
static const struct {
	const char *prefix;
	uint8_t class, control;
} names[] = {
	{ "mov_pred", TAINT_MASK_COPY, 0 },
	{ "not_pred", TAINT_MASK_COPY, 0 },
	{ "xor_pred", TAINT_MASK_COPY, 0 },
	{ "and_pred", TAINT_MASK_AND, 0 },
	{ "or_pred", TAINT_MASK_OR, 0 },
	{ "andn_pred", TAINT_MASK_ANDN, 0 },
	{ "mov_b", TAINT_COPY, 0 },
	{ "not_b", TAINT_COPY, 0 },
	{ "to_window", TAINT_COPY, 0 },
	{ "and_b", TAINT_AND, 0 },
	{ "or_b", TAINT_OR, 0 },
	{ "xor_b", TAINT_XOR, 0 },
	{ "lop3", TAINT_XOR, 0 },
	{ "pack_", TAINT_MOVED, 0 },
	{ "low_", TAINT_MOVED, 0 },
	{ "high_", TAINT_MOVED, 0 },
	{ "brev_", TAINT_MOVED, 0 },
	{ "byte_", TAINT_MOVED, 2 },
	{ "shl_", TAINT_MOVED, 2 },
	{ "shr_", TAINT_MOVED, 2 },
	{ "shf_", TAINT_MOVED, 4 },
	{ "prmt_", TAINT_MOVED, 4 },
	{ "bfe_", TAINT_MOVED, 6 },
	{ "bfi_", TAINT_MOVED, 12 },
	{ "setp_eq_", TAINT_EQUAL, 0 },
	{ "setp_ne_", TAINT_EQUAL, 0 },
	{ "selp_", TAINT_PICK, 0 },
	{ "slct_", TAINT_SIGN_PICK, 0 },
	{ "add_sat", TAINT_ANY, 0 },
	{ "sub_sat", TAINT_ANY, 0 },
	{ "add_", TAINT_UPWARD, 0 },
	{ "sub_", TAINT_UPWARD, 0 },
	{ "mul_lo_", TAINT_UPWARD, 0 },
	{ "mad_lo_", TAINT_UPWARD, 0 },
	{ "mul_wide_", TAINT_UPWARD, 0 },
	{ "mad_wide_", TAINT_UPWARD, 0 },
	{ "neg_s", TAINT_UPWARD, 0 },
};

static bool is_float(uint8_t type)
{
	return type >= TAINT_TYPE_f16;
}

static bool has_prefix(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

static uint8_t class_of(const char *name, struct taint_rule *r)
{
	bool floats = is_float(r->type[0]) || is_float(r->type[1]) || is_float(r->type[2]);

	if (strstr(name, "x2"))
		return TAINT_HALVES;
	/* Between integers a conversion cuts off or extends; with a limit it compares. */
	if (has_prefix(name, "cvt_") && !floats && !has_prefix(name, "cvt_sat") &&
	    !strstr(name, "f16") && !strstr(name, "f32"))
		return TAINT_MOVED;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		bool sums = names[i].class == TAINT_UPWARD || names[i].class == TAINT_EQUAL;

		if (has_prefix(name, names[i].prefix) && !(sums && floats)) {
			r->control = names[i].control;
			return names[i].class;
		}
	}
	return r->type[0] == TAINT_TYPE_p ? TAINT_COMPARE : r->type[0] ? TAINT_ANY : TAINT_NOTHING;
}

/* "(ld).global.b32v2" */
static bool take_memory(const char *form, struct taint_rule *r)
{
	char what[4], space[8], type;
	unsigned bits, count = 1;

	if (sscanf(form, "(%3[lds t]).%7[a-z].%c%uv%u", what, space, &type, &bits, &count) < 4)
		return false;
	r->class = what[0] == 'l' ? TAINT_LOAD : TAINT_STORE;
	r->space = (uint8_t)(!strcmp(space, "shared")  ? PTX_SPACE_SHARED
			     : !strcmp(space, "local") ? PTX_SPACE_LOCAL
			     : !strcmp(space, "param") ? PTX_SPACE_PARAM
						       : PTX_SPACE_GLOBAL);
	r->size = (uint8_t)(bits / 8);
	r->count = (uint8_t)count;
	return true;
}

static void fill(uint32_t id, const char *name, const char *form, bool by_hand, struct taint_rule r)
{
	static const uint16_t handled[] = { OP_bfi_b32, OP_bfi_b64, OP_lop3_b32, OP_video_simd };
	bool known = !by_hand || has_prefix(name, "addc") || has_prefix(name, "subc") ||
		     strstr(name, "_cc_");

	for (size_t i = 0; i < sizeof(handled) / sizeof(handled[0]); i++)
		known |= id == handled[i];
	if (!take_memory(form, &r))
		r.class = known ? class_of(name, &r) : TAINT_NOTHING;
	rules.of[id] = r;
}

static void fill_all(void)
{
#define TAINT_IS_HAND_LANE false
#define TAINT_IS_HAND_TEST false
#define TAINT_IS_HAND_PICK false
#define TAINT_IS_HAND_MASK false
#define TAINT_IS_HAND_HAND true
#define OP(family, name, form, shape, D, A, B, C, ...)                                             \
	fill(OP_##name, #name, form, TAINT_IS_HAND_##shape,                                        \
	     (struct taint_rule){ .type = { TAINT_TYPE_##D, TAINT_TYPE_##A, TAINT_TYPE_##B,        \
					    TAINT_TYPE_##C } });
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
}

const struct taint_rule *taint_rule(uint32_t id)
{
	pthread_once(&rules.once, fill_all);
	return &rules.of[id];
}
