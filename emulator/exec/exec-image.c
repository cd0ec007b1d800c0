/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Textures and surfaces (PTX ISA 9.7.10, 9.7.11), and the staging rows. Handles and coordinates are
 * staged, lanes are done one by one: sampling is scalar work. A bad handle or a surface access
 * outside of it is a fault that says where.
 */
#define TAKE_STAGE KEEP
#include <stdio.h>

#include "emulator/memory/image.h"
#include "emulator/memory/state-space.h"
#include "emulator/ptx/ptx-ops.h"
#include "emulator/warp/exec.h"

HANDLER(stage_masked)
{
	const uint32_t rows[] = { o->a, o->b, o->c, o->x[0], o->x[1], o->x[2] };

	for (uint32_t i = 0; i < o->flags >> STAGE_COUNT_SHIFT; i++) {
		uint64_t *to = w->worker->stage[o->imm + i];

		if (o->flags >> i & 1)
			memcpy(to, ROW(w, uint64_t, rows[i]), LANES * sizeof(*to));
		else
			for (int l = 0; l < LANES; l++)
				to[l] = ROW(w, uint32_t, rows[i])[l];
	}
	return o + 1;
}

HANDLER(unstage_masked)
{
	const uint32_t rows[] = { o->d, o->x[0], o->x[1], o->x[2] };

	for (uint32_t i = 0; i < o->flags >> STAGE_COUNT_SHIFT; i++) {
		const uint64_t *from = w->worker->stage[o->imm + i];

		FOR_ACTIVE (l, w->mask) {
			if (o->flags >> i & 1)
				ROW(w, uint64_t, rows[i])[l] = from[l];
			else
				ROW(w, uint32_t, rows[i])[l] = (uint32_t)from[l];
		}
	}
	return o + 1;
}

/* The image of a lane's handle; faults when there is none of that kind. */
static const struct image *image_of(struct warp *w, const struct op *o, uint32_t lane, bool surface)
{
	const struct machine_launch *l = w->worker->launch->spec;
	uint64_t handle = w->worker->stage[0][lane];
	const struct image *i = l->image ? l->image(l->data, handle) : NULL;
	char note[120];

	if (i && i->surface == surface)
		return i;
	snprintf(note, sizeof(note), "0x%llx is no handle of a %s object%s",
		 (unsigned long long)handle, surface ? "surface" : "texture",
		 i ? (surface ? ", but of a texture" : ", but of a surface") : "");
	warp_fault(w, o, GPU_FAULT_ILLEGAL_ADDRESS, 1u << lane, note);
	return NULL;
}

static const uint8_t *level_bytes(struct warp *w, const struct op *o, uint32_t lane,
				  const struct image *i, uint32_t level)
{
	const uint8_t *at = state_space_bytes(w, (int)lane, i->level[level].address,
					      image_level_size(i, level));

	if (!at) {
		warp_fault(w, o, GPU_FAULT_ILLEGAL_ADDRESS, 1u << lane,
			   "the memory under this texture was freed");
		w->worker->fault.address = i->level[level].address;
	}
	return at;
}

/* Layers come first among the coordinates and are integers. */
static void take_point(struct warp *w, const struct op *o, uint32_t lane, struct image_point *p)
{
	static const uint8_t dimensions[] = { 1, 2, 3, 1, 2, 3, 3 };
	const uint64_t(*stage)[LANES] = (const uint64_t(*)[LANES])w->worker->stage;
	unsigned geometry = o->flags & IMAGE_GEOMETRY, first = 1;

	memset(p, 0, sizeof(*p));
	p->dimensions = dimensions[geometry];
	p->cube = geometry == GEOMETRY_CUBE || geometry == GEOMETRY_LAYERS_CUBE;
	p->whole = o->flags & IMAGE_WHOLE;
	if (geometry == GEOMETRY_LAYERS_1D || geometry == GEOMETRY_LAYERS_2D ||
	    geometry == GEOMETRY_LAYERS_CUBE)
		p->layer = (uint32_t)stage[first++][lane];
	for (unsigned axis = 0; axis < p->dimensions; axis++) {
		p->at[axis] = float_of((uint32_t)stage[first + axis][lane]);
		p->index[axis] = (int32_t)stage[first + axis][lane];
	}
}

