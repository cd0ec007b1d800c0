/* SPDX-License-Identifier: Apache-2.0 */
/* The cell's own code: its value, what magics have asked for (times, profile, trace), and which
 * names are missing after it has failed. */
#include "kernel/requests/step.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "kernel/core/supervisor-callbacks.h"
#include "kernel/declarations/declarations.h"
#include "kernel/declarations/setup.h"
#include "kernel/magics/magic-expect.h"
#include "kernel/protocol/publish.h"
#include "kernel/reports/profile-view.h"
#include "kernel/reports/trace-view.h"
#include "kernel/session/cell.h"
#include "kernel/session/history.h"
#include "kernel/session/output.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"
#include "kernel/units/compiled-unit.h"

static void print_times(struct session *s, const struct cell *c, const struct cell_end *end)
{
	output_printf(&s->output, STREAM_STDOUT,
		      "time: compile %.1f ms, load %.1f ms, run %.3f ms, commit %.3f ms (%" PRIu64
		      " kB)\n",
		      c->compile_ns / 1e6, end->load_ns / 1e6, end->run_ns / 1e6,
		      end->commit_ns / 1e6, end->committed_bytes >> 10);
	if (end->saved_bytes)
		output_printf(&s->output, STREAM_STDOUT,
			      "of the run, %.3f ms went into copies of device memory for a "
			      "rollback (%" PRIu64 " kB)\n",
			      end->saved_ns / 1e6, end->saved_bytes >> 10);
	if (end->read_bytes)
		output_printf(&s->output, STREAM_STDOUT,
			      "of the run, %.3f ms went into digests of device memory that is not "
			      "known to be written (%" PRIu64 " kB)\n",
			      end->read_ns / 1e6, end->read_bytes >> 10);
}

/* Tells the user, once, that a main() in a cell is not called, as other kernels of C do. */
static void tell_main(struct session *s, const struct cell *c)
{
	const struct unit *unit = &c->unit->unit;

	for (size_t i = 0;
	     i < unit->n_symbols && !s->told_main && !*unit->run_symbol && !c->behind.len; i++) {
		if (strcmp(unit->symbols[i].name, "main") != 0)
			continue;
		output_printf(&s->output, STREAM_STDERR,
			      "main() is defined, and does not run by itself: `main();` or `%%run "
			      "ARGUMENTS` runs it\n");
		s->told_main = true;
	}
}

/* Records why the names of a cell that was not kept are missing, for code that uses them. */
static void refuse_names(struct session *s, struct cell *c, const struct cell_end *end)
{
	const char *why = end->ok ? "is not kept: that cell ran as a check only. Run it again "
				    "without the check"
			  : end->interrupted
				  ? "is not there: that cell was interrupted and rolled back. "
				    "Run it again"
				  : "is not there: that cell has failed, and a failed cell defines "
				    "nothing. Mend it and run it again";
	struct error err = ERROR_INIT;

	if (declarations_refuse(&s->declarations, c->number, &c->unit->unit, why, &err))
		log_error("names of a failed cell: %s", err.text);
}

static void remember_restart(struct session *s, struct cell *c)
{
	struct error err = ERROR_INIT;

	if (!c->on_restart)
		setup_forget_cell(&s->setup, c->id);
	else if (setup_remember(&s->setup, c->id, c->name, c->script.code, &err))
		output_printf(&s->output, STREAM_STDERR, "%%%%on_restart: %s\n", err.text);
}

static void show_result(struct session *s, struct cell *c)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	json_t *bundle = c->silent && !c->expected.len ? NULL : step_result(s, c, &text);

	magic_expect_check(c, bundle ? buffer_text(&text) : NULL);
	if (!bundle || c->silent || c->failed) {
		json_decref(bundle);
		return;
	}
	output_flush(&s->output);
	publish_execute_result(&s->publisher, &c->request->message, bundle, c->number);
	if (c->store)
		history_add_output(s->history, c->number, buffer_text(&text));
}

static enum step_next ended(struct session *s, struct cell *c, const struct cell_end *end)
{
	if (!step_accept(s, c, end, true))
		refuse_names(s, c, end);
	else if (end->ok)
		tell_main(s, c);
	if (c->options.traced || s->trace_all)
		trace_view_show(s, c, end);
	if (!end->ok) {
		step_fail(c, end);
		return STEP_TO_EXPRESSIONS;
	}
	output_printf(&s->output, STREAM_STDERR, "%s%s", end->warnings, end->restored);
	remember_restart(s, c);
	show_result(s, c);
	if (c->timed)
		print_times(s, c, end);
	if (c->options.profiled)
		profile_view_show(s, c, end);
	return STEP_TO_EXPRESSIONS;
}

const struct step step_own = {
	.is_own = true, .id = step_id_of_cell, .refused = step_refused, .ended = ended
};
