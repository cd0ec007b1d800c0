/* SPDX-License-Identifier: Apache-2.0 */
/* A worker may send anything, so counts are checked against the payload. */
#include "kernel/faults/memory-report.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/record.h"

#define ROW_LEAST 98

static void decode_row(struct record *r, struct memory_report_cell *c)
{
	c->cell = record_u32(r);
	c->heap_made = record_u64(r);
	c->heap_live = record_u64(r);
	c->blocks = record_u64(r);
	c->lost = record_u64(r);
	c->lost_blocks = record_u64(r);
	c->device_made = record_u64(r);
	c->device_live = record_u64(r);
	c->device_lost = record_u64(r);
	c->largest_lost = record_u64(r);
	c->site_cell = record_u32(r);
	c->site_line = record_u32(r);
	c->site_function = record_str(r);
	c->largest_buffer = record_u64(r);
	c->buffer_line = record_u32(r);
	c->reached_by = record_str(r);
}

int memory_report_decode(struct memory_report *ret, const void *payload, size_t len,
			 struct error *err)
{
	struct memory_report m = { .bytes = malloc(len + 1) };
	struct record r;
	uint32_t n;

	if (!m.bytes)
		return error_set(err, ERROR_MEMORY, "out of memory");
	memcpy(m.bytes, payload, len);
	r = record_open(m.bytes, len);
	m.heap_top = record_u64(&r);
	m.heap_live = record_u64(&r);
	m.blocks = record_u64(&r);
	m.heap_free = record_u64(&r);
	m.heap_largest = record_u64(&r);
	m.heap_slots = record_u64(&r);
	m.complete = record_u8(&r) != 0;
	m.n_left = record_u32(&r);
	m.bytes_left = record_u64(&r);
	n = record_count(&r, ROW_LEAST);
	m.cells = calloc(n + 1, sizeof(*m.cells));
	for (; m.cells && m.n_cells < n; m.n_cells++)
		decode_row(&r, &m.cells[m.n_cells]);
	if (!m.cells || record_check(&r, "WORKER_MEMORY_REPORT", err)) {
		if (!m.cells)
			error_set(err, ERROR_MEMORY, "out of memory");
		memory_report_release(&m);
		return -1;
	}
	*ret = m;
	return 0;
}

void memory_report_release(struct memory_report *m)
{
	free(m->cells);
	free(m->bytes);
	*m = (struct memory_report){ 0 };
}
