/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of a cell that stands, as cgpu-presenter tells them, innermost first. A call is named
 * by its frame in the fault record and its number among those that were inlined there.
 */
#ifndef CGPU_KERNEL_VIEWS_PRESENTER_FRAME_H
#define CGPU_KERNEL_VIEWS_PRESENTER_FRAME_H

#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;
struct record;

#define PRESENTER_FRAMES_MAX 512

/* Calls of device code have numbers of frames from here on. Each is asked by `call` for what the
 * thread that stands has, or for what all lanes of its warp have. */
#define PRESENTER_FRAME_DEVICE 0x10000
enum presenter_device_call { PRESENTER_OF_THREAD, PRESENTER_OF_WARP };

struct presenter_frame {
	const char *function; /* "" for the statements of a cell */
	const char *cell;     /* "In[3]", whose text has the line; "": it is in no cell */
	const char *file;     /* in place of that; "": not known */
	uint32_t line;        /* 0: not known */
	uint32_t frame, call;
};

struct presenter_frames {
	struct presenter_frame *at; /* the texts are borrowed from what was decoded */
	size_t n;
};

/* Sets where the text of a call stands: a cell, or a file. The name is borrowed. */
void presenter_frame_set_text(struct presenter_frame *f, const char *name);
void presenter_frame_put(const struct presenter_frame *f, struct buffer *out);
/* Decodes a list of them up to its end. Release ret, also on error. ERROR_PROTOCOL: it is
 * malformed. */
int presenter_frames_take(const void *bytes, size_t len, struct presenter_frames *ret,
			  struct error *err);
void presenter_frames_release(struct presenter_frames *f);

#endif
