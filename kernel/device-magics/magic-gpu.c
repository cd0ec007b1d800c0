/* SPDX-License-Identifier: Apache-2.0 */
/* %gpu: lists the devices and what holds their memory. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "kernel/base/text-table.h"
#include "kernel/base/utf8.h"
#include "kernel/device-magics/gpu-use.h"
#include "kernel/device/eviction.h"
#include "kernel/reports/view-display.h"
#include "kernel/session/gpu-card.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"
#include "kernel/settings/size-text.h"
#include "kernel/views/presenter-view.h"
#include "kernel/workers/question.h"

static const struct text_column columns[] = {
	{ "buffer", "the variable that holds it", 20, 20, true },
	{ "size", "", 9, 9, false },
	{ "cell", "that made it", 7, 7, true },
	{ "address", "on the device", 18, 18, true },
	{ "kind", "", 4, 32, true },
	{ "device", "", 6, 6, true },
};
#define N_COLUMNS (sizeof(columns) / sizeof(columns[0]))

/* Lists the buffers, which come before the devices in the report; with several devices each buffer
 * names its own. Returns their number. */
static uint32_t list_buffers(struct record *r, bool several, struct text_table *ret)
{
	uint32_t n = record_count(r, 26);

	text_table_init(ret, columns, several ? N_COLUMNS : N_COLUMNS - 1);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t address = record_u64(r), bytes = record_u64(r);
		uint32_t cell = record_u32(r);
		const char *name = record_str(r), *kind = record_str(r);
		char size[SIZE_TEXT_MAX], made[24], where[24], device[16];

		snprintf(made, sizeof(made), "In[%" PRIu32 "]", cell);
		snprintf(where, sizeof(where), "0x%" PRIx64, address);
		snprintf(device, sizeof(device), "%" PRIu32, record_u32(r));
		text_table_begin_row(ret, false);
		text_table_add(ret, *name ? name : "-");
		text_table_add(ret, size_text(bytes, size));
		text_table_add(ret, made);
		text_table_add(ret, where);
		text_table_add(ret, kind);
		if (several)
			text_table_add(ret, device);
	}
	return n;
}

static void skip_buffers(struct record *r)
{
	for (uint32_t n = record_count(r, 26); n--;) {
		record_u64(r);
		record_u64(r);
		record_u32(r);
		record_str(r);
		record_str(r);
		record_u32(r);
	}
}

/* Returns the number of devices; with `out` they are listed if there are several. */
static uint32_t put_devices(struct record *r, struct buffer *out)
{
	uint32_t n = record_count(r, 18);

	for (uint32_t i = 0; i < n; i++) {
		const char *name = record_str(r), *id = record_str(r);
		uint64_t total = record_u64(r), used = record_u64(r);
		char a[SIZE_TEXT_MAX], b[SIZE_TEXT_MAX];

		if (out && n > 1)
			buffer_printf(out, "device %" PRIu32 "  %s  %s: %s used of %s\n", i, id,
				      name, size_text(used, a), size_text(total, b));
	}
	return n;
}

/* Is called twice: the first call ends the workers, and the magic runs again when another one has
 * the session. */
static int reset(struct session *s, struct error *err)
{
	cleanup_buffer struct buffer report = BUFFER_INIT;

	if (supervisor_renew(s->supervisor, &report, err))
		return -1;
	if (report.len)
		output_text(&s->output, STREAM_STDERR, report.data, report.len);
	return 0;
}

/* Reports a parked session without waking it. */
static int put_parked(struct session *s, const struct eviction_state *p, struct error *err)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	char size[SIZE_TEXT_MAX];

	buffer_printf(&out, "parked: %s of device memory are %s; the next cell brings them back\n",
		      size_text(p->bytes, size), p->on_disk ? "on disk" : "in host memory");
	if (*p->problem)
		buffer_printf(&out, "The last try to bring them back: %s\n", p->problem);
	if (supervisor_share_table(s->supervisor, &out, err))
		return -1;
	output_text(&s->output, STREAM_STDOUT, out.data, out.len);
	return 0;
}

/* Writes what comes before the buffers. Returns whether there are several devices. */
static bool put_memory(struct record *r, struct buffer *out)
{
	char total[SIZE_TEXT_MAX], used[SIZE_TEXT_MAX], limit[SIZE_TEXT_MAX],
		largest[SIZE_TEXT_MAX];
	const char *name = record_str(r);
	struct record ahead;
	bool several;

	size_text(record_u64(r), total);
	size_text(record_u64(r), used);
	size_text(record_u64(r), limit);
	size_text(record_u64(r), largest);
	ahead = *r;
	skip_buffers(&ahead);
	several = put_devices(&ahead, NULL) > 1;
	buffer_printf(out,
		      "%s\nmemory: %s used of %s allowed (device%s: %s); the largest request that "
		      "fits: %s\n",
		      *name ? name : "no device", used, limit, several ? "s" : "", total, largest);
	ahead = *r;
	skip_buffers(&ahead);
	put_devices(&ahead, out);
	return several;
}

/* Writes what comes behind the buffers: why the device cannot be used, who shares it. */
static int put_rest(struct session *s, struct record *r, struct buffer *out, struct error *err)
{
	const char *problem;

	put_devices(r, NULL);
	problem = record_str(r);
	if (*problem)
		buffer_printf(out,
			      "\nCells cannot use it: %s\n`%%gpu reset` tries it again; what needs "
			      "no device works on.\n",
			      problem);
	return record_check(r, "device report", err) ||
			       supervisor_share_table(s->supervisor, out, err)
		       ? -1
		       : 0;
}

static void put_preformatted(const struct buffer *text, struct buffer *out)
{
	if (!text->len)
		return;
	buffer_puts(out, "<pre style=\"margin-left: 0\">");
	utf8_html(text->data, text->len, out);
	buffer_puts(out, "</pre>\n");
}

