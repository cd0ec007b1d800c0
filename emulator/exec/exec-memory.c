/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores (PTX ISA 9.7.9.8 to 9.7.9.12). Three ways: halves of the warp that are one piece
 * or one value (lane-halves.h); all 32 addresses checked together against the buffer that this
 * operation touched last, then moved lane by lane; whatever does not fit there goes the exact way,
 * which finds the first lane at fault. */
#define TAKE_MEMORY KEEP
#include "emulator/memory/shadow.h"
#include "emulator/memory/state-space.h"
#include "emulator/memory/taint.h"
#include "emulator/warp/lane-halves.h"

/*
 * Offsets from the span's start for every lane; inactive lanes get the first active one's, so they
 * never fault. Shared memory is small: its offsets are 32 bits, and one that does not fit is past
 * any end.
 */
#define DEFINE_OFFSETS(T)                                                                          \
	LANE_INLINE void blend_##T(struct warp *w, T *off)                                         \
	{                                                                                          \
		T first = off[first_lane(w->mask)];                                                \
		const uint32_t *m = w->lanes;                                                      \
                                                                                                   \
		FOR_LANES                                                                          \
			off[l] = m[l] ? off[l] : first;                                            \
	}
DEFINE_OFFSETS(uint32_t)
DEFINE_OFFSETS(uint64_t)

LANE_INLINE void offsets_uint64_t(struct warp *w, const struct op *o, bool full, uint64_t base,
				  uint64_t *off)
{
	uint64_t imm = (uint64_t)o->imm - base;

	if (o->flags & OP_ADDRESS_32) {
		const uint32_t *a = ROW(w, uint32_t, o->a);

		FOR_LANES
			off[l] = (uint32_t)(a[l] + (uint32_t)imm);
	} else {
		const uint64_t *a = ROW(w, uint64_t, o->a);

		FOR_LANES
			off[l] = a[l] + imm;
	}
	if (!full)
		blend_uint64_t(w, off);
}

LANE_INLINE void offsets_uint32_t(struct warp *w, const struct op *o, bool full, uint64_t base,
				  uint32_t *off)
{
	uint64_t imm = (uint64_t)o->imm - base;

	if (o->flags & OP_ADDRESS_32) {
		const uint32_t *a = ROW(w, uint32_t, o->a);

		FOR_LANES
			off[l] = a[l] + (uint32_t)imm;
	} else {
		const uint64_t *a = ROW(w, uint64_t, o->a);

		FOR_LANES
			off[l] = (a[l] + imm) >> 32 ? UINT32_MAX : (uint32_t)(a[l] + imm);
	}
	if (!full)
		blend_uint32_t(w, off);
}

/* All lanes are checked at once: an offset past the limit shows in the sign of `bad`, a misaligned
 * one in `low`. */
#define DEFINE_INSIDE(T)                                                                           \
	LANE_INLINE bool inside_##T(const T *off, const struct span *s, T bytes)                   \
	{                                                                                          \
		T bad = 0, low = 0, limit = (T)s->size - bytes;                                    \
                                                                                                   \
		if (s->size < bytes)                                                               \
			return false;                                                              \
		FOR_LANES {                                                                        \
			bad |= off[l] | (limit - off[l]);                                          \
			low |= off[l];                                                             \
		}                                                                                  \
		return !(bad >> (8 * sizeof(T) - 1) || ((low | (T)s->base) & (bytes - 1)));        \
	}
DEFINE_INSIDE(uint32_t)
DEFINE_INSIDE(uint64_t)

/*
 * The values that lanes load are put together in a register: sixteen small writes to a row could
 * not be forwarded to the next operation, which reads it as a whole.
 */
typedef uint32_t part_uint32_t __attribute__((vector_size(64), may_alias));
typedef uint64_t part_uint64_t __attribute__((vector_size(64), may_alias));
#define ONE(i) *(const memory_type_ *)(from + off[(i)])
#define EIGHT(i)                                                                                   \
	ONE(i), ONE(i + 1), ONE(i + 2), ONE(i + 3), ONE(i + 4), ONE(i + 5), ONE(i + 6), ONE(i + 7)
