/* SPDX-License-Identifier: Apache-2.0 */
/* Connects the rooms that write text with the session: what pointers point to, the texts of
 * cells. */
#include "kernel/presenter/view-make.h"

#include <stdlib.h>

#include <jansson.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/protocol/device-trace.h"
#include "common/protocol/launch-profile.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/presenter/debug-layout.h"
#include "kernel/presenter/session-view.h"
#include "kernel/views/owner-text.h"
#include "kernel/views/presenter-value.h"
#include "kernel/views/presenter-view.h"
#include "kernel/views/profile-table.h"
#include "kernel/views/profile-timeline.h"
#include "kernel/views/trace-table.h"
#include "kernel/views/trace-timeline.h"
#include "kernel/views/value-format.h"
#include "kernel/views/value-parts.h"
#include "kernel/views/value-picture.h"

static int read_session(void *data, uint64_t address, void *out, size_t len)
{
	return session_view_read(data, address, out, len) ? 0 : -1;
}

/* What is on the heap or on the device is a block of its own; a variable may be any part of
 * another. */
static uint64_t find_block(void *data, uint64_t address, struct buffer *words)
{
	struct address_description d;

	if (!session_view_owner(data, address, &d))
		return 0;
	owner_text(&d, address, words);
	if (d.owner == OWNER_HEAP_FREED || d.owner == OWNER_DEVICE_FREED)
		return VALUE_FREED;
	if ((d.owner != OWNER_HEAP && d.owner != OWNER_DEVICE) || address < d.base ||
	    address - d.base >= d.size)
		return 0;
	return d.size - (address - d.base);
}

void view_make_value(const struct presenter_value *value, struct session_view *view,
		     struct presenter_view *ret)
{
	const struct value_reader reader = { read_session, find_block, view };

	value_format(value, value->pointers == PRESENTER_POINTERS_BARE ? NULL : &reader,
		     &ret->text);
}

/* ---- parts of variables ---- */

static struct unit_debug *debug_of(struct session_view *view, uint32_t cell)
{
	const struct session_unit *u = session_view_unit(view, cell);

	return u ? session_unit_debug(u) : NULL;
}

static bool find_layout(void *data, uint32_t cell, const char *code, size_t len, struct buffer *out)
{
	struct unit_debug *d = debug_of(data, cell);

	return d && debug_layout_put(d, code, len, out);
}

static bool find_variable(void *data, uint32_t cell, const char *name, struct buffer *out)
{
	struct unit_debug *d = debug_of(data, cell);

	return d && debug_layout_put_variable(d, name, out);
}

static struct parts_reader parts_of(struct session_view *view)
{
	return (struct parts_reader){ read_session, find_block, find_layout, find_variable, view };
}

void view_make_variable(const struct presenter_part *p, bool with_code, struct session_view *view,
			struct buffer *out)
{
	const struct parts_reader reader = parts_of(view);

	value_parts_tell(p, with_code, &reader, out);
}

void view_make_parts(const struct presenter_part *p, const struct presenter_range *which,
		     struct session_view *view, struct buffer *out)
{
	const struct parts_reader reader = parts_of(view);

	value_parts_list(p, which, &reader, out);
}

void view_make_picture(const struct presenter_part *p, struct session_view *view,
		       struct presenter_view *ret)
{
	const struct parts_reader reader = parts_of(view);

	value_picture_line(p, &reader, &ret->chart);
	/* Who can show HTML may show nothing else. */
	if (ret->chart.len)
		value_picture_image(buffer_text(&ret->chart), &ret->html);
	value_picture_table(p, &reader, &ret->html);
}

/* ---- traces and profiles ---- */

/* as_lines: each span is a line of text, for front ends without charts. */
static int put_timeline(struct launch_profile *p, const char *device, bool as_lines,
			struct presenter_view *ret, struct error *err)
{
	json_t *chart;
	char *text;

	profile_timeline_sort(p);
	chart = profile_timeline(p, device);
	text = chart ? json_dumps(chart, JSON_COMPACT) : NULL;
	json_decref(chart);
	if (!text)
		return error_set(err, ERROR_MEMORY, "the chart of what streams did: out of memory");
	buffer_puts(&ret->chart, text);
	free(text);
	if (as_lines)
		profile_timeline_text(p, device, &ret->timeline);
	else
		buffer_printf(&ret->timeline, "What streams did: a chart of %zu pieces of work",
			      p->n_spans);
	return buffer_check(&ret->chart, err) || buffer_check(&ret->timeline, err) ? -1 : 0;
}

static int put_trace(const struct device_trace *t, struct presenter_view *ret, struct error *err)
{
	const char *device = t->emulated ? "the emulated device" : "the device";
	struct trace_timeline line;
	int failed = 0;

	trace_table_text(t, &ret->text);
	trace_table_html(t, &ret->html);
	if (trace_timeline_init(&line, t, err))
		return -1;
	if (line.profile.n_spans)
		failed = put_timeline(&line.profile, device, false, ret, err);
	trace_timeline_release(&line);
	return failed;
}

int view_make_trace(const void *bytes, size_t len, struct presenter_view *ret, struct error *err)
{
	struct device_trace t;
	int failed;

	if (device_trace_decode(bytes, len, &t, err))
		return -1;
	failed = t.n_rows ? put_trace(&t, ret, err) : 0;
	device_trace_release(&t);
	return failed;
}

static const char *text_of(void *data, const char *file)
{
	return session_view_text(data, file);
}

static int put_tables(const struct launch_profile *p, struct session_view *view,
		      struct presenter_view *ret, struct error *err)
{
	const struct profile_sources sources = { text_of, view };

	buffer_puts(&ret->html, "<div>\n");
	for (size_t i = 0; i < p->n_kernels; i++) {
		struct profile_table t;

		if (profile_table_init(&t, p, (uint32_t)i, &sources, err))
			return -1;
		if (i)
			buffer_putc(&ret->text, '\n');
		profile_table_text(&t, &ret->text);
		profile_table_html(&t, &ret->html);
		profile_table_release(&t);
	}
	buffer_puts(&ret->html, "</div>\n");
	return 0;
}

int view_make_profile(const void *bytes, size_t len, struct session_view *view,
		      struct presenter_view *ret, struct error *err)
{
	struct launch_profile p;
	int failed = 0;

	if (launch_profile_decode(bytes, len, &p, err))
		return -1;
	if (p.n_kernels)
		failed = put_tables(&p, view, ret, err);
	if (!failed && p.n_spans)
		failed = put_timeline(&p, "the emulated device", true, ret, err);
	launch_profile_release(&p);
	return failed;
}
