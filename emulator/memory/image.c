/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sampling of textures in software, as the programming guide has it: the weight between two texels
 * is held in eight bits of fraction, an address outside is wrapped, mirrored, clamped or gives the
 * border's colour.
 */
#include "emulator/memory/image.h"

#include <math.h>
#include <string.h>

#include "emulator/warp/lane-math.h"

bool image_is_float(const struct image *i)
{
	return i->kind == IMAGE_FLOAT || i->as_float;
}

/* sRGB to linear, for textures of bytes that ask for it. */
static float linear_light(float v)
{
	return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
}

static float channel_as_float(const struct image *i, const uint8_t *at, unsigned channel)
{
	uint32_t word;
	uint16_t half;

	switch (i->bits) {
	case 8:
		if (i->kind == IMAGE_SIGNED)
			return fmaxf((float)(int8_t)at[channel] / 127.0f, -1.0f);
		return i->srgb && channel < 3 ? linear_light((float)at[channel] / 255.0f)
					      : (float)at[channel] / 255.0f;
	case 16:
		memcpy(&half, at + 2 * channel, 2);
		if (i->kind == IMAGE_FLOAT)
			return half_to_float(half);
		return i->kind == IMAGE_SIGNED ? fmaxf((float)(int16_t)half / 32767.0f, -1.0f)
					       : (float)half / 65535.0f;
	default:
		memcpy(&word, at + 4 * channel, 4);
		if (i->kind == IMAGE_FLOAT)
			return float_of(word);
		return i->kind == IMAGE_SIGNED ? (float)(int32_t)word / 2147483647.0f
					       : (float)word / 4294967295.0f;
	}
}

static uint32_t channel_as_integer(const struct image *i, const uint8_t *at, unsigned channel)
{
	uint32_t word;
	uint16_t half;

	switch (i->bits) {
	case 8:
		return i->kind == IMAGE_SIGNED ? (uint32_t)(int32_t)(int8_t)at[channel]
					       : at[channel];
	case 16:
		memcpy(&half, at + 2 * channel, 2);
		return i->kind == IMAGE_SIGNED ? (uint32_t)(int32_t)(int16_t)half : half;
	default:
		memcpy(&word, at + 4 * channel, 4);
		return word;
	}
}

/* Channels that the texel lacks read as 0, the fourth one as 1. */
static void read_texel(const struct image *i, const uint8_t *at, struct image_value *ret)
{
	bool is_float = image_is_float(i);

	if (i->bits == 32 && (i->kind == IMAGE_FLOAT || !is_float)) {
		/* By its words, which most textures have. */
		memset(ret->u, 0, sizeof(ret->u));
		ret->u[3] = is_float ? bits_of(1.0f) : 1;
		memcpy(ret->u, at, i->channels == 1 ? 4 : i->channels == 2 ? 8 : 16);
		return;
	}
	for (unsigned c = 0; c < 4; c++) {
		if (c >= i->channels) {
			ret->u[c] = c < 3 ? 0 : is_float ? bits_of(1.0f) : 1;
			continue;
		}
		if (is_float)
			ret->f[c] = channel_as_float(i, at, c);
		else
			ret->u[c] = channel_as_integer(i, at, c);
	}
}

static void read_border(const struct image *i, struct image_value *ret)
{
	for (unsigned c = 0; c < 4; c++)
		if (image_is_float(i))
			ret->f[c] = i->border[c];
		else
			ret->u[c] = (uint32_t)(int32_t)i->border[c];
}

/* A texel number brought inside; false: the border. */
static bool place_index(const struct image *i, unsigned axis, int64_t *index, int64_t size)
{
	int64_t n = *index;

	if (n >= 0 && n < size)
		return true;
	switch (i->normalised                           ? i->address_mode[axis]
		: i->address_mode[axis] == IMAGE_BORDER ? IMAGE_BORDER
							: IMAGE_CLAMP) {
	case IMAGE_WRAP:
		n %= size;
		*index = n < 0 ? n + size : n;
		return true;
	case IMAGE_MIRROR:
		n %= 2 * size;
		n = n < 0 ? n + 2 * size : n;
		*index = n < size ? n : 2 * size - 1 - n;
		return true;
	case IMAGE_CLAMP:
		*index = n < 0 ? 0 : size - 1;
		return true;
	default:
		return false;
	}
}