#define PART_uint32_t(i)                                                                           \
	(part_uint32_t)                                                                            \
	{                                                                                          \
		EIGHT(i), EIGHT(i + 8)                                                             \
	}
#define PART_uint64_t(i)                                                                           \
	(part_uint64_t)                                                                            \
	{                                                                                          \
		EIGHT(i)                                                                           \
	}

#define DEFINE_LOAD_LANES(suffix, memory_type, row_type, T)                                        \
	LANE_INLINE void load_lanes_##suffix##_##T(row_type *d, const uint8_t *from, const T *off, \
						   uint64_t at, bool full, const uint32_t *m)      \
	{                                                                                          \
		typedef memory_type memory_type_;                                                  \
		_Alignas(64) row_type loaded[LANES], *to = full ? d : loaded;                      \
                                                                                                   \
		from += at;                                                                        \
		for (unsigned i = 0; i < LANES; i += 64 / sizeof(row_type))                        \
			*(part_##row_type *)(to + i) = PART_##row_type(i);                         \
		if (!full)                                                                         \
			FOR_LANES                                                                  \
				d[l] = m[l] ? loaded[l] : d[l];                                    \
	}
#define DEFINE_STORE_LANES(suffix, memory_type, row_type, T)                                       \
	LANE_INLINE void store_lanes_##suffix##_##T(const row_type *s, uint8_t *to, const T *off,  \
						    uint64_t at, uint32_t mask)                    \
	{                                                                                          \
		to += at;                                                                          \
		if (mask == ALL_LANES) {                                                           \
			for (int l = 0; l < LANES; l++)                                            \
				*(memory_type *)(to + off[l]) = (memory_type)s[l];                 \
			return;                                                                    \
		}                                                                                  \
		FOR_ACTIVE (l, mask)                                                               \
			*(memory_type *)(to + off[l]) = (memory_type)s[l];                         \
	}
#define DEFINE_LANES(T)                                                                            \
	DEFINE_LOAD_LANES(u8, uint8_t, uint32_t, T)                                                \
	DEFINE_LOAD_LANES(s8, int8_t, uint32_t, T)                                                 \
	DEFINE_LOAD_LANES(u16, uint16_t, uint32_t, T)                                              \
	DEFINE_LOAD_LANES(s16, int16_t, uint32_t, T)                                               \
	DEFINE_LOAD_LANES(b32, uint32_t, uint32_t, T)                                              \
	DEFINE_LOAD_LANES(b64, uint64_t, uint64_t, T)                                              \
	DEFINE_STORE_LANES(u8, uint8_t, uint32_t, T)                                               \
	DEFINE_STORE_LANES(u16, uint16_t, uint32_t, T)                                             \
	DEFINE_STORE_LANES(b32, uint32_t, uint32_t, T)                                             \
	DEFINE_STORE_LANES(b64, uint64_t, uint64_t, T)
DEFINE_LANES(uint32_t)
DEFINE_LANES(uint64_t)

/* Halves as they were found: elements of a vector lie beside each other. */
#define DEFINE_LOAD_HALF(suffix, memory_type, row_type)                                            \
	LANE_INLINE void load_half_##suffix(struct half h, row_type *d, int k, int count)          \
	{                                                                                          \
		const memory_type *from = (const memory_type *)h.at + k;                           \
                                                                                                   \
		if (h.same) {                                                                      \
			row_type v = (row_type) * from;                                            \
                                                                                                   \
			for (int l = 0; l < HALF_LANES; l++)                                       \
				d[l] = v;                                                          \
			return;                                                                    \
		}                                                                                  \
		NO_LANE_WAITS                                                                      \
		for (int l = 0; l < HALF_LANES; l++)                                               \
			d[l] = (row_type)from[l * count];                                          \
	}
/* When lanes write to one place, the last one stays. */
#define DEFINE_STORE_HALF(suffix, memory_type, row_type)                                           \
	LANE_INLINE void store_half_##suffix(struct half h, const row_type *v, int k, int count)   \
	{                                                                                          \
		memory_type *to = (memory_type *)h.at + k;                                         \
                                                                                                   \
		if (h.same) {                                                                      \
			*to = (memory_type)v[HALF_LANES - 1];                                      \
			return;                                                                    \
		}                                                                                  \
		NO_LANE_WAITS                                                                      \
		for (int l = 0; l < HALF_LANES; l++)                                               \
			to[l * count] = (memory_type)v[l];                                         \
	}
