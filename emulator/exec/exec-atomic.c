/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic operations (PTX ISA 9.7.13), lane by lane in lane order. Other blocks run on other host
 * threads, so each one is a host atomic; floating point and the rest go through compare and swap.
 */
#define TAKE_ATOMIC KEEP
#include "emulator/memory/state-space.h"
#include "emulator/memory/taint.h"
#include "emulator/ptx/ptx-ops.h"
#include "emulator/warp/exec.h"

static bool same_width_32(uint32_t type)
{
	return type == ATOM_U32 || type == ATOM_S32 || type == ATOM_F32 || type == ATOM_F16X2 ||
	       type == ATOM_BF16X2;
}

static uint32_t combine_32(uint32_t what, uint32_t type, uint32_t old, uint32_t b, uint32_t c)
{
	switch (what) {
	case ATOM_ADD:
		if (type == ATOM_F32)
			return bits_of(canonical_f32(float_of(old) + float_of(b)));
		if (type == ATOM_F16X2)
			return HALVES(half_to_float(LOW(old)) + half_to_float(LOW(b)),
				      half_to_float(HIGH(old)) + half_to_float(HIGH(b)));
		if (type == ATOM_BF16X2)
			return float_to_bfloat(float_of(old << 16) + float_of(b << 16)) |
			       (uint32_t)float_to_bfloat(float_of(old & 0xffff0000u) +
							 float_of(b & 0xffff0000u))
				       << 16;
		return old + b;
	case ATOM_MIN:
		if (type == ATOM_S32)
			return (int32_t)old < (int32_t)b ? old : b;
		return old < b ? old : b;
	case ATOM_MAX:
		if (type == ATOM_S32)
			return (int32_t)old > (int32_t)b ? old : b;
		return old > b ? old : b;
	case ATOM_INC:
		return old >= b ? 0 : old + 1;
	case ATOM_DEC:
		return old == 0 || old > b ? b : old - 1;
	case ATOM_AND:
		return old & b;
	case ATOM_OR:
		return old | b;
	case ATOM_XOR:
		return old ^ b;
	case ATOM_CAS:
		return old == b ? c : old;
	default:
		return b;
	}
}

static uint64_t combine_64(uint32_t what, uint32_t type, uint64_t old, uint64_t b, uint64_t c)
{
	switch (what) {
	case ATOM_ADD:
		return type == ATOM_F64 ? double_bits(double_of(old) + double_of(b)) : old + b;
	case ATOM_MIN:
		if (type == ATOM_S64)
			return (int64_t)old < (int64_t)b ? old : b;
		return old < b ? old : b;
	case ATOM_MAX:
		if (type == ATOM_S64)
			return (int64_t)old > (int64_t)b ? old : b;
		return old > b ? old : b;
	case ATOM_AND:
		return old & b;
	case ATOM_OR:
		return old | b;
	case ATOM_XOR:
		return old ^ b;
	case ATOM_CAS:
		return old == b ? c : old;
	default:
		return b;
	}
}

static uint16_t combine_16(uint32_t what, uint32_t type, uint16_t old, uint16_t b, uint16_t c)
{
	if (what == ATOM_CAS)
		return old == b ? c : old;
	if (what == ATOM_ADD && type == ATOM_BF16)
		return float_to_bfloat(float_of((uint32_t)old << 16) + float_of((uint32_t)b << 16));
	if (what == ATOM_ADD)
		return float_to_half(half_to_float(old) + half_to_float(b));
	return b;
}

#define DEFINE_APPLY(name, T, combine)                                                             \
	static T name(T *at, uint32_t what, uint32_t type, T b, T c)                               \
	{                                                                                          \
		T old = __atomic_load_n(at, __ATOMIC_RELAXED);                                     \
                                                                                                   \
		while (!__atomic_compare_exchange_n(at, &old, combine(what, type, old, b, c),      \
						    true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))     \
			;                                                                          \
		return old;                                                                        \
	}
DEFINE_APPLY(apply_16, uint16_t, combine_16)
DEFINE_APPLY(apply_32, uint32_t, combine_32)
DEFINE_APPLY(apply_64, uint64_t, combine_64)

static void run_16(struct warp *w, const struct op *o, uint32_t what, uint32_t type,
		   uint8_t *const *at)
{
	const uint32_t *b = ROW(w, uint32_t, o->b), *c = ROW(w, uint32_t, o->c);
	uint32_t *d = o->x[1] ? ROW(w, uint32_t, o->d) : NULL;

	FOR_ACTIVE (l, w->mask) {
		uint16_t old =
			apply_16((uint16_t *)at[l], what, type, (uint16_t)b[l], (uint16_t)c[l]);

		if (d)
			d[l] = old;
	}
}

/* A lock that is taken: who holds it may be a lane that waits for its turn. */
static inline void lost_race(struct warp *w, uint32_t what, bool lost)
{
	if (lost && (what == ATOM_CAS || what == ATOM_EXCH))
		w->budget -= MACHINE_LOST_RACE;
}

