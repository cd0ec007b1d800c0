/* SPDX-License-Identifier: Apache-2.0 */
/* Integer arithmetic (PTX ISA 9.7.1, 9.7.2). By hand: bfi, which has four sources, and the carry
 * chain, whose flag is a lane mask in predicate slot 0. */
#define TAKE_INTEGER KEEP
#include "emulator/warp/exec.h"

#define DEFINE_INSERT(name, T)                                                                     \
	static inline const struct op *name(struct warp *w, const struct op *o, uint32_t mask)     \
	{                                                                                          \
		T *d = ROW(w, T, o->d);                                                            \
		const T *a = ROW(w, T, o->a), *b = ROW(w, T, o->b);                                \
		const uint32_t *pos = ROW(w, uint32_t, o->c), *len = ROW(w, uint32_t, o->x[0]);    \
                                                                                                   \
		FOR_LANES {                                                                        \
			T r = (T)insert_bits(a[l], b[l], pos[l], len[l]);                          \
			d[l] = mask >> l & 1 ? r : d[l];                                           \
		}                                                                                  \
		return o + 1;                                                                      \
	}                                                                                          \
	HANDLER(name##_full)                                                                       \
	{                                                                                          \
		return name(w, o, ALL_LANES);                                                      \
	}                                                                                          \
	HANDLER(name##_masked)                                                                     \
	{                                                                                          \
		return name(w, o, w->mask);                                                        \
	}

DEFINE_INSERT(bfi_b32, uint32_t)
DEFINE_INSERT(bfi_b64, uint64_t)

#define CARRY_SLOT 0

/* One step of a carry chain: `in` and `out` say whether the flag is read and written. */
#define DEFINE_CARRY(name, T, in, out, function)                                                   \
	HANDLER(name##_masked)                                                                     \
	{                                                                                          \
		T *d = ROW(w, T, o->d);                                                            \
		const T *a = ROW(w, T, o->a), *b = ROW(w, T, o->b);                                \
		uint32_t flag = PREDICATE(w, CARRY_SLOT), next = flag;                             \
                                                                                                   \
		FOR_ACTIVE (l, w->mask) {                                                          \
			T r;                                                                       \
			T carry = in ? (T)(flag >> l & 1) : 0;                                     \
			bool over = function(a[l], b[l], &r);                                      \
                                                                                                   \
			over |= function(r, carry, &r);                                            \
			d[l] = r;                                                                  \
			next = (next & ~(1u << l)) | (uint32_t)over << l;                          \
		}                                                                                  \
		if (out)                                                                           \
			PREDICATE(w, CARRY_SLOT) = next;                                           \
		return o + 1;                                                                      \
	}                                                                                          \
	HANDLER(name##_full)                                                                       \
	{                                                                                          \
		return name##_masked(w, o);                                                        \
	}

DEFINE_CARRY(add_cc_u32, uint32_t, false, true, __builtin_add_overflow)
DEFINE_CARRY(addc_u32, uint32_t, true, false, __builtin_add_overflow)
DEFINE_CARRY(addc_cc_u32, uint32_t, true, true, __builtin_add_overflow)
DEFINE_CARRY(sub_cc_u32, uint32_t, false, true, __builtin_sub_overflow)
DEFINE_CARRY(subc_u32, uint32_t, true, false, __builtin_sub_overflow)
DEFINE_CARRY(subc_cc_u32, uint32_t, true, true, __builtin_sub_overflow)
DEFINE_CARRY(add_cc_u64, uint64_t, false, true, __builtin_add_overflow)
DEFINE_CARRY(addc_u64, uint64_t, true, false, __builtin_add_overflow)
DEFINE_CARRY(addc_cc_u64, uint64_t, true, true, __builtin_add_overflow)
DEFINE_CARRY(sub_cc_u64, uint64_t, false, true, __builtin_sub_overflow)
DEFINE_CARRY(subc_u64, uint64_t, true, false, __builtin_sub_overflow)
DEFINE_CARRY(subc_cc_u64, uint64_t, true, true, __builtin_sub_overflow)

#define OP EXEC_DEFINE
#include "emulator/ptx/ptx-opcodes.def"
#undef OP

const struct op_entry ENTRIES(exec_integer)[] = {
#define OP EXEC_LIST
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	{ OP_COUNT, NULL, NULL },
};
