/* SPDX-License-Identifier: Apache-2.0 */
/* The user_expressions of a request: each is compiled and run like a cell, and its value or error
 * becomes a field of the reply. An error of one does not fail the cell; an interrupt does. */
#include <string.h>

#include "kernel/core/supervisor-callbacks.h"
#include "kernel/requests/step.h"
#include "kernel/session/cell.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"

/* Sets the value of a user_expression: a MIME bundle, or an error. */
static void set_value(struct cell *c, json_t *value)
{
	json_object_set_new(c->values, json_object_iter_key(c->expression), value);
}

static void fail(struct cell *c, const char *ename, const char *evalue)
{
	set_value(c, json_pack("{ss ss ss s[]}", "status", "error", "ename", ename, "evalue",
			       evalue, "traceback"));
}

static enum step_next refused(struct session *s, struct cell *c, const char *headline,
			      const char *diagnostics)
{
	(void)s;
	(void)diagnostics;
	fail(c, "CompileError", headline);
	return STEP_TO_EXPRESSIONS;
}

static enum step_next ended(struct session *s, struct cell *c, const struct cell_end *end)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	json_t *bundle;

	step_accept(s, c, end, true);
	if (!end->ok) {
		fail(c, end->ename, end->evalue);
		if (end->interrupted)
			step_fail(c, end);
		return STEP_TO_EXPRESSIONS;
	}
	output_printf(&s->output, STREAM_STDERR, "%s%s", end->warnings, end->restored);
	bundle = step_result(s, c, &text);
	if (bundle)
		set_value(c, json_pack("{ss so s{}}", "status", "ok", "data", bundle, "metadata"));
	else
		fail(c, "TypeError", "this is a statement and has no value");
	return STEP_TO_EXPRESSIONS;
}

const struct step step_expression = { .id = step_no_id, .refused = refused, .ended = ended };

const char *step_expression_next(struct cell *c)
{
	c->step = &step_expression;
	while (json_is_object(c->expressions)) {
		const json_t *value;
		const char *text;

		c->expression = c->expression ? json_object_iter_next(c->expressions, c->expression)
					      : json_object_iter(c->expressions);
		if (!c->expression)
			return NULL;
		value = json_object_iter_value(c->expression);
		text = json_string_value(value);
		if (text && strlen(text) == json_string_length(value))
			return text;
		fail(c, "TypeError",
		     text ? "the user_expression holds a NUL character"
			  : "a user_expression must be a string");
	}
	return NULL;
}
