/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The question goes to the compiler and is answered later, from the event loop. The line form asks
 * at once and returns 1, which leaves the cell open until hooks->magic_done(); until then an
 * interrupt reaches the compiler through the cell's cancel(). The cell form only stores its
 * arguments in the cell, and look_at_unit() asks when the cell has been compiled. Both share the
 * display of the answer; no answer means that the compiler ended or was interrupted.
 */
#include "kernel/session/look.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "kernel/protocol/publish.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"
#include "kernel/show/utf8-json.h"

void look_release(struct look *l)
{
	free(l->name);
	*l = (struct look){ 0 };
}

/* ---- arguments ---- */

bool look_parse_target(const char *word, uint32_t *ret)
{
	static const char *const fronts[] = { "sm_", "compute_" };
	const char *digits = word;
	unsigned long n;
	char *end;

	for (size_t i = 0; i < sizeof(fronts) / sizeof(fronts[0]) && digits == word; i++)
		if (!strncmp(word, fronts[i], strlen(fronts[i])))
			digits += strlen(fronts[i]);
	n = strtoul(digits, &end, 10);
	if (*end || end == digits || n < 50 || n > 999)
		return false;
	*ret = (uint32_t)n;
	return true;
}

static int read_arch(const char *word, uint32_t *ret, struct error *err)
{
	return look_parse_target(word, ret)
		       ? 0
		       : error_set(err, ERROR_INPUT,
				   "--arch names a compute capability, as in --arch sm_80; not "
				   "'%s'",
				   word);
}

static int read_number(const char *option, const char *word, uint32_t max, uint32_t *ret,
		       struct error *err)
{
	char *end;
	unsigned long n = strtoul(word, &end, 10);

	if (!*word || *end || n > max)
		return error_set(err, ERROR_INPUT, "%s takes a number up to %u", option, max);
	*ret = (uint32_t)n;
	return 0;
}

static int read_option(const char *option, const char *value, struct look *ret, struct error *err)
{
	if (!strcmp(option, "--arch"))
		return read_arch(value, &ret->sm, err);
	if (!strcmp(option, "--block") && ret->kind == LOOK_REGISTERS)
		return read_number(option, value, 1024, &ret->threads, err);
	if (!strcmp(option, "--shared") && ret->kind == LOOK_REGISTERS)
		return read_number(option, value, 1u << 20, &ret->dynamic_shared, err);
	return error_set(err, ERROR_INPUT, "there is no option %s here; there %s", option,
			 ret->kind == LOOK_REGISTERS
				 ? "are --arch sm_80, --block THREADS, --shared BYTES"
				 : "is --arch sm_80");
}

static int read_arguments(char *args, struct look *ret, struct error *err)
{
	for (char *word = magic_next_word(&args); *word; word = magic_next_word(&args)) {
		char *value = strchr(word, '=');

		if (*word != '-') {
			free(ret->name);
			ret->name = strdup(word);
			if (!ret->name)
				return error_set(err, ERROR_MEMORY, "out of memory");
			continue;
		}
		if (value)
			*value++ = '\0';
		else
			value = magic_next_word(&args);
		if (read_option(word, value, ret, err))
			return -1;
	}
	return 0;
}

/* ---- question and answer ---- */

static int ask(struct session *s, const struct look *l, const struct unit *unit,
	       compiler_answer *fn, struct error *err)
{
	const struct supervisor_look q = { .kind = (uint8_t)l->kind,
					   .name = l->name ? l->name : "",
					   .sm = l->sm,
					   .threads = l->threads,
					   .dynamic_shared = l->dynamic_shared,
					   .unit = unit };

	return supervisor_look(s->supervisor, &q, fn, s, err);
}

/* Shows the answer; -1: there is none, or it has an error. */
static int show(struct session *s, const struct cell *c, uint32_t type, const void *payload,
		size_t len, struct error *err)
{
	struct record r = record_open(payload, payload ? len : 0);
	const char *problem, *text, *html;

	if (!payload || type != COMPILER_LOOKED)
		return error_set(
			err, ERROR_PEER_GONE, "%s",
			c->interrupted ? "interrupted"
				       : "the compiler has ended over this and was started again");
	problem = record_str(&r);
	text = record_str(&r);
	html = record_str(&r);
	if (record_check(&r, "what was looked at", err))
		return -1;
	if (*problem)
		return error_set(err, ERROR_NOT_FOUND, "%s", problem);
	output_flush(&s->output);
	publish_display(&s->publisher, &c->request->message, utf8_json_bundle(text, html), "",
			false);
	return 0;
}

static void on_line_looked(void *data, uint32_t type, const void *payload, size_t len)
{
	struct session *s = data;
	struct error err = ERROR_INIT;
	int failed = show(s, s->executor.current, type, payload, len, &err);

	s->hooks->magic_done(s, failed ? &err : NULL);
}

static void on_cell_looked(void *data, uint32_t type, const void *payload, size_t len)
{
	struct session *s = data;
	struct error err = ERROR_INIT;
	int failed = show(s, s->executor.current, type, payload, len, &err);

	s->hooks->looked(s, failed ? &err : NULL);
}

static void cancel(void *data)
{
	struct session *s = data;

	supervisor_interrupt(s->supervisor);
}

static int look_at_session(struct session *s, struct cell *c, const struct look *l,
			   struct error *err)
{
	if (ask(s, l, NULL, on_line_looked, err))
		return -1;
	c->cancel = cancel;
	c->cancel_data = s;
	return 1;
}

int look_run(struct session *s, struct cell *c, const struct magic_call *call, enum look_kind kind,
	     struct error *err)
{
	struct look l = { .kind = kind };
	int ret = read_arguments(call->args, &l, err);

	if (!ret && call->is_cell) {
		look_release(&c->look);
		c->look = l;
		return 0;
	}
	if (!ret)
		ret = look_at_session(s, c, &l, err);
	look_release(&l);
	return ret < 0 ? error_wrap(err, "%%%s", call->magic->name) : ret;
}

void look_at_unit(struct session *s, struct cell *c, const struct unit *unit)
{
	struct error err = ERROR_INIT;

	if (ask(s, &c->look, unit, on_cell_looked, &err))
		s->hooks->looked(s, &err);
}
