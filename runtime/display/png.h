/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes images of 8 bits a channel as PNG, and several of them as an animated one. channels: 1
 * gray, 2 gray and alpha, 3 RGB, 4 RGBA.
 */
#ifndef CGPU_RUNTIME_DISPLAY_PNG_H
#define CGPU_RUNTIME_DISPLAY_PNG_H

#include <stddef.h>
#include <stdint.h>

struct buffer;

/* pixels: row by row, without gaps. */
void png_write(struct buffer *out, const uint8_t *pixels, uint32_t width, uint32_t height,
	       unsigned channels);

/* What the picture before is overwritten with, and how long that is seen then. */
struct png_frame {
	struct png_frame *next;
	uint32_t x, y, width, height; /* of the first frame the whole picture */
	uint16_t ticks;
	size_t packed_size;
	uint8_t packed[]; /* as png_pack() makes it */
};

/* What a frame takes in the file beside its packed pixels. */
#define PNG_FRAME_HEAD 54

/* Pixels as a frame has them: rows of `width` pixels, which begin `stride` bytes after each other.
 */
void png_pack(struct buffer *out, const uint8_t *pixels, size_t stride, uint32_t width,
	      uint32_t height, unsigned channels);
/* frames: one or more; rate: ticks a second. Played over and over. */
void png_write_animation(struct buffer *out, const struct png_frame *frames, unsigned channels,
			 unsigned rate);

#endif
