/* SPDX-License-Identifier: Apache-2.0 */
/* Two displays: the table, and what streams did as a chart. */
#include "kernel/reports/trace-view.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/reports/view-display.h"
#include "kernel/session/cell.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"
#include "kernel/supervisor/present.h"
#include "kernel/views/presenter-view.h"

static int show(struct session *s, const struct cell *c, const struct cell_end *end,
		struct error *err)
{
	struct presenter_view view;
	int failed;

	if (*end->no_trace)
		return error_set(err, ERROR_STATE, "%s", end->no_trace);
	if (!end->trace)
		return error_set(
			err, ERROR_STATE,
			"the cell's process was lost before it could tell what the cell had done");
	failed = present_trace(s->supervisor, end->trace->data, end->trace->len, &view, err);
	if (!failed && view.text.len)
		failed = view_display(s, c, &view, err);
	else if (!failed && c->options.traced)
		output_printf(&s->output, STREAM_STDERR,
			      "%%%%trace: the cell has asked nothing of the device\n");
	presenter_view_release(&view);
	return failed;
}

/* With %trace on, cells that do not use a device show nothing. */
void trace_view_show(struct session *s, const struct cell *c, const struct cell_end *end)
{
	struct error err = ERROR_INIT;

	if (show(s, c, end, &err) && (c->options.traced || end->trace))
		output_printf(&s->output, STREAM_STDERR, "%%%%trace: %s\n", err.text);
}
