/* SPDX-License-Identifier: Apache-2.0 */
/* A cell shows one piece of data with its MIME type, or ends what was shown so far, by a record in
 * the ring of its output. */
#include <stdio.h>

#include "common/base/buffer.h"
#include "common/base/record.h"
#include "common/protocol/output-ring.h"
#include "runtime/exports/exports.h"
#include "runtime/process/cell-mode.h"
#include "runtime/process/worker.h"

/* Behind all text that the cell has written before. */
static void write_record(enum output_type type, const struct buffer *b)
{
	fflush(stdout);
	fflush(stderr);
	if (!buffer_check(b, NULL) && !worker.is_child)
		output_ring_write(worker.control, type, b->data, b->len);
}

void exports_display(const char *mime, const void *data, unsigned long size)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	cell_mode_enter_library();
	record_put_str(&b, "");
	record_put_u8(&b, 0);
	record_put_u32(&b, 1);
	record_put_str(&b, mime);
	record_put_bytes(&b, data, size);
	write_record(OUTPUT_DISPLAY, &b);
	cell_mode_leave_library();
}

void exports_clear_output(int wait)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	cell_mode_enter_library();
	record_put_u8(&b, wait != 0);
	write_record(OUTPUT_CLEAR, &b);
	cell_mode_leave_library();
}
