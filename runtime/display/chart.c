/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of cells. A chart may be of an earlier cell, so each call looks first whether the
 * pointer still leads to one. */
#include "runtime/display/chart.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"

#define SIDE_MAX 10000

void *chart_alloc(const struct cgpu_chart *c, size_t size)
{
	return c->passing ? calloc(1, size) : display_session_alloc(size);
}

void chart_series_free(struct series *s)
{
	if (!s)
		return;
	free(s->name);
	free(s->x);
	free(s->y);
	free(s->labels);
	free(s);
}

/* A chart has one matrix. */
static bool replaces(const struct series *s, const struct series *old)
{
	if (s->kind == SERIES_HEATMAP || old->kind == SERIES_HEATMAP)
		return s->kind == old->kind;
	return s->name && old->name && !strcmp(s->name, old->name);
}

void chart_add(struct cgpu_chart *c, struct series *s)
{
	struct series **at = &c->series, *old;

	while (*at && !replaces(s, *at))
		at = &(*at)->next;
	old = *at;
	s->next = old ? old->next : NULL;
	*at = s;
	chart_series_free(old);
}

static void release(struct cgpu_chart *c)
{
	while (c->series) {
		struct series *s = c->series;

		c->series = s->next;
		chart_series_free(s);
	}
	free(c->title);
	free(c->x_title);
	free(c->y_title);
}

static int check(const struct cgpu_chart *c, struct error *err)
{
	return display_session_check(c, sizeof(*c), CHART_FORM, "chart", err);
}

cgpu_chart *cgpu_chart_new(const char *title)
{
	struct display_call call = display_begin("cgpu_chart_new");
	struct cgpu_chart *c = display_session_alloc(sizeof(*c));
	struct error err = ERROR_INIT;
	int rc = c ? 0 : error_set(&err, ERROR_MEMORY, "out of memory");

	if (c) {
		c->form = CHART_FORM;
		c->title = display_session_text(title);
		display_id_make(c->id);
	}
	display_end(&call, rc, &err);
	return c;
}

static void add_points(const char *name, cgpu_chart *c, enum series_kind kind, const char *series,
		       struct cgpu_data x, struct cgpu_data y, size_t n)
{
	struct display_call call = display_begin(name);
	struct error err = ERROR_INIT;
	int rc = check(c, &err);

	if (!rc)
		rc = chart_series_points(c, kind, series, x, y, n, &err);
	display_end(&call, rc, &err);
}

void cgpu_chart_line(cgpu_chart *c, const char *name, struct cgpu_data x, struct cgpu_data y,
		     unsigned long n)
{
	add_points("cgpu_chart_line", c, SERIES_LINE, name, x, y, n);
}

void cgpu_chart_scatter(cgpu_chart *c, const char *name, struct cgpu_data x, struct cgpu_data y,
			unsigned long n)
{
	add_points("cgpu_chart_scatter", c, SERIES_SCATTER, name, x, y, n);
}

void cgpu_chart_bar(cgpu_chart *c, const char *name, struct cgpu_data x, struct cgpu_data y,
		    unsigned long n)
{
	add_points("cgpu_chart_bar", c, SERIES_BAR, name, x, y, n);
}

void cgpu_chart_histogram(cgpu_chart *c, const char *name, struct cgpu_data values, unsigned long n,
			  unsigned long bins)
{
	struct display_call call = display_begin("cgpu_chart_histogram");
	struct error err = ERROR_INIT;
	int rc = check(c, &err);

	if (!rc)
		rc = chart_series_histogram(c, name, values, n, bins, &err);
	display_end(&call, rc, &err);
}

void cgpu_chart_heatmap(cgpu_chart *c, struct cgpu_data values, unsigned long rows,
			unsigned long columns)
{
	struct display_call call = display_begin("cgpu_chart_heatmap");
	struct error err = ERROR_INIT;
	int rc = check(c, &err);

	if (!rc)
		rc = chart_series_heatmap(c, values, rows, columns, &err);
	display_end(&call, rc, &err);
}

void cgpu_chart_axes(cgpu_chart *c, const char *x, const char *y)
{
	struct display_call call = display_begin("cgpu_chart_axes");
	struct error err = ERROR_INIT;
	int rc = check(c, &err);

	if (!rc) {
		free(c->x_title);
		free(c->y_title);
		c->x_title = display_session_text(x);
		c->y_title = display_session_text(y);
	}
	display_end(&call, rc, &err);
}

