/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text that one cell writes to stdout or stderr: made valid UTF-8, and kept to a limit. The
 * first half of the limit is shown as it comes; of what follows only the last half is kept, and
 * shown when the cell ends, after a line that says how much was left out. The limit counts bytes as
 * JSON will carry them.
 */
#ifndef CGPU_KERNEL_SHOW_STREAM_H
#define CGPU_KERNEL_SHOW_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"

struct stream {
	size_t half;         /* of the limit */
	size_t head_left;    /* may still be shown at once */
	struct buffer ready; /* to be shown by the next stream_take() */
	struct buffer tail;  /* what came after the head was full */
	uint64_t left_out_bytes, left_out_lines;
	bool ends_line; /* the last byte shown was a newline */
};

/* In place; `limit` holds for each cell. */
void stream_init(struct stream *s, size_t limit);
void stream_release(struct stream *s);
/* A cell begins. */
void stream_begin(struct stream *s, size_t limit);

void stream_add(struct stream *s, const char *bytes, size_t len);
/* Anything that stream_take() would show before the cell ends? */
bool stream_has_text(const struct stream *s);
/* Appends what may be shown. `last`: the cell is over, with the tail and what was left out. */
void stream_take(struct stream *s, bool last, struct buffer *out);

#endif
