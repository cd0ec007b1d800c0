/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Textures and surfaces as device code reads them (PTX ISA 9.7.10, 9.7.11; CUDA C++ Programming
 * Guide, "Texture Fetching"). The driver describes an object by a struct image and gives it out for
 * a handle; the machine samples it. Texels lie in device memory: levels hold addresses, which are
 * looked up at each access, so an object over memory that was freed is found out.
 */
#ifndef CGPU_EMULATOR_IMAGE_H
#define CGPU_EMULATOR_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#define IMAGE_LEVELS 17

enum image_kind { IMAGE_UNSIGNED, IMAGE_SIGNED, IMAGE_FLOAT };
enum image_address { IMAGE_WRAP, IMAGE_CLAMP, IMAGE_MIRROR, IMAGE_BORDER };

struct image_level {
	uint64_t address; /* of the first texel */
	uint32_t width, height,
		depth; /* texels; height and depth at least 1. Layers and cube faces are no depth */
	uint64_t pitch, slice; /* bytes from row to row, from slice or layer to the next */
};

struct image {
	bool surface;     /* suld, sust, sured; otherwise tex */
	bool normalised;  /* coordinates run from 0 to 1 */
	bool linear;      /* filter between texels */
	bool linear_mips; /* and between levels */
	bool as_float;    /* integer texels are read as 0..1 or -1..1 */
	bool srgb;
	uint8_t channels, bits;  /* of a texel: 1, 2 or 4 of 8, 16 or 32 bits */
	uint8_t kind;            /* enum image_kind */
	uint8_t address_mode[3]; /* enum image_address */
	uint8_t levels;
	uint32_t layers; /* 1 for images without; 6 for a cube */
	float bias, level_min, level_max;
	float border[4];
	struct image_level level[IMAGE_LEVELS];
};

static inline uint32_t image_texel_size(const struct image *i)
{
	return (uint32_t)i->channels * i->bits / 8;
}

/* Bytes of one level with all its slices or layers. */
static inline uint64_t image_level_size(const struct image *i, uint32_t level)
{
	const struct image_level *l = &i->level[level];
	uint64_t slices = i->layers > 1 ? i->layers : l->depth;

	return (slices - 1) * l->slice + (uint64_t)(l->height - 1) * l->pitch +
	       (uint64_t)l->width * image_texel_size(i);
}

/* The place to sample; x, y, z are float or, when `whole`, integer texel numbers. */
struct image_point {
	float at[3];
	int32_t index[3];
	bool whole;
	bool cube; /* at[] is a direction */
	uint32_t layer;
	uint32_t dimensions; /* 1 to 3 */
	float level;         /* of detail */
};

/* One texel or value between texels, as bits of float, or of 32-bit integers when not read as
 * float. */
struct image_value {
	union {
		float f[4];
		uint32_t u[4];
	};
};

/* bytes[level]: where the machine finds that level, NULL when it is not needed. */
void image_sample(const struct image *i, const uint8_t *const *bytes, const struct image_point *p,
		  struct image_value *ret);
/* The four texels that linear filtering would use, one component of each, in the order of tld4. */
void image_gather(const struct image *i, const uint8_t *const *bytes, const struct image_point *p,
		  unsigned component, struct image_value *ret);
/* The levels that image_sample() reads for that level of detail. */
void image_levels(const struct image *i, float level, uint32_t *first, uint32_t *second,
		  float *weight);
/* Texels read as 32-bit floats and not as integers. */
bool image_is_float(const struct image *i);

#endif
