/* SPDX-License-Identifier: Apache-2.0 */
/* %mem: lists what holds the memory of the session, on the host and on the device, and lost
 * blocks. */
#include <inttypes.h>
#include <stdio.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "kernel/cell-run/memory-use.h"
#include "kernel/faults/memory-report.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"
#include "kernel/settings/size-text.h"
#include "kernel/workers/question.h"

struct device_totals {
	uint64_t total, used, limit, largest;
};

static unsigned percent(uint64_t part, uint64_t whole)
{
	return whole ? (unsigned)(part * 100 / whole) : 0;
}

static const char *size_or_dash(uint64_t bytes, char ret[SIZE_TEXT_MAX])
{
	if (bytes)
		return size_text(bytes, ret);
	snprintf(ret, SIZE_TEXT_MAX, "-");
	return ret;
}

static void put_host(struct session *s, const struct memory_report *m, struct buffer *out)
{
	struct memory_use u;
	uint64_t host, device;
	char a[SIZE_TEXT_MAX], b[SIZE_TEXT_MAX], c[SIZE_TEXT_MAX], d[SIZE_TEXT_MAX];

	supervisor_settle(s->supervisor);
	u = supervisor_memory_use(s->supervisor);
	supervisor_limits(s->supervisor, &host, &device);
	buffer_printf(out, "host    %s used of %s allowed: session %s, its worker %s",
		      size_text(memory_use_total(&u), a), size_text(host, b),
		      size_text(u.session, c), size_text(u.worker, d));
	if (u.children)
		buffer_printf(out, ", processes that cells have started %s",
			      size_text(u.children, a));
	if (u.shared)
		buffer_printf(out, ", files of memory %s", size_text(u.shared, a));
	if (u.shadow_copies)
		buffer_printf(out, ", copies of what cells overwrite %s",
			      size_text(u.shadow_copies, a));
	buffer_printf(out,
		      "\nheap    %s in %" PRIu64
		      " block%s; free inside it: %s (largest piece %s, fragmentation %u %%), and "
		      "%s in places for small blocks\n",
		      size_text(m->heap_live, a), m->blocks, m->blocks == 1 ? "" : "s",
		      size_text(m->heap_free, b), size_text(m->heap_largest, c),
		      percent(m->heap_free - m->heap_largest, m->heap_free),
		      size_text(m->heap_slots, d));
}

static int read_device(struct session *s, struct device_totals *ret, struct error *err)
{
	cleanup_buffer struct buffer report = BUFFER_INIT;
	struct record r;

	if (question_device_report(s->supervisor, &report, err))
		return -1;
	r = record_open(report.data, report.len);
	record_str(&r);
	ret->total = record_u64(&r);
	ret->used = record_u64(&r);
	ret->limit = record_u64(&r);
	ret->largest = record_u64(&r);
	return r.failed ? error_set(err, ERROR_PROTOCOL, "the device report is cut short") : 0;
}

static void put_device(const struct device_totals *d, struct buffer *out)
{
	uint64_t limit = d->limit ? d->limit : d->total,
		 left = limit > d->used ? limit - d->used : 0;
	char a[SIZE_TEXT_MAX], b[SIZE_TEXT_MAX], c[SIZE_TEXT_MAX];

	buffer_printf(out,
		      "device  %s used of %s allowed; the largest request that fits: %s "
		      "(fragmentation %u %%)\n",
		      size_text(d->used, a), size_text(limit, b), size_text(d->largest, c),
		      percent(left > d->largest ? left - d->largest : 0, left));
}

static void put_row(const struct memory_report_cell *c, bool complete, struct buffer *out)
{
	char cell[24], live[SIZE_TEXT_MAX], freed[SIZE_TEXT_MAX], lost[SIZE_TEXT_MAX],
		device[SIZE_TEXT_MAX];

	snprintf(cell, sizeof(cell), "In[%" PRIu32 "]", c->cell);
	buffer_printf(
		out, "%-8s %8" PRIu64 " %9s %9s %9s %9s  %s\n", cell, c->blocks,
		size_or_dash(c->heap_live, live),
		size_or_dash(c->heap_made - c->heap_live + c->device_made - c->device_live, freed),
		size_or_dash(c->device_live, device),
		complete ? size_or_dash(c->lost + c->device_lost, lost) : "?", c->reached_by);
}

static void put_lost_buffers(const struct memory_report_cell *c, struct buffer *out)
{
	char size[SIZE_TEXT_MAX], largest[SIZE_TEXT_MAX];

	buffer_printf(out,
		      "In[%" PRIu32 "] has lost %s on the device: no variable points there any "
		      "more; the largest buffer has %s",
		      c->cell, size_text(c->device_lost, size),
		      size_text(c->largest_buffer, largest));
	if (c->buffer_line)
		buffer_printf(out, ", asked for in line %" PRIu32, c->buffer_line);
	buffer_puts(out, "\n");
}

static void put_losses(const struct memory_report *m, struct buffer *out)
{
	char size[SIZE_TEXT_MAX], largest[SIZE_TEXT_MAX];

	if (!m->complete)
		buffer_puts(out, "The heap is too large to be searched for lost blocks in the time "
				 "that there is.\n");
	for (size_t i = 0; i < m->n_cells; i++) {
		const struct memory_report_cell *c = &m->cells[i];

		if (c->lost) {
			buffer_printf(out,
				      "In[%" PRIu32 "] has lost %s in %" PRIu64
				      " block%s: nothing points there any more; the largest has %s",
				      c->cell, size_text(c->lost, size), c->lost_blocks,
				      c->lost_blocks == 1 ? "" : "s",
				      size_text(c->largest_lost, largest));
			if (c->site_line)
				buffer_printf(out, ", asked for in In[%" PRIu32 "] line %" PRIu32,
					      c->site_cell, c->site_line);
			buffer_puts(out, "\n");
		}
		if (c->device_lost)
			put_lost_buffers(c, out);
	}
}

static void put_cells(const struct memory_report *m, struct buffer *out)
{
	char size[SIZE_TEXT_MAX];

	if (!m->n_cells)
		return;
	buffer_printf(out, "\n%-8s %8s %9s %9s %9s %9s  %s\n", "cell", "blocks", "heap", "freed",
		      "device", "lost", "reached by");
	for (size_t i = 0; i < m->n_cells; i++)
		put_row(&m->cells[i], m->complete, out);
	if (m->n_left)
		buffer_printf(out, "and %" PRIu32 " more cells, which hold %s\n", m->n_left,
			      size_text(m->bytes_left, size));
	put_losses(m, out);
}

static int mem(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct device_totals device;
	struct memory_report m;

	(void)c;
	(void)call;
	if (read_device(s, &device, err) || question_memory_report(s->supervisor, NULL, 0, &m, err))
		return error_wrap(err, "%%mem");
	put_host(s, &m, &out);
	put_device(&device, &out);
	put_cells(&m, &out);
	memory_report_release(&m);
	if (buffer_check(&out, err))
		return -1;
	output_text(&s->output, STREAM_STDOUT, out.data, out.len);
	return 0;
}

const struct magic magic_mem = {
	.name = "mem",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%mem",
	.help = "Shows the session's memory by cell, what is lost, and how fragmented "
		"both heaps are.\n\n"
		"For each cell: live blocks, what was freed again, device memory, what "
		"is lost (nothing points there any more), and the variables by which "
		"the rest is reached. The limits are shown, too.",
	.run = mem,
};
