/* SPDX-License-Identifier: Apache-2.0 */
/* %gpu: lists the devices and what holds their memory. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "kernel/device-magics/gpu-use.h"
#include "kernel/device/eviction.h"
#include "kernel/session/gpu-card.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"
#include "kernel/settings/size-text.h"
#include "kernel/workers/question.h"

/* Lists the buffers, which come before the devices in the report; with several devices each buffer
 * names its own. */
static void put_buffers(struct record *r, bool several, struct buffer *out)
{
	uint32_t n = record_count(r, 26);
	char size[SIZE_TEXT_MAX];

	if (n)
		buffer_printf(out, "\n%-20s %9s  %-7s  %-18s  %s%s\n", "buffer", "size", "cell",
			      "address", several ? "device  " : "", "kind");
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

static int show(struct session *s, struct error *err)
{
	cleanup_buffer struct buffer report = BUFFER_INIT, out = BUFFER_INIT;
	char total[SIZE_TEXT_MAX], used[SIZE_TEXT_MAX], limit[SIZE_TEXT_MAX],
		largest[SIZE_TEXT_MAX];
	const char *name, *problem;
	struct record r, ahead;
	bool several;

	if (question_device_report(s->supervisor, &report, err))
		return error_wrap(err, "%%gpu");
	r = record_open(report.data, report.len);
	name = record_str(&r);
	buffer_puts(&out, *name ? name : "no device");
	size_text(record_u64(&r), total);
	size_text(record_u64(&r), used);
	size_text(record_u64(&r), limit);
	size_text(record_u64(&r), largest);
	ahead = r;
	skip_buffers(&ahead);
	several = put_devices(&ahead, NULL) > 1;
	buffer_printf(&out,
		      "\nmemory: %s used of %s allowed (device%s: %s); the largest request that "
		      "fits: %s\n",
		      used, limit, several ? "s" : "", total, largest);
	ahead = r;
	skip_buffers(&ahead);
	put_devices(&ahead, &out);
	put_buffers(&r, several, &out);
	put_devices(&r, NULL);
	problem = record_str(&r);
	if (*problem)
		buffer_printf(&out,
			      "\nCells cannot use it: %s\n`%%gpu reset` tries it again; what needs "
			      "no device works on.\n",
			      problem);
	if (record_check(&r, "device report", err) ||
	    supervisor_share_table(s->supervisor, &out, err))
		return -1;
	output_text(&s->output, STREAM_STDOUT, out.data, out.len);
	return 0;
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
		return show(s, err);
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
	.help = "The devices, how much of their memory is used and allowed, and each buffer with "
		"the variable and the cell\n"
		"that hold it. `%limit gpu SIZE` changes what is allowed. `%gpu -l` is a card that "
		"is renewed in place, also while\n"
		"cells run, until `%gpu -l off` or its cell runs again. `%gpu reset` takes up the "
		"device anew in another process:\n"
		"for one that was lost and is there again. Variables stay. `%gpu use 1`: cells use "
		"that device from here on.\n"
		"`%gpu use native|emulated` changes the driver of a session without device "
		"memory.\n"
		"`%gpu rollback`: before a cell writes a device buffer, its content is copied on "
		"the device (full, the default), to\n"
		"the host (host: the device has its memory for the cell), or not at all (off: a "
		"cell\n"
		"that fails leaves what it wrote, and names the buffers). whole: of all that "
		"device code reaches, not just of what\n"
		"it is known to write; on a GPU a cell that fails has else no copy of what it "
		"wrote by a stray pointer, and names it.",
	.run = gpu,
	.complete = complete,
};
