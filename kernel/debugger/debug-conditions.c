/* SPDX-License-Identifier: Apache-2.0 */
/* A condition that cannot be computed holds the cell each time, since one that is misspelt would
 * otherwise never stop. */
#include "kernel/debugger/debug-conditions.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "kernel/debugger/debug-call.h"
#include "kernel/debugger/debug-stack.h"
#include "kernel/session/session.h"
#include "kernel/supervisor/present.h"
#include "kernel/supervisor/supervisor.h"
#include "kernel/views/presenter-frame.h"
#include "kernel/views/presenter-part.h"

/* A stop whose condition is being looked at. */
struct deciding {
	struct session *session;
	uint64_t sight;
	uint32_t condition; /* from 1 */
	uint64_t serial;    /* of that one */
	void (*done)(struct session *s, bool stays, const char *why);
};

static void entry_release(struct debug_condition_entry *e)
{
	free(e->path);
	free(e->text);
	buffer_release(&e->program);
	*e = (struct debug_condition_entry){ 0 };
}

void debug_conditions_begin(struct debugger *d)
{
	for (size_t i = 0; i < DEBUG_CONDITIONS_MAX; i++)
		d->conditions[i].is_used = false;
}

static bool is_of(const struct debug_condition_entry *e, const char *path, uint32_t line,
		  const char *text)
{
	return e->path && e->line == line && !strcmp(e->path, path) && !strcmp(e->text, text);
}

static struct debug_condition_entry *find_place(struct debugger *d, const char *path, uint32_t line,
						const char *text)
{
	struct debug_condition_entry *vacant = NULL;

	for (size_t i = 0; i < DEBUG_CONDITIONS_MAX; i++) {
		struct debug_condition_entry *e = &d->conditions[i];

		if (is_of(e, path, line, text))
			return e;
		if (!vacant && !e->is_used)
			vacant = e;
	}
	return vacant;
}

uint32_t debug_conditions_take(struct session *s, const char *path, uint32_t line, const char *text)
{
	struct debugger *d = s->debugger;
	struct debug_condition_entry *e = find_place(d, path, line, text);
	uint32_t number = e ? (uint32_t)(e - d->conditions) + 1 : 0;

	if (!e)
		return 0;
	if (!is_of(e, path, line, text)) {
		entry_release(e);
		supervisor_set_condition(s->supervisor, number, "", 0);
		*e = (struct debug_condition_entry){ .path = strdup(path),
						     .text = strdup(text),
						     .line = line,
						     .serial = ++d->last_condition };
	}
	e->is_used = e->path && e->text;
	return e->is_used ? number : 0;
}

void debug_conditions_end(struct debugger *d)
{
	for (size_t i = 0; i < DEBUG_CONDITIONS_MAX; i++)
		if (!d->conditions[i].is_used)
			entry_release(&d->conditions[i]);
}

void debug_conditions_renew(struct session *s, const char *path)
{
	struct debugger *d = s->debugger;

	for (uint32_t i = 0; i < DEBUG_CONDITIONS_MAX; i++) {
		if (!d->conditions[i].path || strcmp(d->conditions[i].path, path) != 0)
			continue;
		buffer_release(&d->conditions[i].program);
		supervisor_set_condition(s->supervisor, i + 1, "", 0);
	}
}

void debug_conditions_release(struct debugger *d)
{
	for (size_t i = 0; i < DEBUG_CONDITIONS_MAX; i++)
		entry_release(&d->conditions[i]);
}

/* ---- a stop ---- */

static const struct presenter_frame *innermost(struct session *s, struct error *err)
{
	struct debug_call c = { .session = s, .debugger = s->debugger };

	return debug_stack_frame(&c, 1, err);
}

/* Computes the condition where the cell stands, and has the worker do it there from here on. */
static int compute(const struct deciding *x, const struct presenter_frame *f, bool *ret,
		   struct error *err)
{
	struct supervisor *supervisor = x->session->supervisor;
	const struct debug_condition_entry *e = &x->session->debugger->conditions[x->condition - 1];
	cleanup_buffer struct buffer answer = BUFFER_INIT;
	struct presenter_result told;

	if (present_expression(supervisor, f->frame, f->call, &e->program, &answer, &told, err))
		return -1;
	supervisor_set_condition(supervisor, x->condition, told.bound_len ? told.bound : "",
				 told.bound_len);
	*ret = told.is_true;
	return 0;
}

static void decide(const struct deciding *x, struct error *err)
{
	const struct presenter_frame *f = err->code ? NULL : innermost(x->session, err);
	bool is_true = true;

	if (f)
		compute(x, f, &is_true, err);
	x->done(x->session, err->code || is_true, err->text);
}

static void on_expressed(void *data, uint32_t type, const void *payload, size_t len)
{
	struct deciding *x = data;
	struct debug_condition_entry *e = &x->session->debugger->conditions[x->condition - 1];
	struct error err = ERROR_INIT;

	/* The cell may have gone on, by an interrupt or by the front end. */
	if (x->sight != supervisor_sight(x->session->supervisor)) {
		free(x);
		return;
	}
	if (e->serial != x->serial) {
		x->done(x->session, true, "");
	} else {
		buffer_clear(&e->program);
		supervisor_expressed(type, payload, len, &e->program, &err);
		decide(x, &err);
	}
	free(x);
}

static int make_program(const struct deciding *now, const char *text, struct error *err)
{
	struct supervisor *supervisor = now->session->supervisor;
	const struct presenter_frame *f = innermost(now->session, err);
	struct deciding *x = f ? malloc(sizeof(*x)) : NULL;

	if (!f)
		return -1;
	if (!x)
		return error_set(err, ERROR_MEMORY, "out of memory for a condition");
	*x = *now;
	if (supervisor_express(supervisor, supervisor_text(supervisor, f->cell), f->line, text,
			       on_expressed, x, err)) {
		free(x);
		return -1;
	}
	return 0;
}

void debug_conditions_decide(struct session *s,
			     void (*done)(struct session *s, bool stays, const char *why))
{
	uint32_t condition = supervisor_stop_condition(s->supervisor);
	const struct debug_condition_entry *e =
		condition ? &s->debugger->conditions[condition - 1] : NULL;
	const struct deciding x = { .session = s,
				    .sight = supervisor_sight(s->supervisor),
				    .condition = condition,
				    .serial = e ? e->serial : 0,
				    .done = done };
	struct error err = ERROR_INIT;

	if (!e || !e->path)
		done(s, true, "");
	else if (e->program.len)
		decide(&x, &err);
	else if (make_program(&x, e->text, &err))
		decide(&x, &err);
}
