/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile arrives encoded with the end of the cell. It becomes up to two displays: one with the
 * tables of all kernels, and one with the timeline. The cell has succeeded by then, so an error
 * here is a line on stderr and does not fail it.
 */
#include "kernel/reports/profile-view.h"

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

	if (*end->no_profile)
		return error_set(err, ERROR_UNSUPPORTED, "%s", end->no_profile);
	if (!end->profile)
		return error_set(err, ERROR_STATE, "the cell was not profiled");
	failed = present_profile(s->supervisor, end->profile->data, end->profile->len, &view, err);
	if (!failed && !view.text.len)
		output_printf(&s->output, STREAM_STDERR, "%%%%profile: nothing was launched\n");
	if (!failed)
		failed = view_display(s, c, &view, err);
	presenter_view_release(&view);
	return failed;
}

void profile_view_show(struct session *s, const struct cell *c, const struct cell_end *end)
{
	struct error err = ERROR_INIT;

	if (show(s, c, end, &err))
		output_printf(&s->output, STREAM_STDERR, "%%%%profile: %s\n", err.text);
}
