/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads, stores and atomics give one list of addresses; what lies in several state spaces is given
 * out in parts. Copies and matrix operations are taken apart into such lists.
 */
#include "emulator/memory/access.h"

#include <stdio.h>
#include <string.h>

#include "emulator/memory/block-memory.h"
#include "emulator/memory/state-space.h"
#include "emulator/ptx/matrix.h"
#include "emulator/ptx/ptx-ops.h"
#include "emulator/warp/exec.h"

struct access_table access_table = { .once = PTHREAD_ONCE_INIT };

/* "(ld).global.b32v2": a load of 8 bytes from global memory */
static struct access_shape shape_of_form(const char *form)
{
	char what[4], space[8], type;
	unsigned bits, count = 1;
	struct access_shape s = { .family = ACCESS_MEMORY };

	if (sscanf(form, "(%3[lds t]).%7[a-z].%c%uv%u", what, space, &type, &bits, &count) < 4)
		return (struct access_shape){ 0 };
	s.kind = what[0] == 'l' ? GPU_ACCESS_READ : GPU_ACCESS_WRITE;
	if (!strcmp(space, "param"))
		return (struct access_shape){ 0 };
	s.space = !strcmp(space, "shared")  ? PTX_SPACE_SHARED
		  : !strcmp(space, "local") ? PTX_SPACE_LOCAL
					    : PTX_SPACE_GLOBAL;
	s.size = (uint8_t)(bits / 8 * count);
	s.count = (uint8_t)count;
	return s;
}

static void fill_shapes(void)
{
#define OP(family, name, form, ...) access_table.shapes[OP_##name] = shape_of_form(form);
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	static const uint16_t prefixes[] = { OP_guard, OP_guard_not, OP_mode };
	static const uint16_t memory[] = { OP_atom,         OP_cp_async, OP_cp_bulk, OP_matrix_load,
					   OP_matrix_store, OP_ldmatrix, OP_stmatrix };
	static const uint16_t syncs[] = { OP_fence, OP_barrier, OP_shfl,     OP_vote,
					  OP_match, OP_redux,   OP_bar_warp, OP_elect };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		access_table.shapes[prefixes[i]].family = ACCESS_PREFIX;
	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		access_table.shapes[memory[i]].family = ACCESS_MEMORY;
	for (size_t i = 0; i < sizeof(syncs) / sizeof(syncs[0]); i++)
		access_table.shapes[syncs[i]].family = ACCESS_SYNC;
	access_table.shapes[OP_mbarrier].family = ACCESS_BOTH;
}

void access_prepare(void)
{
	pthread_once(&access_table.once, fill_shapes);
}

static bool is_plain_store(struct access_shape shape)
{
	return shape.count && shape.kind == GPU_ACCESS_WRITE;
}

/* Bytes of a lane in the row of a vector's element. */
static size_t lane_bytes(struct access_shape shape)
{
	return shape.size / shape.count == 8 ? 8 : 4;
}

/* The element number i of what is stored, for all lanes. */
static const uint8_t *stored_row(const struct warp *w, const struct op *o, uint32_t i)
{
	return w->rows + (i ? o->x[i - 1] : o->b);
}

bool access_value(const struct warp *w, const struct op *o, uint32_t lane, uint8_t *ret)
{
	struct access_shape shape = access_table.shapes[o->id];
	uint32_t bytes;

	if (!is_plain_store(shape))
		return false;
	bytes = shape.size / shape.count;
	for (uint32_t i = 0; i < shape.count; i++)
		memcpy(ret + i * bytes, stored_row(w, o, i) + lane * lane_bytes(shape), bytes);
	return true;
}

bool access_registers_copy(const struct warp *w, const struct op *o, struct access_registers *ret)
{
	struct access_shape shape = access_table.shapes[o->id];

	if (!is_plain_store(shape) || shape.count > ACCESS_ELEMENTS)
		return false;
	for (uint32_t i = 0; i < shape.count; i++)
		memcpy(ret->rows[i], stored_row(w, o, i), LANES * lane_bytes(shape));
	return true;
}

void access_registers_value(const struct access_registers *r, const struct op *o, uint32_t lane,
			    uint8_t *ret)
{
	struct access_shape shape = access_table.shapes[o->id];
	uint32_t bytes = shape.size / shape.count;

	for (uint32_t i = 0; i < shape.count; i++)
		memcpy(ret + i * bytes, r->rows[i] + lane * lane_bytes(shape), bytes);
}

struct listing {
	struct warp *w;
	const struct op *o;
	access_fn *fn;
	void *data;
};

static void give(const struct listing *x, struct memory_step *s, enum ptx_space space,
		 uint32_t mask)
{
	if (!mask)
		return;
	s->space = space;
	s->mask = mask;
	x->fn(x->data, x->w, x->o, s);
}

/* Lanes that take no part get the address of one that does, so that all 32 can be checked at once.
 */
static void fill_lanes(struct memory_step *s)
{
	uint64_t first = s->address[first_lane(s->mask)];

	if (s->mask == ALL_LANES)
		return;
	for (uint32_t l = 0; l < LANES; l++)
		s->address[l] = s->mask >> l & 1 ? s->address[l] : first;
}

