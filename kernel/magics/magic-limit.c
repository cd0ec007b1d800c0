/* SPDX-License-Identifier: Apache-2.0 */
/* %limit: limits of device memory, host memory, output and time, and how long cells wait for memory
 * that others have. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "kernel/cell-run/memory-use.h"
#include "kernel/sandbox/machine-memory.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"
#include "kernel/settings/limits.h"
#include "kernel/settings/size-text.h"
#include "kernel/settings/time-text.h"
#include "kernel/workers/question.h"

#define NO_LIMIT (UINT64_C(1) << 62)
/* Below that no cell runs, so a number alone is not meant as bytes. */
#define LEAST_BYTES (UINT64_C(1) << 20)

static const char *limit_text(uint64_t bytes, char text[SIZE_TEXT_MAX])
{
	return bytes && bytes < NO_LIMIT ? size_text(bytes, text) : "off";
}

/* Asks the worker, which knows how much of the limit the device can give. */
static uint64_t device_limit_in_force(struct session *s, uint64_t otherwise)
{
	cleanup_buffer struct buffer report = BUFFER_INIT;
	struct record r;
	uint64_t limit;

	if (question_device_report(s->supervisor, &report, NULL))
		return otherwise;
	r = record_open(report.data, report.len);
	record_str(&r);
	record_u64(&r);
	record_u64(&r);
	limit = record_u64(&r);
	return r.failed || !limit ? otherwise : limit;
}

static int limit_wait(struct session *s, const char *rest, struct error *err)
{
	uint64_t ms = 0;

	if (*rest && time_text_parse(rest, &ms, err))
		return error_wrap(err, "%%limit wait");
	if (*rest)
		supervisor_set_wait(s->supervisor, ms);
	return 0;
}

static void show(struct session *s)
{
	struct memory_use u;
	uint64_t host, device;
	char text[SIZE_TEXT_MAX], used_text[SIZE_TEXT_MAX];

	supervisor_settle(s->supervisor);
	u = supervisor_memory_use(s->supervisor);
	supervisor_limits(s->supervisor, &host, &device);
	if (device < NO_LIMIT)
		device = device_limit_in_force(
			s, limits_apply(supervisor_ceilings(s->supervisor), LIMIT_GPU, device,
					machine_memory_total() / 2,
					supervisor_device_memory(s->supervisor)));
	output_printf(&s->output, STREAM_STDOUT, "gpu     %s\n", limit_text(device, text));
	output_printf(&s->output, STREAM_STDOUT, "ram     %s (used: %s)\n", limit_text(host, text),
		      size_text(memory_use_total(&u), used_text));
	output_printf(&s->output, STREAM_STDOUT, "output  %s a cell\n",
		      limit_text(s->output.limit, text));
	output_printf(&s->output, STREAM_STDOUT, "time    %s a cell\n",
		      time_text(s->time_limit.ms, text));
	output_printf(&s->output, STREAM_STDOUT, "wait    %s\n",
		      time_text(supervisor_wait(s->supervisor), text));
}

/* Refuses a number without a unit that can only be meant with one. */
static int check_unit(enum limit_kind kind, const char *text, uint64_t bytes, struct error *err)
{
	if ((kind != LIMIT_GPU && kind != LIMIT_RAM) || bytes >= LEAST_BYTES ||
	    text[strspn(text, "0123456789")])
		return 0;
	return error_set(err, ERROR_INPUT, "%s of what? Say a unit: %sM, %sG or %s%%", text, text,
			 text, text);
}

/* Returns what a part of the kind is a part of; 0: that is not known. */
static uint64_t whole_of(const struct session *s, enum limit_kind kind)
{
	return kind == LIMIT_GPU ? supervisor_device_memory(s->supervisor) : machine_memory_total();
}

/* Says that there is no more memory, where the limit is beyond that. */
static void tell_whole(struct session *s, enum limit_kind kind, uint64_t bytes)
{
	uint64_t whole = whole_of(s, kind);
	char text[SIZE_TEXT_MAX];

	if (whole && bytes > whole && bytes < NO_LIMIT)
		output_printf(&s->output, STREAM_STDOUT, "%s %s: more cannot be had.\n",
			      kind == LIMIT_GPU ? "The device has" : "The machine has",
			      size_text(whole, text));
}

