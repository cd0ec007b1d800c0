/* SPDX-License-Identifier: Apache-2.0 */
/* The list has no count: a frame follows as long as there are bytes. */
#include "kernel/views/presenter-frame.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"

#define NAME_OF_CELL "In["

void presenter_frame_set_text(struct presenter_frame *f, const char *name)
{
	bool is_cell = !strncmp(name, NAME_OF_CELL, strlen(NAME_OF_CELL));

	f->cell = is_cell ? name : "";
	f->file = is_cell ? "" : name;
}

void presenter_frame_put(const struct presenter_frame *f, struct buffer *out)
{
	record_put_str(out, f->function);
	record_put_str(out, f->cell);
	record_put_str(out, f->file);
	record_put_u32(out, f->line);
	record_put_u32(out, f->frame);
	record_put_u32(out, f->call);
}

static struct presenter_frame take(struct record *r)
{
	struct presenter_frame f = { .function = record_str(r) };

	f.cell = record_str(r);
	f.file = record_str(r);
	f.line = record_u32(r);
	f.frame = record_u32(r);
	f.call = record_u32(r);
	return f;
}

int presenter_frames_take(const void *bytes, size_t len, struct presenter_frames *ret,
			  struct error *err)
{
	struct record r = record_open(bytes, len);

	*ret = (struct presenter_frames){ .at = calloc(PRESENTER_FRAMES_MAX, sizeof(*ret->at)) };
	if (!ret->at)
		return error_set(err, ERROR_MEMORY, "out of memory for the calls of a cell");
	while (r.at < r.end && !r.failed && ret->n < PRESENTER_FRAMES_MAX)
		ret->at[ret->n++] = take(&r);
	return record_check(&r, "PRESENTER_STACK_IS", err);
}

void presenter_frames_release(struct presenter_frames *f)
{
	free(f->at);
	*f = (struct presenter_frames){ 0 };
}