/* The level at which a step on the screen is a step between texels. */
static float level_of_gradients(struct warp *w, const struct image *i, const struct image_point *p,
				uint32_t lane)
{
	const uint32_t size[3] = { i->level[0].width, i->level[0].height, i->level[0].depth };
	float longest = 0;

	for (unsigned direction = 0; direction < 2; direction++) {
		float sum = 0;

		for (unsigned axis = 0; axis < p->dimensions; axis++) {
			unsigned row = 5 + direction * p->dimensions + axis;
			float step =
				float_of((uint32_t)w->worker->stage[row][lane]) * (float)size[axis];

			sum += step * step;
		}
		longest = sum > longest ? sum : longest;
	}
	return longest > 0 ? 0.5f * log2f(longest) : -126.0f;
}

/* The texture of the lane before, which most often is that of all, and where its only level lies.
 */
struct recent_texture {
	uint64_t handle;
	const struct image *image; /* NULL: none yet */
	const uint8_t *bytes;
};

/* False: a fault. */
static bool take_texture(struct warp *w, const struct op *o, uint32_t lane,
			 struct recent_texture *t)
{
	uint64_t handle = w->worker->stage[0][lane];

	if (t->image && t->handle == handle)
		return true;
	t->image = image_of(w, o, lane, false);
	t->handle = handle;
	t->bytes = t->image && t->image->levels == 1 ? level_bytes(w, o, lane, t->image, 0) : NULL;
	return t->image && (t->bytes || t->image->levels > 1);
}

/* The levels that a sample is made of. False: a fault. */
static bool take_levels(struct warp *w, const struct op *o, uint32_t lane, const struct image *i,
			const struct image_point *p, const uint8_t **bytes)
{
	uint32_t first, second;
	float weight;

	image_levels(i, p->level, &first, &second, &weight);
	if (p->whole)
		first = second = 0;
	bytes[first] = level_bytes(w, o, lane, i, first);
	if (bytes[first] && second != first)
		bytes[second] = level_bytes(w, o, lane, i, second);
	return bytes[first] && bytes[second];
}

HANDLER(tex_masked)
{
	uint64_t(*stage)[LANES] = w->worker->stage;
	struct recent_texture t = { 0 };

	FOR_ACTIVE (l, w->mask) {
		const uint8_t *bytes[IMAGE_LEVELS];
		struct image_point p;
		struct image_value v;

		if (!take_texture(w, o, l, &t))
			return NULL;
		take_point(w, o, l, &p);
		if (o->flags & IMAGE_GRADIENT)
			p.level = level_of_gradients(w, t.image, &p, l);
		else if (o->flags & IMAGE_LEVEL)
			p.level = p.whole ? (float)(int32_t)stage[5][l]
					  : float_of((uint32_t)stage[5][l]);
		bytes[0] = t.bytes;
		if (t.image->levels > 1 && !take_levels(w, o, l, t.image, &p, bytes))
			return NULL;
		image_sample(t.image, bytes, &p, &v);
		for (int c = 0; c < 4; c++)
			stage[c][l] = v.u[c];
	}
	return o + 1;
}

HANDLER(tld4_masked)
{
	FOR_ACTIVE (l, w->mask) {
		const struct image *i = image_of(w, o, l, false);
		const uint8_t *bytes[1];
		struct image_point p;
		struct image_value v;

		if (!i)
			return NULL;
		take_point(w, o, l, &p);
		bytes[0] = level_bytes(w, o, l, i, 0);
		if (!bytes[0])
			return NULL;
		image_gather(i, bytes, &p, (unsigned)o->imm, &v);
		for (int c = 0; c < 4; c++)
			w->worker->stage[c][l] = v.u[c];
	}
	return o + 1;
}