DEFINE_LOAD_HALF(u8, uint8_t, uint32_t)
DEFINE_LOAD_HALF(s8, int8_t, uint32_t)
DEFINE_LOAD_HALF(u16, uint16_t, uint32_t)
DEFINE_LOAD_HALF(s16, int16_t, uint32_t)
DEFINE_LOAD_HALF(b32, uint32_t, uint32_t)
DEFINE_LOAD_HALF(b64, uint64_t, uint64_t)
DEFINE_STORE_HALF(u8, uint8_t, uint32_t)
DEFINE_STORE_HALF(u16, uint16_t, uint32_t)
DEFINE_STORE_HALF(b32, uint32_t, uint32_t)
DEFINE_STORE_HALF(b64, uint64_t, uint64_t)

static inline struct span span_of(struct warp *w, const struct op *o, enum ptx_space space)
{
	if (space == PTX_SPACE_SHARED) {
		const struct memory_cache *a = &w->arrays[w->caches[o->cache].array];

		return (struct span){ a->base, a->size, a->bytes, a->shadow };
	}
	if (space == PTX_SPACE_LOCAL)
		return (struct span){ 0, w->local_size, w->local, w->local_shadow };
	return (struct span){ w->caches[o->cache].base, w->caches[o->cache].size,
			      w->caches[o->cache].bytes, w->caches[o->cache].shadow };
}

static __attribute__((noinline)) bool half_is_known(const struct span *s, const struct half *h,
						    uint32_t bytes)
{
	uint64_t off = (uint64_t)(h->at - s->bytes), end = (off + HALF_LANES * bytes) / SHADOW_WORD;

	if (h->same)
		return shadow_is_known(s->shadow, off, bytes);
	if (off % SHADOW_WORD == 0)
		return shadow_scan(s->shadow, off / SHADOW_WORD, end) == end;
	for (uint32_t l = 0; l < HALF_LANES; l++)
		if (!shadow_is_known(s->shadow, off + (uint64_t)l * bytes, bytes))
			return false;
	return true;
}

static __attribute__((noinline)) void mark_halves(struct warp *w, const struct op *o,
						  const struct span *s, const struct half *h,
						  uint32_t bytes)
{
	if (w->frame->taint) {
		taint_stored(w, o);
		return;
	}
	for (int i = 0; i < 2; i++, h++) {
		uint64_t off = (uint64_t)(h->at - s->bytes);

		if (!h->same && off % SHADOW_WORD == 0)
			memset(s->shadow + off / SHADOW_WORD, SHADOW_KNOWN,
			       HALF_LANES * bytes / SHADOW_WORD);
		else
			for (uint32_t l = 0; l < (h->same ? 1u : HALF_LANES); l++)
				shadow_mark(s->shadow, off + (uint64_t)l * bytes, bytes);
	}
}

#define DEFINE_SHADOW(T)                                                                           \
	static __attribute__((noinline)) bool is_known_##T(                                        \
		const struct warp *w, const uint8_t *shadow, const T *off, uint32_t bytes)         \
	{                                                                                          \
		bool known = true;                                                                 \
                                                                                                   \
		FOR_ACTIVE (l, w->mask)                                                            \
			known &= shadow_is_known(shadow, off[l], bytes);                           \
		return known;                                                                      \
	}                                                                                          \
	static __attribute__((noinline)) void mark_##T(                                            \
		struct warp *w, const struct op *o, uint8_t *shadow, const T *off, uint32_t bytes) \
	{                                                                                          \
		if (w->frame->taint) {                                                             \
			taint_stored(w, o);                                                        \
			return;                                                                    \
		}                                                                                  \
		FOR_ACTIVE (l, w->mask)                                                            \
			shadow_mark(shadow, off[l], bytes);                                        \
	}
DEFINE_SHADOW(uint32_t)
DEFINE_SHADOW(uint64_t)