void cgpu_chart_log(cgpu_chart *c, const char *axes)
{
	struct display_call call = display_begin("cgpu_chart_log");
	struct error err = ERROR_INIT;
	int rc = check(c, &err);

	if (!axes)
		axes = "";
	if (!rc && axes[strspn(axes, "xy")])
		rc = error_set(&err, ERROR_INPUT,
			       "\"%s\" are no axes: \"x\", \"y\", \"xy\" or \"\"", axes);
	if (!rc) {
		c->log_x = strchr(axes, 'x');
		c->log_y = strchr(axes, 'y');
	}
	display_end(&call, rc, &err);
}

void cgpu_chart_size(cgpu_chart *c, unsigned width, unsigned height)
{
	struct display_call call = display_begin("cgpu_chart_size");
	struct error err = ERROR_INIT;
	int rc = check(c, &err);

	if (!rc && (!width || !height || width > SIDE_MAX || height > SIDE_MAX))
		rc = error_set(&err, ERROR_INPUT, "%u x %u pixels: a side has 1 to %d", width,
			       height, SIDE_MAX);
	if (!rc) {
		c->width = width;
		c->height = height;
	}
	display_end(&call, rc, &err);
}

static int show(const struct cgpu_chart *c, bool update, struct error *err)
{
	cleanup_bundle struct display_bundle b = DISPLAY_BUNDLE_INIT;
	cleanup_buffer struct buffer spec = BUFFER_INIT, plain = BUFFER_INIT;

	if (!c->series)
		return error_set(err, ERROR_STATE, "the chart has nothing to show yet");
	chart_spec(c, &spec);
	chart_spec_plain(c, &plain);
	display_put_buffer(&b, "application/vnd.vegalite.v5+json", &spec);
	display_put_buffer(&b, "text/plain", &plain);
	return display_send(&b, *c->id ? c->id : NULL, update, err);
}

static void show_again(const char *name, cgpu_chart *c, bool update)
{
	struct display_call call = display_begin(name);
	struct error err = ERROR_INIT;
	int rc = check(c, &err);

	if (!rc)
		rc = show(c, update && c->shown, &err);
	if (!rc)
		c->shown = true;
	display_end(&call, rc, &err);
}

void cgpu_chart_show(cgpu_chart *c)
{
	show_again("cgpu_chart_show", c, false);
}

void cgpu_chart_update(cgpu_chart *c)
{
	show_again("cgpu_chart_update", c, true);
}

void cgpu_chart_free(cgpu_chart *c)
{
	struct display_call call = display_begin("cgpu_chart_free");
	struct error err = ERROR_INIT;
	int rc = c ? check(c, &err) : 0;

	if (c && !rc) {
		release(c);
		free(c);
	}
	display_end(&call, rc, &err);
}

static struct cgpu_chart passing_chart(void)
{
	return (struct cgpu_chart){ .form = CHART_FORM, .passing = true };
}

/* Ends a call that has made the chart, or has failed to. */
static void show_passing(const struct display_call *call, struct cgpu_chart *c, int rc,
			 struct error *err)
{
	if (!rc)
		rc = show(c, false, err);
	release(c);
	display_end(call, rc, err);
}

static void show_points(const char *name, enum series_kind kind, struct cgpu_data x,
			struct cgpu_data y, size_t n)
{
	struct display_call call = display_begin(name);
	struct cgpu_chart c = passing_chart();
	struct error err = ERROR_INIT;
	int rc = chart_series_points(&c, kind, NULL, x, y, n, &err);

	show_passing(&call, &c, rc, &err);
}

void cgpu_plot(struct cgpu_data x, struct cgpu_data y, unsigned long n)
{
	show_points("cgpu_plot", SERIES_LINE, x, y, n);
}

void cgpu_scatter(struct cgpu_data x, struct cgpu_data y, unsigned long n)
{
	show_points("cgpu_scatter", SERIES_SCATTER, x, y, n);
}

void cgpu_bar(struct cgpu_data x, struct cgpu_data y, unsigned long n)
{
	show_points("cgpu_bar", SERIES_BAR, x, y, n);
}

void cgpu_histogram(struct cgpu_data values, unsigned long n, unsigned long bins)
{
	struct display_call call = display_begin("cgpu_histogram");
	struct cgpu_chart c = passing_chart();
	struct error err = ERROR_INIT;
	int rc = chart_series_histogram(&c, NULL, values, n, bins, &err);

	show_passing(&call, &c, rc, &err);
}

void cgpu_heatmap(struct cgpu_data values, unsigned long rows, unsigned long columns)
{
	struct display_call call = display_begin("cgpu_heatmap");
	struct cgpu_chart c = passing_chart();
	struct error err = ERROR_INIT;
	int rc = chart_series_heatmap(&c, values, rows, columns, &err);

	show_passing(&call, &c, rc, &err);
}
