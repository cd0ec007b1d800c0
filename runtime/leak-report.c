/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/leak-report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/fault-questions.h"
#include "common/worker-protocol.h"
#include "runtime/cuda/device.h"
#include "runtime/memory-report.h"

#define LEAKS_SHOWN 16

struct leaks {
	uint32_t cell, n;
	uint64_t bytes;
	const char *text;
	struct buffer *out;
};

/* 4194300 -> "4,194,300" */
static void put_grouped(uint64_t v, struct buffer *out)
{
	if (v < 1000) {
		buffer_printf(out, "%" PRIu64, v);
		return;
	}
	put_grouped(v / 1000, out);
	buffer_printf(out, ",%03" PRIu64, v % 1000);
}

static void put_line(const struct leaks *l, uint32_t line)
{
	const char *at = l->text;

	for (uint32_t i = 1; i < line && at; i++) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	at = at ? at + strspn(at, " \t") : "";
	if (*at && *at != '\n')
		buffer_printf(l->out, "=========         %u | %.*s\n", line, (int)strcspn(at, "\n"), at);
}

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
	put_grouped(b->size, l->out);
	buffer_printf(l->out, " bytes at 0x%" PRIx64, b->address);
	if (*d.name)
		buffer_printf(l->out, " `%s`", d.name);
	buffer_printf(l->out, "\n=========     allocated in In[%u]", b->cell);
	if (b->line)
		buffer_printf(l->out, ":%u", b->line);
	buffer_putc(l->out, '\n');
	if (b->line)
		put_line(l, b->line);
}

void leak_report(uint32_t cell, const char *text, struct buffer *out)
{
	struct leaks l = { .cell = cell, .text = text, .out = out };
	struct error err = ERROR_INIT;

	if (memory_report_lost_buffers(put_leak, &l, &err)) {
		buffer_printf(out, "Leaks of device memory were not searched for: %s\n", err.text);
		return;
	}
	if (!l.n)
		return;
	buffer_puts(out, "========= LEAK SUMMARY: ");
	put_grouped(l.bytes, out);
	buffer_printf(out, " bytes leaked in %u allocation%s%s\n", l.n, l.n == 1 ? "" : "s",
		      l.n > LEAKS_SHOWN ? ", of which the first are shown" : "");
}
