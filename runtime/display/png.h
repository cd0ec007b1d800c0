/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an image of 8 bits a channel as PNG. */
#ifndef CGPU_RUNTIME_DISPLAY_PNG_H
#define CGPU_RUNTIME_DISPLAY_PNG_H

#include <stdint.h>

struct buffer;

/* channels: 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA. pixels: row by row, without gaps. */
void png_write(struct buffer *out, const uint8_t *pixels, uint32_t width, uint32_t height,
	       unsigned channels);

#endif