static uint32_t size_of_axis(const struct image_level *l, unsigned axis)
{
	return axis == 0 ? l->width : axis == 1 ? l->height : l->depth;
}

static inline void texel_at(const struct image *i, const struct image_level *l,
			    const uint8_t *bytes, const struct image_point *p, const int64_t *index,
			    struct image_value *ret)
{
	int64_t at[3] = { index[0], p->dimensions > 1 ? index[1] : 0,
			  p->dimensions > 2 ? index[2] : 0 };
	uint64_t slice = p->layer;

	for (unsigned axis = 0; axis < p->dimensions; axis++)
		if (!place_index(i, axis, &at[axis], size_of_axis(l, axis))) {
			read_border(i, ret);
			return;
		}
	if (p->dimensions > 2)
		slice = (uint64_t)at[2];
	read_texel(i,
		   bytes + slice * l->slice + (uint64_t)at[1] * l->pitch +
			   (uint64_t)at[0] * image_texel_size(i),
		   ret);
}

/* Texel coordinate of an axis. What is no number or far away is taken as a place that any address
 * mode brings in. */
static float texel_coordinate(const struct image *i, const struct image_level *l,
			      const struct image_point *p, unsigned axis)
{
	float v = p->at[axis], size = (float)size_of_axis(l, axis);

	if (i->normalised) {
		if (i->address_mode[axis] == IMAGE_WRAP)
			v -= floorf(v);
		else if (i->address_mode[axis] == IMAGE_MIRROR)
			v -= 2.0f * floorf(v / 2.0f);
		v *= size;
	}
	if (!(v == v))
		v = 0.0f;
	return v < -1e9f ? -1e9f : v > 1e9f ? 1e9f : v;
}

/* The coordinate fits into an integer, which is faster than floorf() where the processor has no
 * instruction for that. */
static int32_t floor_of(float v)
{
	int32_t n = (int32_t)v;

	return n - (v < (float)n);
}

static void sample_nearest(const struct image *i, const struct image_level *l, const uint8_t *bytes,
			   const struct image_point *p, struct image_value *ret)
{
	int64_t index[3] = { 0 };

	for (unsigned axis = 0; axis < p->dimensions; axis++)
		index[axis] = floor_of(texel_coordinate(i, l, p, axis));
	texel_at(i, l, bytes, p, index, ret);
}

/* The two places along an axis that a sample is made of, and how much each counts. */
struct blend {
	int64_t index[2];
	float share[2];
	unsigned count; /* 1: the second one counts for nothing */
};

static void find_blend(const struct image *i, const struct image_level *l,
		       const struct image_point *p, unsigned axis, struct blend *ret)
{
	float at = texel_coordinate(i, l, p, axis) - 0.5f;
	int32_t low = floor_of(at);

	ret->index[0] = low;
	ret->index[1] = (int64_t)low + 1;
	ret->share[1] = (float)floor_of((at - (float)low) * 256.0f + 0.5f) / 256.0f;
	ret->share[0] = 1.0f - ret->share[1];
	ret->count = 1 + (ret->share[1] != 0.0f);
}

static void sample_linear(const struct image *i, const struct image_level *l, const uint8_t *bytes,
			  const struct image_point *p, struct image_value *ret)
{
	struct blend blend[3];
	struct image_value sum = { .f = { 0, 0, 0, 0 } };

	for (unsigned axis = 0; axis < 3; axis++)
		if (axis < p->dimensions)
			find_blend(i, l, p, axis, &blend[axis]);
		else
			blend[axis] = (struct blend){ { 0, 0 }, { 1.0f, 0.0f }, 1 };
	for (unsigned z = 0; z < blend[2].count; z++)
		for (unsigned y = 0; y < blend[1].count; y++)
			for (unsigned x = 0; x < blend[0].count; x++) {
				float share =
					blend[0].share[x] * blend[1].share[y] * blend[2].share[z];
				int64_t index[3] = { blend[0].index[x], blend[1].index[y],
						     blend[2].index[z] };
				struct image_value v;

				if (share == 0.0f)
					continue;
				texel_at(i, l, bytes, p, index, &v);
				for (unsigned c = 0; c < 4; c++)
					sum.f[c] += share * v.f[c];
			}
	*ret = sum;
}

