/* SPDX-License-Identifier: Apache-2.0 */
/* What several steps do with the end of a run: the declarations are taken over where the worker's
 * memory was committed, and only there, so that both tell the same. */
#include "kernel/requests/step.h"

#include "common/base/error.h"
#include "kernel/base/utf8.h"
#include "kernel/core/supervisor-callbacks.h"
#include "kernel/declarations/declarations.h"
#include "kernel/session/cell.h"
#include "kernel/session/output.h"
#include "kernel/session/result.h"
#include "kernel/session/session.h"
#include "kernel/session/undo.h"
#include "kernel/units/compiled-unit.h"

struct compiled_unit *step_nothing(const struct cell *c, struct error *err)
{
	const struct unit nothing = { .cell = c->number,
				      .cell_name = c->name,
				      .run_symbol = "",
				      .display_type = "",
				      .display_type_code = "",
				      .warnings = "" };

	return compiled_unit_of(&nothing, err);
}

const char *step_id_of_cell(const struct cell *c)
{
	return c->id;
}

const char *step_no_id(const struct cell *c)
{
	(void)c;
	return "";
}

enum step_next step_refused(struct session *s, struct cell *c, const char *headline,
			    const char *diagnostics)
{
	(void)s;
	cell_fail(c, "CompileError", headline, diagnostics);
	return STEP_TO_EXPRESSIONS;
}

void step_fail(struct cell *c, const struct cell_end *end)
{
	cleanup_buffer struct buffer text = BUFFER_INIT, value = BUFFER_INIT;
	const char *ename = end->ename;

	if (end->interrupted)
		ename = cell_interruption(c, &value);
	if (value.len)
		buffer_printf(&text, "%s: %s\n", ename, buffer_text(&value));
	buffer_puts(&text, end->traceback);
	buffer_printf(&value, "%s%s", value.len ? ": " : "", end->evalue);
	if (c->set_aside.len)
		buffer_printf(&text, "\n%s", buffer_text(&c->set_aside));
	if (*end->restored)
		buffer_printf(&text, "\n%s", end->restored);
	if (*end->warnings)
		buffer_printf(&text, "\n%s", end->warnings);
	if (*c->unit->unit.warnings)
		buffer_printf(&text, "\nThe compiler had warned:\n%s", c->unit->unit.warnings);
	cell_fail(c, ename, buffer_text(&value), buffer_text(&text));
}

bool step_accept(struct session *s, struct cell *c, const struct cell_end *end, bool warnings)
{
	cleanup_buffer struct buffer notes = BUFFER_INIT;
	struct declaration_source from = { c->step->id(c), c->number, end->whole };
	const struct unit *unit = &c->unit->unit;
	struct error err = ERROR_INIT;
	bool kept = (end->ok && !end->discarded) || (end->interrupted && !end->rolled_back) ||
		    end->checkpointed;

	if (kept) {
		undo_note(s, c);
		if (declarations_accept(&s->declarations, &from, unit, &notes, &err))
			cell_fail_plain(c, "InternalError", err.text);
	}
	if (end->set_aside)
		undo_set_aside(s, &from, unit, &c->set_aside);
	if (!kept)
		return false;
	if (end->ok && warnings)
		output_printf(&s->output, STREAM_STDERR, "%s", unit->warnings);
	output_printf(&s->output, STREAM_STDERR, "%s", buffer_text(&notes));
	return true;
}

json_t *step_result(struct session *s, const struct cell *c, struct buffer *ret_text)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	if (!c->shown.len)
		return NULL;
	result_text(s, c->shown.data, c->shown.len, &text);
	utf8_clean(buffer_text(&text), text.len, true, ret_text);
	return json_pack("{so}", "text/plain",
			 json_stringn_nocheck(buffer_text(ret_text), ret_text->len));
}