/* Numbers of CUaddress_mode, CUfilter_mode and the ISA's channel codes are the same as OpenCL's. */
static uint32_t property(const struct image *i, enum image_property what, uint32_t level)
{
	static const uint32_t orders[] = { 0, 0x10b0, 0x10b2, 0x10b4, 0x10b5 };
	const struct image_level *l = &i->level[level < i->levels ? level : i->levels - 1u];

	switch (what) {
	case IMAGE_WIDTH:
		return l->width;
	case IMAGE_HEIGHT:
		return l->height;
	case IMAGE_DEPTH:
		return l->depth;
	case IMAGE_ARRAY_SIZE:
		return i->layers > 1 ? i->layers : 0;
	case IMAGE_MIP_LEVELS:
		return i->levels;
	case IMAGE_NORMALISED:
		return i->normalised;
	case IMAGE_FILTER:
		return i->linear;
	case IMAGE_ADDRESS_0:
		return i->address_mode[0];
	case IMAGE_ADDRESS_1:
		return i->address_mode[1];
	case IMAGE_ADDRESS_2:
		return i->address_mode[2];
	case IMAGE_SAMPLES:
		return 1;
	case IMAGE_CHANNEL_ORDER:
		return orders[i->channels];
	default:
		break;
	}
	if (i->kind == IMAGE_FLOAT)
		return i->bits == 16 ? 0x10dd : 0x10de;
	return (i->kind == IMAGE_SIGNED ? 0x10d7u : 0x10dau) + (i->bits == 8    ? 0
								: i->bits == 16 ? 1
										: 2);
}

HANDLER(image_query_masked)
{
	FOR_ACTIVE (l, w->mask) {
		const struct image *i = image_of(w, o, l, o->x[0]);

		if (!i)
			return NULL;
		w->worker->stage[0][l] =
			property(i, (enum image_property)o->imm,
				 o->flags & IMAGE_AT_LEVEL ? (uint32_t)w->worker->stage[1][l] : 0);
	}
	return o + 1;
}

/* Find the place of a surface access of `bytes`: 1 when there, 0 when it is dropped, -1 after a
 * fault. */
static int surface_place(struct warp *w, const struct op *o, uint32_t lane, uint32_t bytes,
			 uint8_t **ret)
{
	const struct image *i = image_of(w, o, lane, true);
	const struct image_level *l;
	struct image_point p;
	int64_t x, y, z, last, scale;
	char note[160];

	if (!i)
		return -1;
	l = &i->level[0];
	take_point(w, o, lane, &p);
	scale = o->flags & IMAGE_BYTES ? 1 : image_texel_size(i);
	last = (int64_t)l->width * image_texel_size(i) - bytes;
	x = p.index[0] * scale;
	y = p.dimensions > 1 ? p.index[1] : 0;
	z = p.dimensions > 2 ? p.index[2] : (int64_t)p.layer;
	if (o->flags & IMAGE_CLAMPED) {
		int64_t depth = p.dimensions > 2 ? l->depth : i->layers;

		x = x < 0 ? 0 : x > last ? last : x;
		y = y < 0 ? 0 : y >= l->height ? l->height - 1 : y;
		z = z < 0 ? 0 : z >= depth ? depth - 1 : z;
	}
	if (x < 0 || x > last || y < 0 || y >= l->height || z < 0 ||
	    z >= (p.dimensions > 2 ? l->depth : i->layers)) {
		if (o->flags & IMAGE_IGNORED)
			return 0;
		snprintf(note, sizeof(note),
			 "x %lld bytes, y %lld, z or layer %lld of a surface of %u bytes by %u by "
			 "%u",
			 (long long)x, (long long)y, (long long)z, l->width * image_texel_size(i),
			 l->height, p.dimensions > 2 ? l->depth : i->layers);
		warp_fault(w, o, GPU_FAULT_ILLEGAL_ADDRESS, 1u << lane, note);
		return -1;
	}
	if (x % bytes) {
		snprintf(note, sizeof(note),
			 "x %lld of a surface access is not divisible by its %u bytes",
			 (long long)x, bytes);
		warp_fault(w, o, GPU_FAULT_MISALIGNED, 1u << lane, note);
		return -1;
	}
	*ret = state_space_bytes(
		w, (int)lane,
		l->address + (uint64_t)z * l->slice + (uint64_t)y * l->pitch + (uint64_t)x, bytes);
	if (!*ret)
		warp_fault(w, o, GPU_FAULT_ILLEGAL_ADDRESS, 1u << lane,
			   "the memory under this surface was freed");
	return *ret ? 1 : -1;
}

