/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text that one cell writes to stdout or stderr: converted to valid UTF-8, and limited. The
 * first half of the limit is shown at once; of the rest only the last half is kept, and shown when
 * the cell ends, after a line that says how much was left out, and where all of it is. The limit
 * counts bytes as JSON encodes them.
 */
#ifndef CGPU_KERNEL_SHOW_STREAM_H
#define CGPU_KERNEL_SHOW_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"

struct stream {
	size_t half;         /* how much may still be shown at once */
	size_t head_left;    /* may still be shown at once */
	struct buffer ready; /* to be shown by the next stream_take() */
	struct buffer tail;  /* text after the head was full */
	uint64_t left_out_bytes, left_out_lines;
	bool ends_line; /* the last byte shown was a newline */
};

/* Initialises in place; `limit` is per cell. */
void stream_init(struct stream *s, size_t limit);
void stream_release(struct stream *s);
/* Starts a new cell. */
void stream_begin(struct stream *s, size_t limit);

void stream_add(struct stream *s, const char *bytes, size_t len);
/* Returns how many bytes stream_take() would show before the cell ends. */
size_t stream_ready(const struct stream *s);
/* Appends the text that may be shown before the cell ends. */
void stream_take(struct stream *s, struct buffer *out);
/* Tells whether something is left out when the cell ends now. */
bool stream_is_cut(const struct stream *s);
/* Ends the cell: appends all that is still to be shown, the tail and the size of the gap included.
 * whole: where all text is, a part of the sentence about the gap; "" for nowhere. */
void stream_end(struct stream *s, const char *whole, struct buffer *out);

#endif
