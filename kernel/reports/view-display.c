/* SPDX-License-Identifier: Apache-2.0 */
/* The chart is JSON of another process, so it is read before it is sent. */
#include "kernel/reports/view-display.h"

#include <jansson.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/protocol/publish.h"
#include "kernel/session/cell.h"
#include "kernel/session/output.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"
#include "kernel/show/utf8-json.h"
#include "kernel/views/presenter-view.h"

static int show_timeline(struct session *s, const struct cell *c, const struct presenter_view *view,
			 struct error *err)
{
	json_error_t why;
	json_t *chart = json_loadb(buffer_text(&view->chart), view->chart.len,
				   JSON_REJECT_DUPLICATES, &why);

	if (!chart)
		return error_set(err, ERROR_PROTOCOL, "the chart of what streams did: %s",
				 why.text);
	publish_display(&s->publisher, &c->request->message,
			json_pack("{so so}", "text/plain",
				  utf8_json(buffer_text(&view->timeline), view->timeline.len),
				  "application/vnd.vegalite.v5+json", chart),
			"", false);
	return 0;
}

int view_display(struct session *s, const struct cell *c, const struct presenter_view *view,
		 struct error *err)
{
	output_flush(&s->output);
	if (view->text.len)
		publish_display(
			&s->publisher, &c->request->message,
			utf8_json_bundle(buffer_text(&view->text), buffer_text(&view->html)), "",
			false);
	return view->chart.len ? show_timeline(s, c, view, err) : 0;
}
