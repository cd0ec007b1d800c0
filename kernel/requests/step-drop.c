/* SPDX-License-Identifier: Apache-2.0 */
/* %reset drops names by running an empty unit, at whose end the worker drops them: so it is
 * committed or rolled back as a cell is, and has a step for %undo. */
#include <stdio.h>

#include "common/base/error.h"
#include "kernel/core/supervisor-callbacks.h"
#include "kernel/declarations/declarations.h"
#include "kernel/requests/step.h"
#include "kernel/session/cell.h"
#include "kernel/session/session.h"
#include "kernel/session/undo.h"

static enum step_next ended(struct session *s, struct cell *c, const struct cell_end *end)
{
	struct error err = ERROR_INIT;
	char why[64];

	snprintf(why, sizeof(why), "was dropped by %%reset in %s", c->name);
	if (end->ok) {
		undo_note(s, c);
		if (declarations_drop(&s->declarations, &c->dropping, why, &err))
			cell_fail_plain(c, "InternalError", err.text);
		session_tell_declarations(s);
	} else {
		step_fail(c, end);
	}
	buffer_clear(&c->dropping);
	return STEP_TO_MAGICS;
}

const struct step step_drop = { .id = step_id_of_cell, .ended = ended };

struct compiled_unit *step_drop_begin(struct cell *c, const struct buffer *names, struct error *err)
{
	buffer_clear(&c->dropping);
	buffer_append(&c->dropping, buffer_text(names), names->len);
	c->step = &step_drop;
	return step_nothing(c, err);
}