/* A direction to a face and a place on it: the axis with the largest part names the face. */
static void resolve_cube(struct image_point *p)
{
	float x = p->at[0], y = p->at[1], z = p->at[2], ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
	float s, t, major;
	uint32_t face;

	if (ax >= ay && ax >= az) {
		face = x < 0;
		s = x < 0 ? z : -z;
		t = -y;
		major = ax;
	} else if (ay >= az) {
		face = 2 + (y < 0);
		s = x;
		t = y < 0 ? -z : z;
		major = ay;
	} else {
		face = 4 + (z < 0);
		s = z < 0 ? -x : x;
		t = -y;
		major = az;
	}
	p->at[0] = major > 0 ? (s / major + 1.0f) / 2.0f : 0.5f;
	p->at[1] = major > 0 ? (t / major + 1.0f) / 2.0f : 0.5f;
	p->layer = 6 * p->layer + face;
	p->dimensions = 2;
	p->cube = false;
}

void image_levels(const struct image *i, float level, uint32_t *first, uint32_t *second,
		  float *weight)
{
	float top = (float)(i->levels - 1), at = level + i->bias;

	at = fminf(fmaxf(at, i->level_min), i->level_max);
	at = at > 0 ? fminf(at, top) : 0;
	*weight = 0;
	if (!i->linear_mips) {
		*first = *second = (uint32_t)(at + 0.5f);
		return;
	}
	*first = (uint32_t)at;
	*second = *first + 1 < i->levels ? *first + 1 : *first;
	*weight = floorf((at - (float)*first) * 256.0f + 0.5f) / 256.0f;
}

static void sample_level(const struct image *i, uint32_t level, const uint8_t *bytes,
			 const struct image_point *p, struct image_value *ret)
{
	if (i->linear && image_is_float(i))
		sample_linear(i, &i->level[level], bytes, p, ret);
	else
		sample_nearest(i, &i->level[level], bytes, p, ret);
}

static struct image_point placed(const struct image *i, const struct image_point *p)
{
	struct image_point q = *p;

	if (q.cube)
		resolve_cube(&q);
	if (q.layer >= i->layers)
		q.layer = i->layers - 1;
	return q;
}

/* Integer coordinates name texels; outside of the image they read as 0. */
static void fetch(const struct image *i, const uint8_t *bytes, const struct image_point *p,
		  struct image_value *ret)
{
	const struct image_level *l = &i->level[0];
	int64_t index[3];

	for (unsigned axis = 0; axis < p->dimensions; axis++) {
		index[axis] = p->index[axis];
		if (p->index[axis] < 0 || (uint32_t)p->index[axis] >= size_of_axis(l, axis)) {
			memset(ret, 0, sizeof(*ret));
			return;
		}
	}
	texel_at(i, l, bytes, p, index, ret);
}

void image_sample(const struct image *i, const uint8_t *const *bytes,
		  const struct image_point *point, struct image_value *ret)
{
	struct image_point p = placed(i, point);
	struct image_value other;
	uint32_t first, second;
	float weight;

	if (p.whole) {
		fetch(i, bytes[0], &p, ret);
		return;
	}
	if (i->levels == 1) {
		sample_level(i, 0, bytes[0], &p, ret);
		return;
	}
	image_levels(i, p.level, &first, &second, &weight);
	sample_level(i, first, bytes[first], &p, ret);
	if (weight == 0.0f || !image_is_float(i))
		return;
	sample_level(i, second, bytes[second], &p, &other);
	for (unsigned c = 0; c < 4; c++)
		ret->f[c] = (1.0f - weight) * ret->f[c] + weight * other.f[c];
}

void image_gather(const struct image *i, const uint8_t *const *bytes,
		  const struct image_point *point, unsigned component, struct image_value *ret)
{
	static const uint8_t order[4][2] = { { 0, 1 }, { 1, 1 }, { 1, 0 }, { 0, 0 } };
	struct image_point p = placed(i, point);
	const struct image_level *l = &i->level[0];
	int64_t x = (int64_t)floorf(texel_coordinate(i, l, &p, 0) - 0.5f);
	int64_t y = (int64_t)floorf(texel_coordinate(i, l, &p, 1) - 0.5f);

	for (unsigned n = 0; n < 4; n++) {
		int64_t index[3] = { x + order[n][0], y + order[n][1], 0 };
		struct image_value v;

		texel_at(i, l, bytes[0], &p, index, &v);
		ret->u[n] = v.u[component];
	}
}