static int show(struct session *s, const struct cell *c, struct error *err)
{
	cleanup_buffer struct buffer report = BUFFER_INIT, memory = BUFFER_INIT, rest = BUFFER_INIT;
	struct presenter_view view = { 0 };
	struct text_table buffers;
	struct record r;
	uint32_t n;
	int failed;

	if (question_device_report(s->supervisor, &report, err))
		return error_wrap(err, "%%gpu");
	r = record_open(report.data, report.len);
	n = list_buffers(&r, put_memory(&r, &memory), &buffers);
	failed = put_rest(s, &r, &rest, err);
	buffer_puts(&view.text, buffer_text(&memory));
	put_preformatted(&memory, &view.html);
	if (n) {
		buffer_putc(&view.text, '\n');
		text_table_text(&buffers, &view.text);
		text_table_html(&buffers, &view.html);
	}
	buffer_puts(&view.text, buffer_text(&rest));
	put_preformatted(&rest, &view.html);
	failed = failed || buffer_check(&memory, err) || buffer_check(&rest, err) ||
		 buffer_check(&view.text, err) || buffer_check(&view.html, err) ||
		 view_display(s, c, &view, err);
	presenter_view_release(&view);
	text_table_release(&buffers);
	return failed ? -1 : 0;
}

static const char *const rollbacks[DEVICE_ROLLBACKS] = {
	[DEVICE_ROLLBACK_FULL] = "full",
	[DEVICE_ROLLBACK_HOST] = "host",
	[DEVICE_ROLLBACK_OFF] = "off",
	[DEVICE_ROLLBACK_WHOLE] = "whole",
};

static int rollback(struct session *s, const char *word, struct error *err)
{
	unsigned mode = 0;

	while (mode < DEVICE_ROLLBACKS && strcmp(word, rollbacks[mode]))
		mode++;
	if (*word && mode == DEVICE_ROLLBACKS)
		return error_set(err, ERROR_INPUT,
				 "%%gpu rollback: \"%s\" is none; it is full, host, whole or off",
				 word);
	if (*word && supervisor_set_rollback(s->supervisor, (enum device_rollback)mode, err))
		return -1;
	output_printf(&s->output, STREAM_STDOUT, "rollback of device memory: %s\n",
		      rollbacks[supervisor_rollback(s->supervisor)]);
	return 0;
}

static int gpu(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	struct eviction_state parked;
	bool is_parked = eviction_holds_session(s->supervisor, &parked);

	if (is_parked && !*call->args)
		return put_parked(s, &parked, err);
	if (is_parked && strcmp(call->args, "-l off"))
		return error_set(
			err, ERROR_STATE,
			"%%gpu %s: the session is parked; the next cell takes the device up anew",
			call->args);
	if (!strcmp(call->args, "reset") && reset(s, err))
		return -1;
	if (!*call->args || !strcmp(call->args, "reset"))
		return show(s, c, err);
	if (!strncmp(call->args, "rollback", 8) && (!call->args[8] || call->args[8] == ' '))
		return rollback(s, call->args + 8 + strspn(call->args + 8, " "), err);
	if (!strcmp(call->args, "-l"))
		return gpu_card_start(s, c, err);
	if (!strncmp(call->args, "use ", 4))
		return gpu_use(s, c, call, call->args + 4 + strspn(call->args + 4, " "), err);
	if (strcmp(call->args, "-l off"))
		return error_set(
			err, ERROR_INPUT,
			"%%gpu: it is %%gpu, %%gpu use NUMBER, %%gpu -l for a live card, %%gpu -l "
			"off, %%gpu rollback full|host|whole|off, or %%gpu reset");
	gpu_card_stop(s);
	return 0;
}

static enum magic_word complete(struct session *s, const char *before, magic_candidate *fn,
				void *data)
{
	(void)s;
	if (!*before)
		magic_offer("-l reset rollback use", fn, data);
	else if (!strcmp(before, "-l "))
		magic_offer("off", fn, data);
	else if (!strcmp(before, "use "))
		magic_offer("native emulated", fn, data);
	for (size_t i = 0; i < DEVICE_ROLLBACKS && !strcmp(before, "rollback "); i++)
		fn(data, rollbacks[i], "keyword");
	return MAGIC_WORD_NONE;
}

const struct magic magic_gpu = {
	.name = "gpu",
	.alias = "",
	.forms = MAGIC_LINE | MAGIC_PARKED,
	.usage = "%gpu [-l|use N|rollback|reset]",
	.help = "Shows the devices, their memory, and each buffer with its variable and "
		"cell.\n\n"
		"- `%gpu -l`: the same, brought up to date in place while cells run, "
		"until `%gpu -l off` or until its cell runs again.\n"
		"- `%gpu use 1`: cells use this device from here on. `%gpu use "
		"native|emulated` changes the driver of a session without device "
		"memory.\n"
		"- `%gpu reset`: takes up the device anew in another process, when it "
		"was lost and is there again. Variables stay.\n"
		"- `%gpu rollback full`: before a cell writes a device buffer, its "
		"content is copied on the device. This is the default.\n"
		"- `%gpu rollback host`: it is copied to the host, so that the cell has "
		"all of the device's memory.\n"
		"- `%gpu rollback off`: it is not copied. A cell that fails leaves what "
		"it wrote, and the buffers are named.\n"
		"- `%gpu rollback whole`: all buffers that device code can reach are "
		"copied, not only those that it is known to write. On a GPU this covers "
		"writes through stray pointers, too.\n\n"
		"`%limit gpu SIZE` changes how much memory is allowed.",
	.run = gpu,
	.complete = complete,
};
