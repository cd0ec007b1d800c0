/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An animation as it lies in session memory: packed frames, each of the rectangle that differs from
 * the picture before, and the last picture, which the next one is compared with. It is shown as one
 * PNG, so a front end that draws pictures, and a notebook on disk, need nothing else.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/cell-display.h"
#include "common/protocol/output-ring.h"
#include "runtime/display/display.h"
#include "runtime/display/image.h"
#include "runtime/display/plain-text.h"
#include "runtime/display/png.h"

/* Browsers take a frame of 10 ms or less for one without a length, and show it for 100 ms. */
#define RATE_MAX 90
#define FRAMES_MAX UINT16_MAX
/* The rest is for what stands around the frames. */
#define PACKED_MAX (OUTPUT_DISPLAY_MAX - 1024)

struct cgpu_animation {
	uint64_t form; /* ANIMATION_FORM */
	uint32_t width, height;
	unsigned channels, rate;
	size_t n;      /* frames that were added */
	size_t size;   /* of those that are kept, in the file */
	uint8_t *last; /* the pixels that were added last */
	struct png_frame *first, *end;
};

/* An animation that another build of this program has left in a saved session is none. */
#define ANIMATION_FORM                                                                             \
	(0x63677075616e0000ull + sizeof(struct cgpu_animation) + sizeof(struct png_frame))

static int check(const struct cgpu_animation *a, struct error *err)
{
	return display_session_check(a, sizeof(*a), ANIMATION_FORM, "animation", err);
}

static size_t picture_size(const struct cgpu_animation *a)
{
	return (size_t)a->width * a->height * a->channels;
}

static void release(struct cgpu_animation *a)
{
	while (a->first) {
		struct png_frame *f = a->first;

		a->first = f->next;
		free(f);
	}
	free(a->last);
	free(a);
}

static struct cgpu_animation *new_animation(unsigned long width, unsigned long height,
					    unsigned channels, unsigned rate, struct error *err)
{
	struct cgpu_animation *a;

	if (image_check_shape(width, height, channels, err))
		return NULL;
	if (!rate || rate > RATE_MAX) {
		error_set(err, ERROR_INPUT, "%u frames a second: browsers show 1 to %d", rate,
			  RATE_MAX);
		return NULL;
	}
	a = display_session_alloc(sizeof(*a));
	if (a)
		*a = (struct cgpu_animation){ .form = ANIMATION_FORM,
					      .width = (uint32_t)width,
					      .height = (uint32_t)height,
					      .channels = channels,
					      .rate = rate };
	if (a)
		a->last = display_session_alloc(picture_size(a));
	if (a && a->last)
		return a;
	free(a);
	error_set(err, ERROR_MEMORY, "out of memory");
	return NULL;
}

/* The rectangle of f becomes the least one that all that differs lies in. There is something. */
static void find_difference(const struct cgpu_animation *a, const uint8_t *pixels,
			    struct png_frame *f)
{
	size_t pixel = a->channels, row = a->width * pixel;
	uint32_t left = a->width, right = 0, top = a->height, bottom = 0;

	for (uint32_t y = 0; y < a->height; y++) {
		const uint8_t *new = pixels + y *row, *old = a->last + y *row;
		uint32_t x = 0, end = a->width;

		if (!memcmp(new, old, row))
			continue;
		while (!memcmp(new + x *pixel, old + x * pixel, pixel))
			x++;
		while (!memcmp(new + (end - 1) * pixel, old + (end - 1) * pixel, pixel))
			end--;
		left = x < left ? x : left;
		right = end > right ? end : right;
		top = y < top ? y : top;
		bottom = y + 1;
	}
	f->x = left;
	f->y = top;
	f->width = right - left;
	f->height = bottom - top;
}

