/* SPDX-License-Identifier: Apache-2.0 */
/* Front ends ask for the calls, then for the scopes of each and its variables, so the calls are
 * listed once for a stop. */
#include "kernel/debugger/debug-stack.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/error.h"
#include "kernel/debugger/debug-call.h"
#include "kernel/debugger/debug-cells.h"
#include "kernel/session/session.h"
#include "kernel/show/utf8-json.h"
#include "kernel/supervisor/present.h"
#include "kernel/supervisor/supervisor.h"

void debug_stack_release(struct debug_stack *s)
{
	presenter_frames_release(&s->frames);
	buffer_release(&s->answer);
	s->sight = 0;
}

/* Lists the calls, if that was not done for this stop. */
static int look(struct debug_call *c, struct error *err)
{
	struct supervisor *s = c->session->supervisor;
	struct debug_stack *stack = &c->debugger->stack;

	if (stack->sight == supervisor_sight(s))
		return 0;
	debug_stack_release(stack);
	if (present_stack(s, &stack->answer, err) ||
	    presenter_frames_take(stack->answer.data, stack->answer.len, &stack->frames, err))
		return -1;
	stack->sight = supervisor_sight(s);
	return 0;
}

const struct presenter_frame *debug_stack_frame(struct debug_call *c, int64_t id, struct error *err)
{
	const struct debug_stack *stack = &c->debugger->stack;

	if (look(c, err)) {
		c->word = err->code == ERROR_STATE ? "notStopped" : NULL;
		return NULL;
	}
	if (id > 0 && id <= (int64_t)stack->frames.n)
		return &stack->frames.at[id - 1];
	error_set(err, ERROR_INPUT, "there is no frame %" PRId64 ": stackTrace lists them", id);
	return NULL;
}

/* A call in a library has neither line nor text, and is not what one looks for. */
static json_t *frame_json(const struct debugger *d, const struct presenter_frame *f, size_t i)
{
	const char *name = *f->function ? f->function : f->cell;
	json_t *made =
		json_pack("{sI so sI sI}", "id", (json_int_t)i + 1, "name", utf8_json_text(name),
			  "line", (json_int_t)f->line, "column", (json_int_t)1);

	if (*f->cell)
		json_object_set_new(made, "source",
				    json_pack("{so so}", "name", utf8_json_text(f->cell), "path",
					      utf8_json_text(debug_cells_path(d, f->cell))));
	else if (*f->file)
		json_object_set_new(made, "source",
				    json_pack("{so so}", "name", utf8_json_text(f->file), "path",
					      utf8_json_text(f->file)));
	else
		json_object_set_new(made, "presentationHint", json_string("subtle"));
	return made;
}

int debug_stack_trace(struct debug_call *c, struct error *err)
{
	const struct presenter_frames *f = &c->debugger->stack.frames;
	json_int_t start = debug_call_number(c, "startFrame"),
		   levels = debug_call_number(c, "levels");
	json_t *list;

	if (look(c, err)) {
		c->word = err->code == ERROR_STATE ? "notStopped" : NULL;
		return -1;
	}
	list = json_array();
	for (size_t i = start > 0 ? (size_t)start : 0; i < f->n; i++)
		if (levels <= 0 || json_array_size(list) < (size_t)levels)
			json_array_append_new(list, frame_json(c->debugger, &f->at[i], i));
	c->body = json_pack("{so sI}", "stackFrames", list, "totalFrames", (json_int_t)f->n);
	return 0;
}

static json_t *scope_json(const char *name, json_int_t reference)
{
	json_t *made = json_pack("{ss sI sb}", "name", name, "variablesReference", reference,
				 "expensive", 0);

	if (made && !strcmp(name, "Locals"))
		json_object_set_new(made, "presentationHint", json_string("locals"));
	return made;
}

int debug_stack_scopes(struct debug_call *c, struct error *err)
{
	json_int_t id = debug_call_number(c, "frameId");
	const struct presenter_frame *f = debug_stack_frame(c, id, err);
	json_t *list;

	if (!f)
		return -1;
	list = json_array();
	json_array_append_new(list, scope_json("Locals", DEBUG_STACK_SCOPES + id));
	if (f->frame >= PRESENTER_FRAME_DEVICE)
		json_array_append_new(list, scope_json("Warp", DEBUG_STACK_WARPS + id));
	json_array_append_new(list, scope_json("Session", DEBUG_STACK_SESSION));
	c->body = json_pack("{so}", "scopes", list);
	return 0;
}
