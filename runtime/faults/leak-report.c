/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for pointers is that of the memory report; this file keeps the buffers that the cell
 * itself has allocated and prints them in the order in which they are found. All are counted and
 * summed, but only the first LEAKS_SHOWN are listed. When the search was given up, a line says so,
 * since an empty list would mean that there is no leak.
 */
#include "runtime/faults/leak-report.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/protocol/fault-questions.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/cuda/device.h"
#include "runtime/faults/memory-report.h"

#define LEAKS_SHOWN 16

struct leaks {
	uint32_t cell, n;
	uint64_t bytes;
	struct buffer *out;
};

static void put_leak(void *data, const struct device_buffer *b)
{
	struct leaks *l = data;
	struct address_description d = { .name = "" };

	if (b->cell != l->cell)
		return;
	l->bytes += b->size;
	if (l->n++ >= LEAKS_SHOWN)
		return;
	device_describe(b->address, &d);
	buffer_puts(l->out, "========= Leaked ");
	buffer_put_grouped(l->out, b->size);
	buffer_printf(l->out, " bytes at 0x%" PRIx64, b->address);
	if (*d.name)
		buffer_printf(l->out, " `%s`", d.name);
	buffer_printf(l->out, "\n=========     allocated in In[%u]", b->cell);
	if (b->line)
		buffer_printf(l->out, ":%u", b->line);
	buffer_putc(l->out, '\n');
	if (b->line)
		device_source_put(b->cell, b->line, l->out);
}

void leak_report(uint32_t cell, struct buffer *out)
{
	struct leaks l = { .cell = cell, .out = out };
	struct error err = ERROR_INIT;

	if (memory_report_lost_buffers(put_leak, &l, &err)) {
		buffer_printf(out, "Leaks of device memory were not searched for: %s\n", err.text);
		return;
	}
	if (!l.n)
		return;
	buffer_puts(out, "========= LEAK SUMMARY: ");
	buffer_put_grouped(out, l.bytes);
	buffer_printf(out, " bytes leaked in %u allocation%s%s\n", l.n, l.n == 1 ? "" : "s",
		      l.n > LEAKS_SHOWN ? ", of which the first are shown" : "");
}
