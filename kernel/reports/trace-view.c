/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline is the one of %%profile: rows in which streams were active become its spans. */
#include "kernel/reports/trace-view.h"

#include <stdlib.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "kernel/protocol/publish.h"
#include "kernel/reports/profile-view.h"
#include "kernel/session/cell.h"
#include "kernel/session/output.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"
#include "kernel/show/trace-table.h"
#include "kernel/show/utf8.h"

static int show_table(struct session *s, const struct cell *c, const struct device_trace *t,
		      struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT, html = BUFFER_INIT;

	trace_table_text(t, &text);
	trace_table_html(t, &html);
	if (buffer_check(&text, err) || buffer_check(&html, err))
		return -1;
	publish_display(&s->publisher, &c->request->message,
			utf8_bundle(buffer_text(&text), buffer_text(&html)), "", false);
	return 0;
}

static bool is_span(const struct device_trace_row *w, enum profile_span_kind *ret)
{
	static const int spans[TRACE_KINDS] = {
		[TRACE_LAUNCH] = SPAN_LAUNCH + 1,
		[TRACE_COPY] = SPAN_COPY + 1,
		[TRACE_FILL] = SPAN_FILL + 1,
		[TRACE_HOST] = SPAN_HOST + 1,
	};

	*ret = (enum profile_span_kind)(spans[w->kind] - 1);
	return w->timed && spans[w->kind];
}

static int add_span(struct launch_profile *p, const struct device_trace_row *w,
		    enum profile_span_kind kind, struct mem_pool *names)
{
	cleanup_buffer struct buffer name = BUFFER_INIT;
	struct profile_span *span = &p->spans[p->n_spans];

	trace_table_subject(w, &name);
	*span = (struct profile_span){ .kind = kind,
				       .stream = w->stream,
				       .begin_ns = w->begin_ns,
				       .end_ns = w->end_ns,
				       .bytes = w->bytes,
				       .name = mem_pool_strndup(names, buffer_text(&name),
								name.len) };
	p->n_spans++;
	return span->name ? 0 : -1;
}

static int show_timeline(struct session *s, const struct cell *c, const struct device_trace *t,
			 struct error *err)
{
	cleanup_free struct profile_span *spans = calloc(t->n_rows + 1, sizeof(*spans));
	struct mem_pool names = MEM_POOL_INIT;
	struct launch_profile p = { .spans = spans };
	const char *device = t->emulated ? "the emulated device" : "the device";
	enum profile_span_kind kind;
	int failed = !spans;

	for (size_t i = 0; i < t->n_rows && !failed; i++)
		if (is_span(&t->rows[i], &kind))
			failed = add_span(&p, &t->rows[i], kind, &names);
	if (failed)
		error_set(err, ERROR_MEMORY, "out of memory for a trace");
	else if (p.n_spans)
		failed = profile_timeline_show(s, c, &p, device, false, err);
	mem_pool_release(&names);
	return failed;
}

static int show(struct session *s, const struct cell *c, const struct cell_end *end,
		struct error *err)
{
	struct device_trace t;
	int failed = 0;

	if (*end->no_trace)
		return error_set(err, ERROR_STATE, "%s", end->no_trace);
	if (!end->trace)
		return error_set(
			err, ERROR_STATE,
			"the cell's process was lost before it could tell what the cell had done");
	if (device_trace_decode(end->trace->data, end->trace->len, &t, err))
		return -1;
	output_flush(&s->output);
	if (t.n_rows)
		failed = show_table(s, c, &t, err) || show_timeline(s, c, &t, err) ? -1 : 0;
	else if (c->options.traced)
		output_printf(&s->output, STREAM_STDERR,
			      "%%%%trace: the cell has asked nothing of the device\n");
	device_trace_release(&t);
	return failed;
}

/* With %trace on, cells that do not use a device show nothing. */
void trace_view_show(struct session *s, const struct cell *c, const struct cell_end *end)
{
	struct error err = ERROR_INIT;

	if (show(s, c, end, &err) && (c->options.traced || end->trace))
		output_printf(&s->output, STREAM_STDERR, "%%%%trace: %s\n", err.text);
}