HANDLER(suld_masked)
{
	uint32_t count = (uint32_t)o->imm, size = o->x[0];

	FOR_ACTIVE (l, w->mask) {
		uint8_t *at;
		int rc = surface_place(w, o, l, count * size, &at);

		if (rc < 0)
			return NULL;
		for (uint32_t c = 0; c < count; c++) {
			w->worker->stage[c][l] = 0;
			if (rc)
				memcpy(&w->worker->stage[c][l], at + c * size, size);
		}
	}
	return o + 1;
}

HANDLER(sust_masked)
{
	uint32_t count = (uint32_t)o->imm, size = o->x[0];

	FOR_ACTIVE (l, w->mask) {
		uint8_t *at;
		int rc = surface_place(w, o, l, count * size, &at);

		if (rc < 0)
			return NULL;
		for (uint32_t c = 0; rc && c < count; c++)
			memcpy(at + c * size, &w->worker->stage[5 + c][l], size);
	}
	return o + 1;
}

static uint64_t reduced(uint32_t what, bool is_signed, uint64_t old, uint64_t v, uint32_t size)
{
	int64_t a = size == 4 ? (int32_t)old : (int64_t)old,
		b = size == 4 ? (int32_t)v : (int64_t)v;

	switch (what) {
	case ATOM_ADD:
		return old + v;
	case ATOM_MIN:
		return is_signed ? (uint64_t)(a < b ? a : b) : old < v ? old : v;
	case ATOM_MAX:
		return is_signed ? (uint64_t)(a > b ? a : b) : old > v ? old : v;
	case ATOM_AND:
		return old & v;
	default:
		return old | v;
	}
}

/* x[0]: bytes, x[1]: what, x[2]: signed */
HANDLER(sured_masked)
{
	uint32_t size = o->x[0];

	FOR_ACTIVE (l, w->mask) {
		uint8_t *at;
		int rc = surface_place(w, o, l, size, &at);
		uint64_t v = w->worker->stage[5][l];

		if (rc < 0)
			return NULL;
		if (rc && size == 4) {
			uint32_t old = __atomic_load_n((uint32_t *)at, __ATOMIC_RELAXED);

			while (!__atomic_compare_exchange_n(
				(uint32_t *)at, &old,
				(uint32_t)reduced(o->x[1], o->x[2], old, (uint32_t)v, 4), true,
				__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
				;
		} else if (rc) {
			uint64_t old = __atomic_load_n((uint64_t *)at, __ATOMIC_RELAXED);

			while (!__atomic_compare_exchange_n(
				(uint64_t *)at, &old, reduced(o->x[1], o->x[2], old, v, 8), true,
				__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
				;
		}
	}
	return o + 1;
}

#define SAME_WHEN_FULL(name)                                                                       \
	HANDLER(name##_full)                                                                       \
	{                                                                                          \
		return name##_masked(w, o);                                                        \
	}
SAME_WHEN_FULL(stage)
SAME_WHEN_FULL(unstage)
SAME_WHEN_FULL(tex)
SAME_WHEN_FULL(tld4)
SAME_WHEN_FULL(image_query)
SAME_WHEN_FULL(suld)
SAME_WHEN_FULL(sust)
SAME_WHEN_FULL(sured)

#define OP EXEC_DEFINE
#include "emulator/ptx/ptx-opcodes.def"
#undef OP

const struct op_entry ENTRIES(exec_image)[] = {
#define OP EXEC_LIST
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	{ OP_COUNT, NULL, NULL },
};