/* After the exact path has found the bytes of a load. */
static bool lanes_are_known(const struct warp *w, const uint64_t *address, uint32_t bytes)
{
	bool known = true;

	FOR_ACTIVE (l, w->mask)
		known &= !w->worker->shadow_at[l] ||
			 shadow_is_known(w->worker->shadow_at[l], address[l] & 3, bytes);
	return known;
}

static inline uint32_t row_offset(const struct op *o, uint32_t first, int k)
{
	return k ? o->x[k - 1] : first;
}

/* The exact path: every active lane is looked up by itself; a bad one ends in a fault. */
static bool resolve(struct warp *w, const struct op *o, enum ptx_space space, enum gpu_access kind,
		    uint32_t bytes, uint8_t **at)
{
	uint64_t address[LANES];
	struct memory_access access = { space, kind, bytes, bytes };

	if (space != PTX_SPACE_GLOBAL && (o->flags & OP_ADDRESS_32)) {
		const uint32_t *a = ROW(w, uint32_t, o->a);

		for (int l = 0; l < LANES; l++)
			address[l] = (uint32_t)(a[l] + (uint32_t)o->imm);
	} else {
		const uint64_t *a = ROW(w, uint64_t, o->a);

		for (int l = 0; l < LANES; l++)
			address[l] = a[l] + (uint64_t)o->imm;
	}
	if (o->flags & OP_GENERIC)
		access.space = PTX_SPACE_GENERIC;
	else if (o->flags & OP_CONST)
		access.space = PTX_SPACE_CONST;
	if (!state_space_resolve(w, o, address, access, at))
		return false;
	return kind != GPU_ACCESS_READ || lanes_are_known(w, address, bytes) || taint_loaded(w, o);
}

#define VECTOR_BYTES_MAX 16

/*
 * A vector that other threads may look at meanwhile is moved as one piece, as a GPU does: the
 * look-back between blocks of CUB relies on it (a state and its value in 16 bytes). Aligned pieces
 * of 16 bytes are one access of every processor with AVX, and of ARM's from v8.4 on.
 */
typedef uint64_t piece_16 __attribute__((vector_size(16), may_alias));
typedef uint64_t piece_8 __attribute__((may_alias));
typedef uint32_t piece_4 __attribute__((may_alias));
typedef uint16_t piece_2 __attribute__((may_alias));

LANE_INLINE void move_piece(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	if (bytes == 16)
		*(volatile piece_16 *)to = *(const volatile piece_16 *)from;
	else if (bytes == 8)
		*(volatile piece_8 *)to = *(const volatile piece_8 *)from;
	else if (bytes == 4)
		*(volatile piece_4 *)to = *(const volatile piece_4 *)from;
	else
		*(volatile piece_2 *)to = *(const volatile piece_2 *)from;
}

LANE_INLINE bool is_shared_vector(const struct op *o, enum ptx_space space, int count)
{
	return count > 1 && space == PTX_SPACE_GLOBAL && __builtin_expect(o->flags & OP_STRONG, 0);
}

/* The exact path, which is the same for all spaces and masks: one copy for each type. */
#define DEFINE_LOAD_EXACTLY(suffix, memory_type, row_type)                                         \
	static __attribute__((noinline)) const struct op *load_exactly_##suffix(                   \
		struct warp *w, const struct op *o, enum ptx_space space, int count)               \
	{                                                                                          \
		const uint32_t bytes = (uint32_t)(sizeof(memory_type) * (size_t)count);            \
		const bool strong = is_shared_vector(o, space, count);                             \
		uint8_t *at[LANES];                                                                \
                                                                                                   \
		if (!resolve(w, o, space, GPU_ACCESS_READ, bytes, at))                             \
			return NULL;                                                               \
		FOR_ACTIVE (l, w->mask) {                                                          \
			_Alignas(16) uint8_t piece[VECTOR_BYTES_MAX];                              \
			const uint8_t *from = at[l];                                               \
                                                                                                   \
			if (strong) {                                                              \
				move_piece(piece, from, bytes);                                    \
				from = piece;                                                      \
			}                                                                          \
			for (int k = 0; k < count; k++) {                                          \
				row_type *d = ROW(w, row_type, row_offset(o, o->d, k));            \
                                                                                                   \
				d[l] = (row_type)((const memory_type *)from)[k];                   \
			}                                                                          \
		}                                                                                  \
		return o + 1;                                                                      \
	}
