/* SPDX-License-Identifier: Apache-2.0 */
/* Activity of streams over time, as a Vega-Lite chart and as lines. */
#include "kernel/views/profile-timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/buffer.h"

static int by_begin(const void *a, const void *b)
{
	const struct profile_span *x = a, *y = b;

	return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

void profile_timeline_sort(struct launch_profile *p)
{
	if (p->n_spans)
		qsort(p->spans, p->n_spans, sizeof(*p->spans), by_begin);
}

static const char *const kinds[] = {
	[SPAN_LAUNCH] = "launch",
	[SPAN_COPY] = "copy",
	[SPAN_FILL] = "fill",
	[SPAN_HOST] = "host function",
};

static void stream_name(uint32_t number, char ret[32])
{
	if (number)
		snprintf(ret, 32, "stream %" PRIu32, number);
	else
		snprintf(ret, 32, "default");
}

static json_t *span_value(const struct profile_span *s)
{
	char stream[32];

	stream_name(s->stream, stream);
	return json_pack("{ss ss ss sf sf sf sI}", "stream", stream, "name", s->name, "kind",
			 kinds[s->kind], "begin", (double)s->begin_ns / 1e6, "end",
			 (double)s->end_ns / 1e6, "ms", (double)(s->end_ns - s->begin_ns) / 1e6,
			 "bytes", (json_int_t)s->bytes);
}

json_t *profile_timeline(const struct launch_profile *p, const char *device)
{
	json_t *values = json_array();
	char axis[80];

	snprintf(axis, sizeof(axis), "ms on %s", device);
	for (size_t i = 0; i < p->n_spans; i++)
		json_array_append_new(values, span_value(&p->spans[i]));
	return json_pack("{ss ss si s{si} s{so} s{ss sb si} s{s{ss ss sn sn} s{ss ss ss} s{ss} "
			 "s{ss ss sn} s[{ss}{ss}{ss}{ss}{ss}]}}",
			 "$schema", "https://vega.github.io/schema/vega-lite/v5.json", "title",
			 "What streams did", "width", 640, "height", "step", 26, "data", "values",
			 values, "mark", "type", "bar", "tooltip", 1, "minBandSize", 2, "encoding",
			 "y", "field", "stream", "type", "nominal", "title", "sort", "x", "field",
			 "begin", "type", "quantitative", "title", axis, "x2", "field", "end",
			 "color", "field", "kind", "type", "nominal", "title", "tooltip", "field",
			 "name", "field", "kind", "field", "stream", "field", "ms", "field",
			 "bytes");
}

void profile_timeline_text(const struct launch_profile *p, const char *device, struct buffer *out)
{
	buffer_printf(out, "What streams did, in ms on %s:\n", device);
	for (size_t i = 0; i < p->n_spans; i++) {
		const struct profile_span *s = &p->spans[i];
		char stream[32];

		stream_name(s->stream, stream);
		buffer_printf(out, "%10.3f to %10.3f  %-10s %-13s %s", (double)s->begin_ns / 1e6,
			      (double)s->end_ns / 1e6, stream, kinds[s->kind], s->name);
		if (s->bytes)
			buffer_printf(out, ", %" PRIu64 " bytes", s->bytes);
		buffer_putc(out, '\n');
	}
	if (p->spans_left_out)
		buffer_printf(out, "and %" PRIu64 " more\n", p->spans_left_out);
}