/* All lanes touch bytes from `base` on, `size` there are. */
static bool all_inside(const struct memory_step *s, uint64_t base, uint64_t size)
{
	uint64_t bad = 0, last = size - s->size;

	if (size < s->size)
		return false;
	FOR_LANES
		bad |= (s->address[l] - base) | (last - (s->address[l] - base));
	return !(bad >> 63);
}

static bool all_aligned(const struct memory_step *s)
{
	uint64_t low = 0;

	if (s->size & (s->size - 1))
		return true;
	FOR_LANES
		low |= s->address[l];
	return !(low & (s->size - 1));
}

static bool in_shared(const struct listing *x, const struct memory_step *s)
{
	const struct memory_cache *a = &x->w->arrays[x->w->caches[x->o->cache].array];

	if (all_inside(s, a->base, a->size))
		return true;
	FOR_ACTIVE (l, s->mask)
		if (!block_array(x->w->block, s->address[l], s->size))
			return false;
	return true;
}

/* Lane by lane; spaces[] says which lanes are in which state space. */
static bool place_lanes(const struct listing *x, struct memory_step *s, enum ptx_space wanted,
			uint32_t *spaces)
{
	const struct memory_cache *cache = &x->w->caches[x->o->cache];

	if (all_inside(s, cache->base, cache->size)) {
		FOR_LANES
			s->found[l] = cache->bytes + (s->address[l] - cache->base);
		spaces[PTX_SPACE_GLOBAL] = s->mask;
		return true;
	}
	FOR_ACTIVE (l, s->mask) {
		enum ptx_space space;

		s->found[l] =
			state_space_peek(x->w, l, &s->address[l], s->size, s->kind, wanted, &space);
		if (!s->found[l])
			return false;
		spaces[space] |= 1u << l;
	}
	return true;
}

/* One access of s->size bytes by the lanes of s->mask at s->address. False: it will fault, and
 * nothing was told. */
static bool give_access(const struct listing *x, struct memory_step *s, enum ptx_space space)
{
	uint32_t spaces[PTX_SPACE_PARAM + 1] = { 0 };

	fill_lanes(s);
	if (!all_aligned(s))
		return false;
	if (space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL) {
		if (space == PTX_SPACE_SHARED ? !in_shared(x, s)
					      : !all_inside(s, 0, x->w->local_size))
			return false;
		give(x, s, space, s->mask);
		return true;
	}
	if (!place_lanes(x, s, space, spaces))
		return false;
	give(x, s, PTX_SPACE_GLOBAL, spaces[PTX_SPACE_GLOBAL]);
	give(x, s, PTX_SPACE_SHARED, spaces[PTX_SPACE_SHARED]);
	give(x, s, PTX_SPACE_LOCAL, spaces[PTX_SPACE_LOCAL]);
	return true;
}

static void take_address(const struct warp *w, const struct op *o, uint64_t *address)
{
	if (o->flags & OP_ADDRESS_32) {
		const uint32_t *a = ROW(w, uint32_t, o->a);

		FOR_LANES
			address[l] = (uint32_t)(a[l] + (uint32_t)o->imm);
	} else {
		const uint64_t *a = ROW(w, uint64_t, o->a);

		FOR_LANES
			address[l] = a[l] + (uint64_t)o->imm;
	}
}

static enum ptx_space wanted_space(const struct op *o, enum ptx_space space)
{
	return o->flags & OP_GENERIC ? PTX_SPACE_GENERIC
	       : o->flags & OP_CONST ? PTX_SPACE_CONST
				     : space;
}

static void list_plain(const struct listing *x, enum gpu_access kind, enum ptx_space space,
		       uint32_t size)
{
	uint16_t flags = x->o->flags;
	struct memory_step s;

	s.kind = kind;
	s.size = size;
	s.mask = x->w->mask;
	s.strong = kind == GPU_ACCESS_ATOMIC || flags & OP_STRONG;
	s.acquire = flags & OP_ACQUIRE;
	s.release = flags & OP_RELEASE;
	take_address(x->w, x->o, s.address);
	give_access(x, &s, space == PTX_SPACE_GLOBAL ? wanted_space(x->o, space) : space);
}

static uint32_t atom_size(uint32_t type)
{
	switch (type) {
	case ATOM_F16:
	case ATOM_BF16:
		return 2;
	case ATOM_U64:
	case ATOM_S64:
	case ATOM_F64:
		return 8;
	default:
		return 4;
	}
}

static void list_atom(const struct listing *x)
{
	list_plain(x, GPU_ACCESS_ATOMIC, (enum ptx_space)(x->o->x[0] >> 16),
		   atom_size(x->o->x[0] >> 8 & 255));
}

/* An access by addresses in a row, without offset. */
static bool list_row(const struct listing *x, enum gpu_access kind, enum ptx_space space,
		     uint32_t size, uint32_t row, uint32_t mask)
{
	struct memory_step s = { .kind = kind, .size = size, .mask = mask };

	memcpy(s.address, ROW(x->w, uint64_t, row), sizeof(s.address));
	return !mask || give_access(x, &s, space);
}

