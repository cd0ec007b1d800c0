/* SPDX-License-Identifier: Apache-2.0 */
/* %limit: caps on device memory, host memory and output. */
#include <stdint.h>
#include <string.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/record.h"
#include "kernel/magics/magic.h"
#include "kernel/session/session.h"
#include "kernel/size-text.h"
#include "kernel/supervisor/memory-use.h"

#define NO_LIMIT (UINT64_C(1) << 62)

static const char *limit_text(uint64_t bytes, char text[SIZE_TEXT_MAX])
{
	return bytes && bytes < NO_LIMIT ? size_text(bytes, text) : "off";
}

/* The worker knows what of the cap the device can give at all. */
static uint64_t device_limit_in_force(struct session *s, uint64_t otherwise)
{
	cleanup_buffer struct buffer report = BUFFER_INIT;
	struct record r;
	uint64_t limit;

	if (supervisor_device_report(s->supervisor, &report, NULL))
		return otherwise;
	r = record_open(report.data, report.len);
	record_str(&r);
	record_u64(&r);
	record_u64(&r);
	limit = record_u64(&r);
	return r.failed || !limit ? otherwise : limit;
}

static void show(struct session *s)
{
	struct memory_use u = supervisor_memory_use(s->supervisor);
	uint64_t host, device;
	char text[SIZE_TEXT_MAX], used_text[SIZE_TEXT_MAX];

	supervisor_limits(s->supervisor, &host, &device);
	if (device < NO_LIMIT)
		device = device_limit_in_force(s, device);
	output_printf(&s->output, STREAM_STDOUT, "gpu     %s\n", limit_text(device, text));
	output_printf(&s->output, STREAM_STDOUT, "ram     %s (used: %s)\n", limit_text(host, text),
		      size_text(memory_use_total(&u), used_text));
	output_printf(&s->output, STREAM_STDOUT, "output  %s a cell\n", limit_text(s->output.limit, text));
}

static int limit(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	char *rest = call->args, *what = magic_next_word(&rest);
	uint64_t host, device, value = NO_LIMIT;

	(void)c;
	rest += strspn(rest, " \t");
	supervisor_limits(s->supervisor, &host, &device);
	if (*what && strcmp(what, "gpu") && strcmp(what, "ram") && strcmp(what, "output"))
		return error_set(err, ERROR_INPUT, "%%limit: \"%s\" has no limit; gpu, ram and output have one", what);
	if (*rest && strcmp(rest, "off") && size_text_parse(rest, &value, err))
		return error_wrap(err, "%%limit %s", what);
	if (*rest && !value)
		return error_set(err, ERROR_INPUT, "%%limit %s: a limit of nothing leaves nothing to work with; "
				 "`%%limit %s off` takes the limit away", what, what);
	if (*rest && !strcmp(what, "gpu") && supervisor_set_limits(s->supervisor, host, value, err))
		return error_wrap(err, "%%limit gpu");
	if (*rest && !strcmp(what, "ram") &&
	    supervisor_set_limits(s->supervisor, value == NO_LIMIT ? 0 : value, device, err))
		return error_wrap(err, "%%limit ram");
	if (*rest && !strcmp(what, "output"))
		s->output.limit = value;
	show(s);
	return 0;
}

const struct magic magic_limit = {
	.name = "limit",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%limit [gpu|ram|output SIZE|off]",
	.help = "Caps of this session: memory on the device, memory on the host, text that one cell may show. Over a cap\n"
		"an allocation fails with an error that says who holds what. Without arguments the caps are shown.",
	.run = limit,
};
