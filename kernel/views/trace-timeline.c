/* SPDX-License-Identifier: Apache-2.0 */
/* A span is named as its row of the table is. */
#include "kernel/views/trace-timeline.h"

#include <stdlib.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/protocol/device-trace.h"
#include "kernel/views/trace-table.h"

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

int trace_timeline_init(struct trace_timeline *t, const struct device_trace *trace,
			struct error *err)
{
	struct launch_profile *p = &t->profile;
	enum profile_span_kind kind;
	int failed;

	*t = (struct trace_timeline){ .names = MEM_POOL_INIT };
	p->spans = calloc(trace->n_rows + 1, sizeof(*p->spans));
	failed = !p->spans;
	for (size_t i = 0; i < trace->n_rows && !failed; i++)
		if (is_span(&trace->rows[i], &kind))
			failed = add_span(p, &trace->rows[i], kind, &t->names);
	if (!failed)
		return 0;
	trace_timeline_release(t);
	return error_set(err, ERROR_MEMORY, "out of memory for a trace");
}

void trace_timeline_release(struct trace_timeline *t)
{
	mem_pool_release(&t->names);
	launch_profile_release(&t->profile);
}
