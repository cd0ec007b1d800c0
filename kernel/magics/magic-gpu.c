/* SPDX-License-Identifier: Apache-2.0 */
/* %gpu: the device and who holds its memory. */
#include <inttypes.h>
#include <stdio.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/record.h"
#include "kernel/magics/magic.h"
#include "kernel/session/session.h"
#include "kernel/size-text.h"

static void put_buffers(struct record *r, struct buffer *out)
{
	uint32_t n = record_count(r, 22);
	char size[SIZE_TEXT_MAX];

	if (n)
		buffer_printf(out, "\n%-20s %9s  %-7s  %-18s  %s\n", "buffer", "size", "cell", "address", "kind");
	while (n--) {
		uint64_t address = record_u64(r), bytes = record_u64(r);
		uint32_t cell = record_u32(r);
		const char *name = record_str(r), *kind = record_str(r);
		char where[24];

		snprintf(where, sizeof(where), "In[%" PRIu32 "]", cell);
		buffer_printf(out, "%-20s %9s  %-7s  0x%-16" PRIx64 "  %s\n", *name ? name : "-",
			      size_text(bytes, size), where, address, kind);
	}
}

static int gpu(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	cleanup_buffer struct buffer report = BUFFER_INIT, out = BUFFER_INIT;
	char total[SIZE_TEXT_MAX], used[SIZE_TEXT_MAX], limit[SIZE_TEXT_MAX], largest[SIZE_TEXT_MAX];
	struct record r;

	(void)c;
	(void)call;
	if (supervisor_device_report(s->supervisor, &report, err))
		return error_wrap(err, "%%gpu");
	r = record_open(report.data, report.len);
	buffer_printf(&out, "%s", record_str(&r));
	size_text(record_u64(&r), total);
	size_text(record_u64(&r), used);
	size_text(record_u64(&r), limit);
	size_text(record_u64(&r), largest);
	buffer_printf(&out, "\nmemory: %s used of %s allowed (device: %s); the largest request that fits: %s\n",
		      used, limit, total, largest);
	put_buffers(&r, &out);
	if (record_check(&r, "device report", err))
		return -1;
	output_text(&s->output, STREAM_STDOUT, out.data, out.len);
	return 0;
}

const struct magic magic_gpu = {
	.name = "gpu",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%gpu",
	.help = "The device, how much of its memory is used and allowed, and each buffer with the variable and the cell\n"
		"that hold it. `%limit gpu SIZE` changes what is allowed.",
	.run = gpu,
};
