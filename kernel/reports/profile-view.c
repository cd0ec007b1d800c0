/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile arrives encoded with the end of the cell and is decoded here. It becomes up to two
 * displays: one with the tables of all kernels, as text and as HTML, and one with the timeline, as
 * text and as a Vega-Lite chart. The front end chooses which form it shows. The cell has succeeded
 * by then, so an error here is a line on stderr and does not fail it.
 */
#include "kernel/reports/profile-view.h"

#include <stdlib.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/protocol/publish.h"
#include "kernel/session/cell.h"
#include "kernel/session/output.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"
#include "kernel/show/profile-table.h"
#include "kernel/show/utf8.h"

static int write_tables(const struct session *s, const struct launch_profile *p,
			struct buffer *text, struct buffer *html, struct error *err)
{
	buffer_puts(html, "<div>\n");
	for (size_t i = 0; i < p->n_kernels; i++) {
		struct profile_table t;

		if (profile_table_init(&t, p, (uint32_t)i, s->supervisor, err))
			return -1;
		if (i)
			buffer_putc(text, '\n');
		profile_table_text(&t, text);
		profile_table_html(&t, html);
		profile_table_release(&t);
	}
	buffer_puts(html, "</div>\n");
	return buffer_check(text, err) || buffer_check(html, err) ? -1 : 0;
}

static int show_tables(struct session *s, const struct cell *c, const struct launch_profile *p,
		       struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT, html = BUFFER_INIT;

	if (write_tables(s, p, &text, &html, err))
		return -1;
	publish_display(&s->publisher, &c->request->message,
			utf8_bundle(buffer_text(&text), buffer_text(&html)), "", false);
	return 0;
}

static int by_begin(const void *a, const void *b)
{
	const struct profile_span *x = a, *y = b;

	return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

int profile_timeline_show(struct session *s, const struct cell *c, struct launch_profile *p,
			  const char *device, bool as_lines, struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	json_t *chart;

	qsort(p->spans, p->n_spans, sizeof(*p->spans), by_begin);
	chart = profile_timeline(p, device);
	if (as_lines)
		profile_timeline_text(p, device, &text);
	else
		buffer_printf(&text, "What streams did: a chart of %zu pieces of work", p->n_spans);
	if (!chart || buffer_check(&text, err)) {
		json_decref(chart);
		return error_set(err, ERROR_MEMORY, "out of memory for a profile");
	}
	publish_display(&s->publisher, &c->request->message,
			json_pack("{so so}", "text/plain", utf8_json(buffer_text(&text), text.len),
				  "application/vnd.vegalite.v5+json", chart),
			"", false);
	return 0;
}

static int show(struct session *s, const struct cell *c, const struct cell_end *end,
		struct error *err)
{
	struct launch_profile p;
	int failed = 0;

	if (*end->no_profile)
		return error_set(err, ERROR_UNSUPPORTED, "%s", end->no_profile);
	if (!end->profile)
		return error_set(err, ERROR_STATE, "the cell was not profiled");
	if (launch_profile_decode(end->profile->data, end->profile->len, &p, err))
		return -1;
	output_flush(&s->output);
	if (!p.n_kernels)
		output_printf(&s->output, STREAM_STDERR, "%%%%profile: nothing was launched\n");
	else
		failed = show_tables(s, c, &p, err);
	if (!failed && p.n_spans)
		failed = profile_timeline_show(s, c, &p, "the emulated device", true, err);
	launch_profile_release(&p);
	return failed;
}

void profile_view_show(struct session *s, const struct cell *c, const struct cell_end *end)
{
	struct error err = ERROR_INIT;

	if (show(s, c, end, &err))
		output_printf(&s->output, STREAM_STDERR, "%%%%profile: %s\n", err.text);
}
