/* SPDX-License-Identifier: Apache-2.0 */
/* %gpu: the devices and who holds their memory. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/record.h"
#include "kernel/magics/magic.h"
#include "kernel/session/session.h"
#include "kernel/size-text.h"

/* The buffers come before the devices, and where there are several each says on which it lies. */
static void put_buffers(struct record *r, bool several, struct buffer *out)
{
	uint32_t n = record_count(r, 26);
	char size[SIZE_TEXT_MAX];

	if (n)
		buffer_printf(out, "\n%-20s %9s  %-7s  %-18s  %s%s\n", "buffer", "size", "cell", "address",
			      several ? "device  " : "", "kind");
	while (n--) {
		uint64_t address = record_u64(r), bytes = record_u64(r);
		uint32_t cell = record_u32(r);
		const char *name = record_str(r), *kind = record_str(r);
		uint32_t device = record_u32(r);
		char where[24], number[16] = "";

		snprintf(where, sizeof(where), "In[%" PRIu32 "]", cell);
		if (several)
			snprintf(number, sizeof(number), "%-6" PRIu32 "  ", device);
		buffer_printf(out, "%-20s %9s  %-7s  0x%-16" PRIx64 "  %s%s\n", *name ? name : "-",
			      size_text(bytes, size), where, address, number, kind);
	}
}

static void skip_buffers(struct record *r)
{
	for (uint32_t n = record_count(r, 26); n--; ) {
		record_u64(r);
		record_u64(r);
		record_u32(r);
		record_str(r);
		record_str(r);
		record_u32(r);
	}
}

/* How many there are; with `out` several are listed. */
static uint32_t put_devices(struct record *r, struct buffer *out)
{
	uint32_t n = record_count(r, 18);

	for (uint32_t i = 0; i < n; i++) {
		const char *name = record_str(r), *id = record_str(r);
		uint64_t total = record_u64(r), used = record_u64(r);
		char a[SIZE_TEXT_MAX], b[SIZE_TEXT_MAX];

		if (out && n > 1)
			buffer_printf(out, "device %" PRIu32 "  %s  %s: %s used of %s\n", i, id, name, size_text(used, a),
				      size_text(total, b));
	}
	return n;
}

static int gpu(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	cleanup_buffer struct buffer report = BUFFER_INIT, out = BUFFER_INIT;
	char total[SIZE_TEXT_MAX], used[SIZE_TEXT_MAX], limit[SIZE_TEXT_MAX], largest[SIZE_TEXT_MAX];
	struct record r, ahead;
	bool several;

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
	ahead = r;
	skip_buffers(&ahead);
	several = put_devices(&ahead, NULL) > 1;
	buffer_printf(&out, "\nmemory: %s used of %s allowed (device%s: %s); the largest request that fits: %s\n",
		      used, limit, several ? "s" : "", total, largest);
	ahead = r;
	skip_buffers(&ahead);
	put_devices(&ahead, &out);
	put_buffers(&r, several, &out);
	put_devices(&r, NULL);
	if (record_check(&r, "device report", err) || supervisor_share_table(s->supervisor, &out, err))
		return -1;
	output_text(&s->output, STREAM_STDOUT, out.data, out.len);
	return 0;
}

const struct magic magic_gpu = {
	.name = "gpu",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%gpu",
	.help = "The devices, how much of their memory is used and allowed, and each buffer with the variable and the cell\n"
		"that hold it. `%limit gpu SIZE` changes what is allowed.",
	.run = gpu,
};