static void run_32(struct warp *w, const struct op *o, uint32_t what, uint32_t type,
		   uint8_t *const *at)
{
	const uint32_t *b = ROW(w, uint32_t, o->b), *c = ROW(w, uint32_t, o->c);
	uint32_t *d = o->x[1] ? ROW(w, uint32_t, o->d) : NULL;
	bool lost = false;

	FOR_ACTIVE (l, w->mask) {
		uint32_t *p = (uint32_t *)at[l], old;

		if (what == ATOM_ADD && (type == ATOM_U32 || type == ATOM_S32))
			old = __atomic_fetch_add(p, b[l], __ATOMIC_SEQ_CST);
		else if (what == ATOM_EXCH)
			old = __atomic_exchange_n(p, b[l], __ATOMIC_SEQ_CST);
		else
			old = apply_32(p, what, type, b[l], c[l]);
		lost |= what == ATOM_CAS ? old != b[l] : old == b[l];
		if (d)
			d[l] = old;
	}
	lost_race(w, what, lost);
}

static void run_64(struct warp *w, const struct op *o, uint32_t what, uint32_t type,
		   uint8_t *const *at)
{
	const uint64_t *b = ROW(w, uint64_t, o->b), *c = ROW(w, uint64_t, o->c);
	uint64_t *d = o->x[1] ? ROW(w, uint64_t, o->d) : NULL;

	FOR_ACTIVE (l, w->mask) {
		uint64_t old = apply_64((uint64_t *)at[l], what, type, b[l], c[l]);

		if (d)
			d[l] = old;
	}
}

static void run(struct warp *w, const struct op *o, uint8_t *const *at, uint32_t bytes)
{
	uint32_t what = o->x[0] & 255, type = o->x[0] >> 8 & 255;

	if (bytes == 2)
		run_16(w, o, what, type, at);
	else if (bytes == 4)
		run_32(w, o, what, type, at);
	else
		run_64(w, o, what, type, at);
}

/* A lock that is not got changes nothing. */
static void run_watched(struct warp *w, const struct op *o, uint8_t *const *at, uint32_t bytes)
{
	uint64_t before[LANES] = { 0 };

	FOR_ACTIVE (l, w->mask)
		memcpy(&before[l], at[l], bytes);
	run(w, o, at, bytes);
	FOR_ACTIVE (l, w->mask)
		if (memcmp(&before[l], at[l], bytes))
			w->worker->stall.changed = true;
}

/* x[0]: what | type << 8 | space << 16; x[1]: the old value is wanted. */
HANDLER(atom_masked)
{
	uint32_t type = o->x[0] >> 8 & 255;
	uint32_t bytes = type == ATOM_F16 || type == ATOM_BF16 ? 2 : same_width_32(type) ? 4 : 8;
	enum ptx_space space = (enum ptx_space)(o->x[0] >> 16);
	struct memory_access access = { space, GPU_ACCESS_ATOMIC, bytes, bytes };
	uint64_t address[LANES];
	uint8_t *at[LANES];
	const struct memory_cache *cache = &w->caches[o->cache];
	uint32_t outside = 0;

	if (space == PTX_SPACE_SHARED)
		cache = &w->arrays[cache->array];

	if (o->flags & OP_ADDRESS_32) {
		const uint32_t *a = ROW(w, uint32_t, o->a);

		for (int l = 0; l < LANES; l++)
			address[l] = (uint32_t)(a[l] + (uint32_t)o->imm);
	} else {
		const uint64_t *a = ROW(w, uint64_t, o->a);

		for (int l = 0; l < LANES; l++)
			address[l] = a[l] + (uint64_t)o->imm;
	}
	FOR_ACTIVE (l, w->mask) {
		uint64_t off = address[l] - cache->base;

		if (off >= cache->size || cache->size - off < bytes || address[l] & (bytes - 1))
			outside |= 1u << l;
		else
			at[l] = cache->bytes + off;
	}
	if (outside && !state_space_resolve(w, o, address, access, at))
		return NULL;
	if (outside || cache->shadow)
		taint_atomic(w, o, w->mask, address, bytes,
			     o->flags & OP_GENERIC ? PTX_SPACE_GENERIC : space);
	if (w->worker->stall.watched) {
		run_watched(w, o, at, bytes);
		return o + 1;
	}
	run(w, o, at, bytes);
	return o + 1;
}

HANDLER(atom_full)
{
	return atom_masked(w, o);
}

HANDLER(fence_full)
{
	(void)w;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return o + 1;
}

HANDLER(fence_masked)
{
	return fence_full(w, o);
}

#define OP EXEC_DEFINE
#include "emulator/ptx/ptx-opcodes.def"
#undef OP

const struct op_entry ENTRIES(exec_atomic)[] = {
#define OP EXEC_LIST
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	{ OP_COUNT, NULL, NULL },
};