#define DEFINE_STORE_EXACTLY(suffix, memory_type, row_type)                                        \
	static __attribute__((noinline)) const struct op *store_exactly_##suffix(                  \
		struct warp *w, const struct op *o, enum ptx_space space, int count)               \
	{                                                                                          \
		const uint32_t bytes = (uint32_t)(sizeof(memory_type) * (size_t)count);            \
		const bool strong = is_shared_vector(o, space, count);                             \
		uint8_t *at[LANES];                                                                \
                                                                                                   \
		if (!resolve(w, o, space, GPU_ACCESS_WRITE, bytes, at))                            \
			return NULL;                                                               \
		FOR_ACTIVE (l, w->mask) {                                                          \
			_Alignas(16) uint8_t piece[VECTOR_BYTES_MAX];                              \
			uint8_t *to = strong ? piece : at[l];                                      \
                                                                                                   \
			for (int k = 0; k < count; k++) {                                          \
				const row_type *v = ROW(w, row_type, row_offset(o, o->b, k));      \
                                                                                                   \
				((memory_type *)to)[k] = (memory_type)v[l];                        \
			}                                                                          \
			if (strong)                                                                \
				move_piece(at[l], piece, bytes);                                   \
		}                                                                                  \
		return o + 1;                                                                      \
	}
DEFINE_LOAD_EXACTLY(u8, uint8_t, uint32_t)
DEFINE_LOAD_EXACTLY(s8, int8_t, uint32_t)
DEFINE_LOAD_EXACTLY(u16, uint16_t, uint32_t)
DEFINE_LOAD_EXACTLY(s16, int16_t, uint32_t)
DEFINE_LOAD_EXACTLY(b32, uint32_t, uint32_t)
DEFINE_LOAD_EXACTLY(b64, uint64_t, uint64_t)
DEFINE_STORE_EXACTLY(u8, uint8_t, uint32_t)
DEFINE_STORE_EXACTLY(u16, uint16_t, uint32_t)
DEFINE_STORE_EXACTLY(b32, uint32_t, uint32_t)
DEFINE_STORE_EXACTLY(b64, uint64_t, uint64_t)