static void list_cp_async(const struct listing *x)
{
	const uint32_t *exists = ROW(x->w, uint32_t, x->o->c);
	uint32_t reading = 0;

	FOR_ACTIVE (l, x->w->mask)
		reading |= (uint32_t)(exists[l] != 0) << l;
	if (list_row(x, GPU_ACCESS_READ, PTX_SPACE_GLOBAL, (uint32_t)x->o->imm, x->o->b, reading))
		list_row(x, GPU_ACCESS_WRITE, PTX_SPACE_SHARED, (uint32_t)x->o->imm, x->o->a,
			 x->w->mask);
}

static void list_cp_bulk(const struct listing *x)
{
	const uint32_t *size = ROW(x->w, uint32_t, x->o->c);
	enum ptx_space to = x->o->imm ? PTX_SPACE_GLOBAL : PTX_SPACE_SHARED;
	enum ptx_space from = x->o->imm ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL;

	FOR_ACTIVE (l, x->w->mask)
		if (!size[l] || !list_row(x, GPU_ACCESS_READ, from, size[l], x->o->b, 1u << l) ||
		    !list_row(x, GPU_ACCESS_WRITE, to, size[l], x->o->a, 1u << l))
			return;
}

static void list_mbarrier(const struct listing *x)
{
	struct memory_step s = { .kind = GPU_ACCESS_ATOMIC,
				 .size = 8,
				 .mask = x->w->mask,
				 .strong = true,
				 .acquire = true,
				 .release = true };

	memcpy(s.address, ROW(x->w, uint64_t, x->o->a), sizeof(s.address));
	give_access(x, &s, (enum ptx_space)x->o->x[0]);
}

void access_matrix_element(struct warp *w, const struct op *o, unsigned index, uint64_t *address,
			   uint32_t *ret_size)
{
	const struct matrix_op *m = (const struct matrix_op *)(uintptr_t)o->imm;
	enum matrix_type type = (enum matrix_type)m->type[m->part];
	const uint64_t *base = ROW(w, uint64_t, o->a);
	const uint32_t *stride = ROW(w, uint32_t, o->b);
	const struct matrix_spot *spot = matrix_spots(m, (enum matrix_part)m->part, type, index);
	unsigned bits = matrix_bits(type);

	for (unsigned l = 0; l < LANES; l++) {
		uint64_t along = m->by_rows ? spot[l].row : spot[l].column,
			 across = m->by_rows ? spot[l].column : spot[l].row;

		address[l] = base[l] + (along * stride[l] + across) * bits / 8;
	}
	/* Elements below a byte are taken by whole registers. */
	*ret_size = bits < 8 ? 4 : bits / 8;
}

static void list_matrix(const struct listing *x, enum gpu_access kind)
{
	const struct matrix_op *m = (const struct matrix_op *)(uintptr_t)x->o->imm;
	enum matrix_type type = (enum matrix_type)m->type[m->part];
	unsigned packed = matrix_packed(type), step = matrix_bits(type) < 8 ? packed : 1;
	unsigned count = matrix_registers(m, (enum matrix_part)m->part, type) * packed;

	if (x->w->mask != ALL_LANES)
		return;
	for (unsigned i = 0; i < count; i += step) {
		struct memory_step s = { .kind = kind, .mask = ALL_LANES };

		access_matrix_element(x->w, x->o, i, s.address, &s.size);
		if (!give_access(x, &s, (enum ptx_space)m->space))
			return;
	}
}

/* Rows of 16 bytes whose addresses the first lanes hold. */
static void list_matrix_rows(const struct listing *x, enum gpu_access kind)
{
	uint32_t rows = 8 * (uint32_t)x->o->imm;

	if (x->w->mask == ALL_LANES)
		list_row(x, kind, (enum ptx_space)x->o->x[0], 16, x->o->a,
			 rows >= LANES ? ALL_LANES : (1u << rows) - 1);
}

void access_list(struct warp *w, const struct op *o, access_fn *fn, void *data)
{
	struct listing x = { w, o, fn, data };
	struct access_shape shape = access_table.shapes[o->id];

	switch (o->id) {
	case OP_atom:
		list_atom(&x);
		break;
	case OP_cp_async:
		list_cp_async(&x);
		break;
	case OP_cp_bulk:
		list_cp_bulk(&x);
		break;
	case OP_mbarrier:
		list_mbarrier(&x);
		break;
	case OP_matrix_load:
		list_matrix(&x, GPU_ACCESS_READ);
		break;
	case OP_matrix_store:
		list_matrix(&x, GPU_ACCESS_WRITE);
		break;
	case OP_ldmatrix:
		list_matrix_rows(&x, GPU_ACCESS_READ);
		break;
	case OP_stmatrix:
		list_matrix_rows(&x, GPU_ACCESS_WRITE);
		break;
	default:
		list_plain(&x, (enum gpu_access)shape.kind, (enum ptx_space)shape.space,
			   shape.size);
		break;
	}
}
