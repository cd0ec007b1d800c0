/* SPDX-License-Identifier: Apache-2.0 */
/* Pixels of a cell, of whatever type, as bytes: what a picture and a frame of an animation have. */
#ifndef CGPU_RUNTIME_DISPLAY_IMAGE_H
#define CGPU_RUNTIME_DISPLAY_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "common/cell-display.h"

struct error;

/* Fails when no picture has this size and so many channels, or it is more than a display can have.
 */
int image_check_shape(unsigned long width, unsigned long height, unsigned channels,
		      struct error *err);
/* Reads n numbers, a byte for each. Returns NULL on failure; the caller frees the bytes. */
uint8_t *image_read(struct cgpu_data pixels, size_t n, struct error *err);

#endif
