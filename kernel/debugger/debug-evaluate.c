/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A name is looked up where it is known: among the variables of the call, then among those of the
 * session. Of anything else the compiler makes a program, by the text of the call's cell, which
 * cgpu-presenter runs over the memory of the worker that stands. The cell may go on in between.
 */
#include "kernel/debugger/debug-evaluate.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/debugger/debug-call.h"
#include "kernel/debugger/debug-focus.h"
#include "kernel/debugger/debug-stack.h"
#include "kernel/debugger/debug-variables.h"
#include "kernel/session/session.h"
#include "kernel/supervisor/present.h"
#include "kernel/supervisor/supervisor.h"
#include "kernel/views/presenter-frame.h"
#include "kernel/views/presenter-part.h"

#define EXPRESSION_MAX 4096

/* An expression whose program is being made. */
struct asked {
	struct debug_call *call;
	uint64_t sight; /* of the stop that it is about */
	uint32_t frame, number;
};

/* Looks among the variables of a call. 1: it is there; 0: it is not. */
static int tell_local(struct debug_call *c, const struct presenter_frame *f, const char *name,
		      struct error *err)
{
	cleanup_buffer struct buffer answer = BUFFER_INIT;
	struct presenter_parts told = { 0 };
	int found = 0;

	if (present_locals(c->session->supervisor, f->frame, f->call, &answer, err) ||
	    presenter_parts_take(answer.data, answer.len, &told, err))
		found = -1;
	for (size_t i = 0; !found && i < told.n; i++) {
		struct debug_reference what = { told.at[i], 0 };

		if (strcmp(told.at[i].name, name) != 0)
			continue;
		what.part.name = "";
		debug_variables_put(c, &what, false);
		found = 1;
	}
	presenter_parts_release(&told);
	return found;
}

/* No cell can be run while one stands, so what sets the thread is evaluated. */
static int evaluate_focus(struct debug_call *c, const char *words, struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	words += strspn(words, " ");
	if (*words && debug_focus_set(c->session->supervisor, words, err))
		return error_wrap(err, "%%focus");
	debug_focus_describe(c->session->supervisor, &text);
	c->body = json_pack("{ss ss si}", "result", buffer_text(&text), "type", "",
			    "variablesReference", 0);
	return 0;
}

/* ---- expressions ---- */

static int compute(const struct asked *a, const struct buffer *program, struct error *err)
{
	struct debug_call *c = a->call;
	cleanup_buffer struct buffer answer = BUFFER_INIT;
	struct presenter_result told;
	struct debug_reference what;

	if (a->sight != supervisor_sight(c->session->supervisor)) {
		c->word = "notStopped";
		return error_set(err, ERROR_STATE, "the cell has gone on");
	}
	if (present_expression(c->session->supervisor, a->frame, a->number, program, &answer, &told,
			       err))
		return -1;
	what = (struct debug_reference){ told.value, 0 };
	debug_variables_put(c, &what, false);
	return 0;
}

static void on_expressed(void *data, uint32_t type, const void *payload, size_t len)
{
	cleanup_buffer struct buffer program = BUFFER_INIT;
	struct error err = ERROR_INIT;
	struct asked *a = data;

	if (!supervisor_expressed(type, payload, len, &program, &err))
		compute(a, &program, &err);
	debug_call_end(a->call, &err);
	free(a);
}

static int evaluate_expression(struct debug_call *c, const struct presenter_frame *f,
			       const char *expression, struct error *err)
{
	struct supervisor *s = c->session->supervisor;
	struct asked *a;

	if (!*f->cell)
		return error_set(err, ERROR_INPUT,
				 "this call has no text in a cell, so only its variables can be "
				 "named: choose a call of a cell");
	if (strlen(expression) > EXPRESSION_MAX)
		return error_set(err, ERROR_LIMIT, "an expression has at most %d characters",
				 EXPRESSION_MAX);
	a = calloc(1, sizeof(*a));
	if (!a)
		return error_set(err, ERROR_MEMORY, "out of memory for an expression");
	*a = (struct asked){ .sight = supervisor_sight(s), .frame = f->frame, .number = f->call };
	a->call = debug_call_keep(c, err);
	if (!a->call) {
		free(a);
		return -1;
	}
	if (supervisor_express(s, supervisor_text(s, f->cell), f->line, expression, on_expressed, a,
			       NULL))
		on_expressed(a, 0, NULL, 0);
	return 0;
}

static bool is_name(const char *text)
{
	if (isdigit((unsigned char)*text) || !*text)
		return false;
	while (isalnum((unsigned char)*text) || *text == '_')
		text++;
	return !*text;
}

static int refuse_name(const char *name, struct error *err)
{
	return error_set(err, ERROR_NOT_FOUND,
			 "evaluate: `%.60s` is not the name of a variable of the session; for "
			 "anything else run a cell, or stop one at a breakpoint",
			 name);
}

int debug_evaluate(struct debug_call *c, struct error *err)
{
	const char *expression = debug_call_text(c, "expression");
	json_int_t frame_id = debug_call_number(c, "frameId");
	const struct presenter_frame *f = NULL;
	int found = 0;

	expression += strspn(expression, " \t\r\n");
	if (!strncmp(expression, DEBUG_FOCUS, strlen(DEBUG_FOCUS)))
		return evaluate_focus(c, expression + strlen(DEBUG_FOCUS), err);
	if (!*expression)
		return error_set(
			err, ERROR_INPUT,
			"evaluate: `expression` is a name or an expression of C or C++; for "
			"anything else run a cell");
	if (frame_id > 0 || supervisor_is_stopped(c->session->supervisor)) {
		f = debug_stack_frame(c, frame_id > 0 ? frame_id : 1, err);
		if (!f)
			return -1;
	}
	if (f && is_name(expression))
		found = tell_local(c, f, expression, err);
	if (!found)
		found = debug_variables_tell(c, expression, err);
	if (found)
		return found < 0 ? -1 : 0;
	return f ? evaluate_expression(c, f, expression, err) : refuse_name(expression, err);
}
