/* SPDX-License-Identifier: Apache-2.0 */
/* A number becomes a byte: an integer as it is, a fraction as that part of 255. */
#include "runtime/display/image.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/protocol/output-ring.h"
#include "runtime/display/display.h"
#include "runtime/display/numbers.h"
#include "runtime/display/png.h"

#define SIDE_MAX 65535

/* A number that is none is black. */
static uint8_t channel(double v, bool floating)
{
	if (floating)
		v = round(v * 255);
	return v > 0 ? v < 255 ? (uint8_t)v : 255 : 0;
}

int image_check_shape(unsigned long width, unsigned long height, unsigned channels,
		      struct error *err)
{
	if (!width || !height || width > SIDE_MAX || height > SIDE_MAX)
		return error_set(err, ERROR_INPUT, "%lu x %lu pixels: a side has 1 to %d", width,
				 height, SIDE_MAX);
	if (!channels || channels > 4)
		return error_set(err, ERROR_INPUT,
				 "%u channels: there are 1 (gray), 2 (gray and alpha), 3 (RGB) and "
				 "4 (RGBA)",
				 channels);
	if (width * height * channels > OUTPUT_DISPLAY_MAX)
		return error_set(err, ERROR_LIMIT,
				 "%lu x %lu pixels are more than a display can have, %u MB", width,
				 height, OUTPUT_DISPLAY_MAX >> 20);
	return 0;
}

uint8_t *image_read(struct cgpu_data pixels, size_t n, struct error *err)
{
	cleanup_numbers struct numbers a = { 0 };
	cleanup_free uint8_t *bytes = NULL;
	double v;

	if (numbers_open(&a, "pixels", pixels, n, false, err))
		return NULL;
	bytes = malloc(n);
	if (!bytes) {
		error_set(err, ERROR_MEMORY, "out of memory");
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		if (numbers_next(&a, &v, err))
			return NULL;
		bytes[i] = channel(v, numbers_are_floating(&a));
	}
	return steal_pointer(&bytes);
}

static int show(struct cgpu_data pixels, unsigned long width, unsigned long height,
		unsigned channels, struct error *err)
{
	static const char *const kinds[] = { "", "gray", "gray and alpha", "RGB", "RGBA" };
	cleanup_bundle struct display_bundle b = DISPLAY_BUNDLE_INIT;
	cleanup_buffer struct buffer png = BUFFER_INIT, plain = BUFFER_INIT;
	cleanup_free uint8_t *bytes = NULL;

	if (image_check_shape(width, height, channels, err))
		return -1;
	bytes = image_read(pixels, width * height * channels, err);
	if (!bytes)
		return -1;
	png_write(&png, bytes, (uint32_t)width, (uint32_t)height, channels);
	buffer_printf(&plain, "image: %lu x %lu pixels, %s", width, height, kinds[channels]);
	display_put_buffer(&b, "image/png", &png);
	display_put_buffer(&b, "text/plain", &plain);
	return display_send(&b, NULL, false, err);
}

void cgpu_image(struct cgpu_data pixels, unsigned long width, unsigned long height,
		unsigned channels)
{
	struct display_call call = display_begin("cgpu_image");
	struct error err = ERROR_INIT;
	int rc = show(pixels, width, height, channels, &err);

	display_end(&call, rc, &err);
}