#define DEFINE_LOAD(name, space, suffix, memory_type, row_type, count, T)                          \
	LANE_INLINE const struct op *name(struct warp *w, const struct op *o, bool full)           \
	{                                                                                          \
		const T bytes = sizeof(memory_type) * count;                                       \
		_Alignas(64) T off[LANES];                                                         \
		struct span s = span_of(w, o, space);                                              \
		struct half halves[2];                                                             \
		const bool strong = is_shared_vector(o, space, count);                             \
                                                                                                   \
		if (!strong && full && space != PTX_SPACE_LOCAL &&                                 \
		    halves_find(w, o, &s, bytes, halves)) {                                        \
			if (__builtin_expect(s.shadow != NULL, 0) &&                               \
			    !(half_is_known(&s, &halves[0], (uint32_t)bytes) &&                    \
			      half_is_known(&s, &halves[1], (uint32_t)bytes)) &&                   \
			    !taint_loaded(w, o))                                                   \
				return NULL;                                                       \
			for (int k = 0; k < count; k++) {                                          \
				row_type *r = ROW(w, row_type, row_offset(o, o->d, k));            \
                                                                                                   \
				load_half_##suffix(halves[0], r, k, count);                        \
				load_half_##suffix(halves[1], r + HALF_LANES, k, count);           \
			}                                                                          \
			return o + 1;                                                              \
		}                                                                                  \
		offsets_##T(w, o, full, s.base, off);                                              \
		if (!strong && inside_##T(off, &s, bytes)) {                                       \
			if (space == PTX_SPACE_LOCAL)                                              \
				FOR_LANES                                                          \
					off[l] += (T)l * (T)s.size;                                \
			if (__builtin_expect(s.shadow != NULL, 0) &&                               \
			    !is_known_##T(w, s.shadow, off, (uint32_t)bytes) &&                    \
			    !taint_loaded(w, o))                                                   \
				return NULL;                                                       \
			for (int k = 0; k < count; k++)                                            \
				load_lanes_##suffix##_##T(                                         \
					ROW(w, row_type, row_offset(o, o->d, k)), s.bytes, off,    \
					(uint64_t)k * sizeof(memory_type), full, w->lanes);        \
			return o + 1;                                                              \
		}                                                                                  \
		return load_exactly_##suffix(w, o, space, count);                                  \
	}                                                                                          \
	HANDLER(name##_full)                                                                       \
	{                                                                                          \
		return name(w, o, true);                                                           \
	}                                                                                          \
	HANDLER(name##_masked)                                                                     \
	{                                                                                          \
		return name(w, o, false);                                                          \
	}

#define DEFINE_STORE(name, space, suffix, memory_type, row_type, count, T)                         \
	LANE_INLINE const struct op *name(struct warp *w, const struct op *o, bool full)           \
	{                                                                                          \
		const T bytes = sizeof(memory_type) * count;                                       \
		_Alignas(64) T off[LANES];                                                         \
		struct span s = span_of(w, o, space);                                              \
		struct half halves[2];                                                             \
		const bool strong = is_shared_vector(o, space, count);                             \
                                                                                                   \
		if (!strong && full && space != PTX_SPACE_LOCAL &&                                 \
		    halves_find(w, o, &s, bytes, halves)) {                                        \
			if (__builtin_expect(s.shadow != NULL, 0))                                 \
				mark_halves(w, o, &s, halves, (uint32_t)bytes);                    \
			for (int k = 0; k < count; k++) {                                          \
				const row_type *r = ROW(w, row_type, row_offset(o, o->b, k));      \
                                                                                                   \
				store_half_##suffix(halves[0], r, k, count);                       \
				store_half_##suffix(halves[1], r + HALF_LANES, k, count);          \
			}                                                                          \
			return o + 1;                                                              \
		}                                                                                  \
		offsets_##T(w, o, full, s.base, off);                                              \
		if (!strong && inside_##T(off, &s, bytes)) {                                       \
			if (space == PTX_SPACE_LOCAL)                                              \
				FOR_LANES                                                          \
					off[l] += (T)l * (T)s.size;                                \
			if (__builtin_expect(s.shadow != NULL, 0))                                 \
				mark_##T(w, o, s.shadow, off, (uint32_t)bytes);                    \
			for (int k = 0; k < count; k++)                                            \
				store_lanes_##suffix##_##T(                                        \
					ROW(w, row_type, row_offset(o, o->b, k)), s.bytes, off,    \
					(uint64_t)k * sizeof(memory_type), w->mask);               \
			return o + 1;                                                              \
		}                                                                                  \
		return store_exactly_##suffix(w, o, space, count);                                 \
	}                                                                                          \
	HANDLER(name##_full)                                                                       \
	{                                                                                          \
		return name(w, o, true);                                                           \
	}                                                                                          \
	HANDLER(name##_masked)                                                                     \
	{                                                                                          \
		return name(w, o, false);                                                          \
	}

#define DEFINE_SPACES(DEFINE, op, suffix, vector, memory_type, row_type, count)                    \
	DEFINE(op##_global_##suffix##vector, PTX_SPACE_GLOBAL, suffix, memory_type, row_type,      \
	       count, uint64_t)                                                                    \
	DEFINE(op##_shared_##suffix##vector, PTX_SPACE_SHARED, suffix, memory_type, row_type,      \
	       count, uint32_t)                                                                    \
	DEFINE(op##_local_##suffix##vector, PTX_SPACE_LOCAL, suffix, memory_type, row_type, count, \
	       uint32_t)
#define DEFINE_LOADS(vector, count)                                                                \
	DEFINE_SPACES(DEFINE_LOAD, ld, u8, vector, uint8_t, uint32_t, count)                       \
	DEFINE_SPACES(DEFINE_LOAD, ld, s8, vector, int8_t, uint32_t, count)                        \
	DEFINE_SPACES(DEFINE_LOAD, ld, u16, vector, uint16_t, uint32_t, count)                     \
	DEFINE_SPACES(DEFINE_LOAD, ld, s16, vector, int16_t, uint32_t, count)                      \
	DEFINE_SPACES(DEFINE_LOAD, ld, b32, vector, uint32_t, uint32_t, count)
#define DEFINE_STORES(vector, count)                                                               \
	DEFINE_SPACES(DEFINE_STORE, st, u8, vector, uint8_t, uint32_t, count)                      \
	DEFINE_SPACES(DEFINE_STORE, st, u16, vector, uint16_t, uint32_t, count)                    \
	DEFINE_SPACES(DEFINE_STORE, st, b32, vector, uint32_t, uint32_t, count)

DEFINE_LOADS(, 1)
DEFINE_LOADS(v2, 2)
DEFINE_LOADS(v4, 4)
DEFINE_SPACES(DEFINE_LOAD, ld, b64, , uint64_t, uint64_t, 1)
DEFINE_SPACES(DEFINE_LOAD, ld, b64, v2, uint64_t, uint64_t, 2)
DEFINE_STORES(, 1)
DEFINE_STORES(v2, 2)
DEFINE_STORES(v4, 4)
DEFINE_SPACES(DEFINE_STORE, st, b64, , uint64_t, uint64_t, 1)
DEFINE_SPACES(DEFINE_STORE, st, b64, v2, uint64_t, uint64_t, 2)

/* Parameters of called functions lie in the frame, lane after lane. */
#define DEFINE_PARAM(suffix, memory_type, row_type)                                                \
	HANDLER(ld_param_##suffix##_masked)                                                        \
	{                                                                                          \
		const uint8_t *from = w->frame->params + o->imm;                                   \
		uint32_t step = w->frame->program->param_area;                                     \
		row_type *d = ROW(w, row_type, o->d);                                              \
		memory_type v;                                                                     \
                                                                                                   \
		FOR_ACTIVE (l, w->mask) {                                                          \
			memcpy(&v, from + (uint64_t)l * step, sizeof(v));                          \
			d[l] = (row_type)v;                                                        \
		}                                                                                  \
		return o + 1;                                                                      \
	}                                                                                          \
	HANDLER(ld_param_##suffix##_full)                                                          \
	{                                                                                          \
		return ld_param_##suffix##_masked(w, o);                                           \
	}
#define DEFINE_PARAM_STORE(suffix, memory_type, row_type)                                          \
	HANDLER(st_param_##suffix##_masked)                                                        \
	{                                                                                          \
		uint8_t *to = w->frame->params + o->imm;                                           \
		uint32_t step = w->frame->program->param_area;                                     \
		const row_type *s = ROW(w, row_type, o->b);                                        \
                                                                                                   \
		FOR_ACTIVE (l, w->mask) {                                                          \
			memory_type v = (memory_type)s[l];                                         \
                                                                                                   \
			memcpy(to + (uint64_t)l * step, &v, sizeof(v));                            \
		}                                                                                  \
		return o + 1;                                                                      \
	}                                                                                          \
	HANDLER(st_param_##suffix##_full)                                                          \
	{                                                                                          \
		return st_param_##suffix##_masked(w, o);                                           \
	}
DEFINE_PARAM(u8, uint8_t, uint32_t)
DEFINE_PARAM(s8, int8_t, uint32_t)
DEFINE_PARAM(u16, uint16_t, uint32_t)
DEFINE_PARAM(s16, int16_t, uint32_t)
DEFINE_PARAM(b32, uint32_t, uint32_t)
DEFINE_PARAM(b64, uint64_t, uint64_t)
DEFINE_PARAM_STORE(u8, uint8_t, uint32_t)
DEFINE_PARAM_STORE(u16, uint16_t, uint32_t)
DEFINE_PARAM_STORE(b32, uint32_t, uint32_t)
DEFINE_PARAM_STORE(b64, uint64_t, uint64_t)

#define OP EXEC_DEFINE
#include "emulator/ptx/ptx-opcodes.def"
#undef OP

const struct op_entry ENTRIES(exec_memory)[] = {
#define OP EXEC_LIST
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	{ OP_COUNT, NULL, NULL },
};