static int append(struct cgpu_animation *a, const uint8_t *pixels, struct error *err)
{
	struct png_frame shape = { .width = a->width, .height = a->height, .ticks = 1 }, *f;
	cleanup_buffer struct buffer packed = BUFFER_INIT;
	size_t row = (size_t)a->width * a->channels;

	if (a->first)
		find_difference(a, pixels, &shape);
	png_pack(&packed, pixels + shape.y * row + (size_t)shape.x * a->channels, row, shape.width,
		 shape.height, a->channels);
	if (buffer_check(&packed, err))
		return -1;
	if (a->size + PNG_FRAME_HEAD + packed.len > PACKED_MAX)
		return error_set(err, ERROR_LIMIT,
				 "frame %zu has no room in what a display can have, %u MB: show "
				 "the frames before it, and begin another animation",
				 a->n + 1, OUTPUT_DISPLAY_MAX >> 20);
	f = display_session_alloc(sizeof(*f) + packed.len);
	if (!f)
		return error_set(err, ERROR_MEMORY, "out of memory");
	*f = shape;
	f->packed_size = packed.len;
	memcpy(f->packed, packed.data, packed.len);
	if (a->first)
		a->end->next = f;
	else
		a->first = f;
	a->end = f;
	a->size += PNG_FRAME_HEAD + packed.len;
	memcpy(a->last, pixels, picture_size(a));
	return 0;
}

static int add(struct cgpu_animation *a, struct cgpu_data data, struct error *err)
{
	cleanup_free uint8_t *pixels = NULL;

	if (a->n == FRAMES_MAX)
		return error_set(err, ERROR_LIMIT, "an animation has %d frames at most",
				 FRAMES_MAX);
	pixels = image_read(data, picture_size(a), err);
	if (!pixels)
		return -1;
	if (a->first && !memcmp(pixels, a->last, picture_size(a)))
		a->end->ticks++;
	else if (append(a, pixels, err))
		return -1;
	a->n++;
	return 0;
}

static int show(const struct cgpu_animation *a, struct error *err)
{
	cleanup_bundle struct display_bundle b = DISPLAY_BUNDLE_INIT;
	cleanup_buffer struct buffer png = BUFFER_INIT, plain = BUFFER_INIT;

	if (!a->first)
		return error_set(err, ERROR_STATE, "the animation has no frames yet");
	png_write_animation(&png, a->first, a->channels, a->rate);
	buffer_puts(&plain, "animation: ");
	plain_text_counted(&plain, a->n, "frame");
	buffer_printf(&plain, " of %u x %u pixels, %.1f s", a->width, a->height,
		      (double)a->n / a->rate);
	display_put_buffer(&b, "image/png", &png);
	display_put_buffer(&b, "text/plain", &plain);
	return display_send(&b, NULL, false, err);
}

cgpu_animation *cgpu_animation_new(unsigned long width, unsigned long height, unsigned channels,
				   unsigned fps)
{
	struct display_call call = display_begin("cgpu_animation_new");
	struct error err = ERROR_INIT;
	struct cgpu_animation *a = new_animation(width, height, channels, fps, &err);

	display_end(&call, a ? 0 : -1, &err);
	return a;
}

void cgpu_animation_add(cgpu_animation *a, struct cgpu_data pixels)
{
	struct display_call call = display_begin("cgpu_animation_add");
	struct error err = ERROR_INIT;
	int rc = check(a, &err);

	if (!rc)
		rc = add(a, pixels, &err);
	display_end(&call, rc, &err);
}

void cgpu_animation_show(cgpu_animation *a)
{
	struct display_call call = display_begin("cgpu_animation_show");
	struct error err = ERROR_INIT;
	int rc = check(a, &err);

	if (!rc)
		rc = show(a, &err);
	display_end(&call, rc, &err);
}

void cgpu_animation_free(cgpu_animation *a)
{
	struct display_call call = display_begin("cgpu_animation_free");
	struct error err = ERROR_INIT;
	int rc = a ? check(a, &err) : 0;

	if (a && !rc)
		release(a);
	display_end(&call, rc, &err);
}