/* Parses a limit and checks that it is allowed. */
static int parse_amount(struct session *s, enum limit_kind kind, const char *text, uint64_t *ret,
			struct error *err)
{
	uint64_t whole = whole_of(s, kind);
	struct limit_amount a = { .bytes = NO_LIMIT };

	if (strcmp(text, "off") && (limit_amount_parse(kind, text, &a, err) ||
				    check_unit(kind, text, limit_amount_bytes(&a, whole), err)))
		return -1;
	*ret = limit_amount_bytes(&a, whole);
	return limits_check(supervisor_ceilings(s->supervisor), kind, *ret, whole, err);
}

static int limit_time(struct session *s, uint64_t ms, struct error *err)
{
	char text[TIME_TEXT_MAX];

	if (s->time_limit.most && ms > s->time_limit.most)
		return error_set(err, ERROR_LIMIT, "the profile locked allows %s at most",
				 time_text(s->time_limit.most, text));
	time_limit_set(s, ms == NO_LIMIT ? 0 : ms);
	return 0;
}

static int set(struct session *s, enum limit_kind kind, const char *text, struct error *err)
{
	uint64_t host, device, value;

	if (parse_amount(s, kind, text, &value, err))
		return -1;
	supervisor_limits(s->supervisor, &host, &device);
	switch (kind) {
	case LIMIT_GPU:
		tell_whole(s, kind, value);
		return supervisor_set_limits(s->supervisor, host, value, err);
	case LIMIT_RAM:
		tell_whole(s, kind, value);
		return supervisor_set_limits(s->supervisor, value == NO_LIMIT ? 0 : value, device,
					     err);
	case LIMIT_TIME:
		return limit_time(s, value, err);
	default:
		s->output.limit = value;
		return 0;
	}
}

static int limit(struct session *s, struct cell *c, const struct magic_call *call,
		 struct error *err)
{
	char *rest = call->args, *what = magic_next_word(&rest);
	enum limit_kind kind = LIMIT_KINDS;

	(void)c;
	rest += strspn(rest, " \t");
	if (!strcmp(what, "wait")) {
		if (limit_wait(s, rest, err))
			return -1;
		show(s);
		return 0;
	}
	if (*what && (limit_kind_find(what, strlen(what), &kind) || kind == LIMIT_DISK))
		return error_set(
			err, ERROR_INPUT,
			"%%limit: \"%s\" has no limit; gpu, ram, output, time and wait have one",
			what);
	if (*rest && set(s, kind, rest, err))
		return error_wrap(err, "%%limit %s", what);
	show(s);
	return 0;
}

static enum magic_word complete(struct session *s, const char *before, magic_candidate *fn,
				void *data)
{
	(void)s;
	if (!*before)
		magic_offer("gpu ram output time wait", fn, data);
	else if (strcmp(before, "wait ") != 0 && !before[strcspn(before, " ") + 1])
		magic_offer("off", fn, data);
	return MAGIC_WORD_NONE;
}

const struct magic magic_limit = {
	.name = "limit",
	.alias = "",
	.forms = MAGIC_LINE | MAGIC_PARKED,
	.usage = "%limit [gpu|ram|...|wait VALUE]",
	.help = "Sets or shows the caps of this session: memory, output, time.\n\n"
		"- `gpu`, `ram`: memory on the device and on the host; `gpu 40%` is a "
		"part of the device. Over a cap an allocation fails with an error that "
		"says who holds what.\n"
		"- `output`: text that one cell may show.\n"
		"- `time`: how long a cell may take. Over `time 10min` it is "
		"interrupted and rolled back.\n"
		"- `wait`: how long a cell waits for device memory that other notebooks "
		"have.\n\n"
		"Without arguments the caps are shown.",
	.run = limit,
	.complete = complete,
};
