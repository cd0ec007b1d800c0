/* SPDX-License-Identifier: Apache-2.0 */
/* The steps that a new worker needs before the cell's own code: the effects of %cd and %env, and
 * the cells with %%on_restart, one after another. The cell waits for them; one of the latter that
 * fails is told, and not tried again. */
#include "kernel/core/supervisor-callbacks.h"
#include "kernel/declarations/setup.h"
#include "kernel/requests/step.h"
#include "kernel/session/cell.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"
#include "kernel/supervisor/supervisor.h"

static const char *id_of_restarted(const struct cell *c)
{
	return c->restarted->id;
}

static enum step_next settings_ended(struct session *s, struct cell *c, const struct cell_end *end)
{
	step_accept(s, c, end, false);
	if (end->ok)
		s->setup.due = false;
	else
		step_fail(c, end);
	return STEP_TO_MAGICS;
}

static enum step_next restart_refused(struct session *s, struct cell *c, const char *headline,
				      const char *diagnostics)
{
	output_printf(&s->output, STREAM_STDERR,
		      "%s (%%%%on_restart) failed when it was run again, and will not be until you "
		      "run it: %s\n%s\n",
		      c->restarted->name, headline, diagnostics);
	setup_done(&s->setup, c->restarted, true);
	return STEP_TO_MAGICS;
}

static enum step_next restart_ended(struct session *s, struct cell *c, const struct cell_end *end)
{
	step_accept(s, c, end, false);
	if (!end->ok && !end->interrupted)
		return restart_refused(s, c, end->ename, end->traceback);
	if (!end->ok) {
		step_fail(c, end);
		return STEP_TO_MAGICS;
	}
	setup_done(&s->setup, c->restarted, false);
	output_printf(&s->output, STREAM_STDERR, "%s (%%%%on_restart) was run again\n",
		      c->restarted->name);
	return STEP_TO_MAGICS;
}

const struct step step_settings = { .id = step_no_id,
				    .refused = step_refused,
				    .ended = settings_ended };
const struct step step_restart = { .id = id_of_restarted,
				   .refused = restart_refused,
				   .ended = restart_ended };

const char *step_setup_next(struct session *s, struct cell *c, const char **ret_name)
{
	setup_note_worker(&s->setup, supervisor_worker(s->supervisor));
	c->restarted = s->setup.due ? NULL : setup_next(&s->setup, c->id);
	if (s->setup.due) {
		c->step = &step_settings;
		*ret_name = "setup";
		return buffer_text(&s->setup.code);
	}
	c->step = c->restarted ? &step_restart : &step_own;
	*ret_name = c->restarted ? c->restarted->name : NULL;
	return c->restarted ? c->restarted->code : NULL;
}
