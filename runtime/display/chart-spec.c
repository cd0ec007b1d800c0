/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chart in Vega-Lite 5: a layer for each series, with its data in it. There is no
 * background, and text is gray, so a chart can be read in a light theme and in a dark one. Points
 * without a finite value, and those that a logarithmic axis has no place for, are empty: a line
 * has a gap there.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/display/chart.h"
#include "runtime/display/json-text.h"
#include "runtime/display/plain-text.h"

#define WIDTH 480
#define HEIGHT 300
/* Numbers below bars that are places of their own. */
#define PLACES_MAX 100

static const char *const kinds[] = { [SERIES_LINE] = "line",
				     [SERIES_SCATTER] = "scatter",
				     [SERIES_BAR] = "bar",
				     [SERIES_HISTOGRAM] = "histogram",
				     [SERIES_HEATMAP] = "heat map" };

static double on_axis(double v, bool log)
{
	return log && v <= 0 ? NAN : v;
}

/* label: of the first point that is left. */
static void put_point(struct buffer *out, const struct cgpu_chart *c, const struct series *s,
		      size_t i, const char **label)
{
	if (s->kind == SERIES_HEATMAP) {
		buffer_printf(out, "\n%zu,%zu,", i % s->matrix.columns, i / s->matrix.columns);
		json_text_number(out, s->y[i], s->matrix.narrow);
		return;
	}
	buffer_putc(out, '\n');
	if (s->labels) {
		json_text_csv_string(out, *label);
		*label += strlen(*label) + 1;
	} else {
		json_text_number(out, on_axis(s->x[i], c->log_x), s->narrow_x);
	}
	buffer_putc(out, ',');
	if (s->kind == SERIES_HISTOGRAM) {
		json_text_number(out, s->x[i + 1], false);
		buffer_putc(out, ',');
	}
	json_text_number(out, on_axis(s->y[i], c->log_y), s->narrow_y);
}

/* As one text: a notebook on disk has a line for each member of an object. */
static void put_data(struct buffer *out, const struct cgpu_chart *c, const struct series *s)
{
	cleanup_buffer struct buffer values = BUFFER_INIT;
	const char *label = s->labels;

	buffer_puts(&values, s->kind == SERIES_HEATMAP     ? "x,y,value"
			     : s->kind == SERIES_HISTOGRAM ? "x,x2,y"
							   : "x,y");
	for (size_t i = 0; i < s->n; i++)
		put_point(&values, c, s, i, &label);
	buffer_puts(out, "\"data\":{\"values\":");
	json_text_string(out, buffer_text(&values));
	out->failed |= values.failed;
	buffer_puts(out, ",\"format\":{\"type\":\"csv\",\"parse\":{\"y\":\"number\"");
	if (!s->labels)
		buffer_puts(out, ",\"x\":\"number\"");
	if (s->kind == SERIES_HISTOGRAM)
		buffer_puts(out, ",\"x2\":\"number\"");
	if (s->kind == SERIES_HEATMAP)
		buffer_puts(out, ",\"value\":\"number\"");
	buffer_puts(out, "}}}");
}

/* Pixels. */
static unsigned bar_width(const struct cgpu_chart *c, const struct series *s)
{
	unsigned width = (unsigned)((c->width ? c->width : WIDTH) * 0.8 / (double)s->n);

	return width ? width : 1;
}

static bool is_bars(const struct series *s)
{
	return s->kind == SERIES_BAR || s->kind == SERIES_HISTOGRAM;
}

/* A bar for each name, or for each of a few numbers: the axis has places, not a scale. Beside
 * series of another kind numbers are numbers. */
static bool has_places(const struct cgpu_chart *c)
{
	for (const struct series *s = c->series; s; s = s->next)
		if (s->kind != SERIES_BAR || (!s->labels && s->n > PLACES_MAX))
			return false;
	return true;
}

static void put_mark(struct buffer *out, const struct cgpu_chart *c, const struct series *s)
{
	static const char *const marks[] = {
		[SERIES_LINE] = "{\"type\":\"line\",\"order\":false,\"tooltip\":true",
		[SERIES_SCATTER] = "{\"type\":\"point\",\"filled\":true,\"tooltip\":true",
		[SERIES_BAR] = "{\"type\":\"bar\",\"tooltip\":true",
		[SERIES_HISTOGRAM] = "{\"type\":\"bar\",\"tooltip\":true",
		[SERIES_HEATMAP] = "{\"type\":\"rect\",\"tooltip\":true",
	};

	buffer_printf(out, ",\"mark\":%s", marks[s->kind]);
	if (s->kind == SERIES_BAR && !has_places(c) && !s->labels)
		buffer_printf(out, ",\"size\":%u", bar_width(c, s));
	/* What lies behind can be seen. */
	if (c->series->next && is_bars(s) && !has_places(c))
		buffer_puts(out, ",\"opacity\":0.6");
	buffer_putc(out, '}');
}

/* Bars begin at zero, other marks need not have it. */
static bool begins_at_zero(const struct cgpu_chart *c)
{
	for (const struct series *s = c->series; s; s = s->next)
		if (is_bars(s))
			return true;
	return false;
}

/* Where bars begin on a logarithmic axis, which has no zero: the power of ten below all of them. */
static double log_base(const struct cgpu_chart *c)
{
	double least = INFINITY;

	for (const struct series *s = c->series; s; s = s->next)
		for (size_t i = 0; i < s->n; i++)
			if (s->y[i] > 0)
				least = fmin(least, s->y[i]);
	return isfinite(least) ? pow(10, ceil(log10(least)) - 1) : 1;
}

static const char *axis_type(const struct cgpu_chart *c, const struct series *s, bool x)
{
	if (s->kind == SERIES_HEATMAP)
		return "ordinal";
	if (x && s->labels)
		return "nominal";
	return x && has_places(c) ? "ordinal" : "quantitative";
}

static void put_scale(struct buffer *out, const struct cgpu_chart *c, bool x)
{
	bool log = x ? c->log_x : c->log_y;

	if (log && !x && begins_at_zero(c))
		buffer_printf(out, ",\"scale\":{\"type\":\"log\",\"domainMin\":%g}", log_base(c));
	else if (log)
		buffer_puts(out, ",\"scale\":{\"type\":\"log\"}");
	else if (x || !begins_at_zero(c))
		buffer_puts(out, ",\"scale\":{\"zero\":false}");
}

static void put_axis(struct buffer *out, const struct cgpu_chart *c, const struct series *s,
		     char axis)
{
	bool x = axis == 'x';
	const char *title = x ? c->x_title : c->y_title, *type = axis_type(c, s, x);

	if (!title && !x && s->kind == SERIES_HISTOGRAM)
		title = "count";
	buffer_printf(out, "\"%c\":{\"field\":\"%c\",\"type\":\"%s\",\"title\":", axis, axis, type);
	json_text_string(out, title);
	if (*type == 'q')
		put_scale(out, c, x);
	else
		buffer_puts(out, ",\"sort\":null");
	if (*type == 'o')
		buffer_puts(out, ",\"axis\":{\"labelAngle\":0,\"labelOverlap\":true}");
	if (x && s->kind == SERIES_HISTOGRAM)
		buffer_puts(out, ",\"bin\":{\"binned\":true}},\"x2\":{\"field\":\"x2\"");
	if (!x && is_bars(s))
		buffer_puts(out, ",\"stack\":null");
	if (!x && is_bars(s) && c->log_y)
		buffer_printf(out, "},\"y2\":{\"datum\":%g", log_base(c));
	buffer_putc(out, '}');
}

/* Of a chart of several series each has a name. */
static void put_name(struct buffer *out, const struct series *s, unsigned number)
{
	char text[24];

	snprintf(text, sizeof(text), "%u", number);
	json_text_string(out, s->name ? s->name : text);
}

static void put_layer(struct buffer *out, const struct cgpu_chart *c, const struct series *s,
		      unsigned number)
{
	buffer_puts(out, number > 1 ? ",{" : "{");
	put_data(out, c, s);
	put_mark(out, c, s);
	buffer_puts(out, ",\"encoding\":{");
	put_axis(out, c, s, 'x');
	buffer_putc(out, ',');
	put_axis(out, c, s, 'y');
	if (s->kind == SERIES_HEATMAP) {
		buffer_puts(out, ",\"color\":{\"field\":\"value\",\"type\":\"quantitative\","
				 "\"legend\":{\"title\":null}}");
	} else if (s->name || c->series->next) {
		buffer_puts(out, ",\"color\":{\"datum\":");
		put_name(out, s, number);
		buffer_puts(out, ",\"type\":\"nominal\",\"title\":null}");
	}
	/* Bars of several series stand side by side. */
	if (c->series->next && has_places(c)) {
		buffer_puts(out, ",\"xOffset\":{\"datum\":");
		put_name(out, s, number);
		buffer_puts(out, ",\"type\":\"nominal\"}");
	}
	buffer_puts(out, "}}");
}

/* Cells of a matrix have edges on whole pixels, where nothing else was asked for. */
static void put_size(struct buffer *out, const struct cgpu_chart *c)
{
	const struct series *s = c->series;
	size_t width = c->width ? c->width : WIDTH, height = c->height ? c->height : HEIGHT;

	if (!c->width && s->kind == SERIES_HEATMAP && !s->next) {
		width -= width % s->matrix.columns;
		height -= height % s->matrix.rows;
	}
	buffer_printf(out, "\"width\":%zu,\"height\":%zu,", width, height);
}

/* Front ends draw all text black, whatever their theme is, and a saved chart may be seen in either.
 * This gray has a contrast of 4 to 1 or more with both backgrounds. */
#define GRAY "\"#7f7f7f\""
#define CONFIG                                                                                     \
	"\"config\":{"                                                                             \
	"\"title\":{\"color\":" GRAY "},"                                                          \
	"\"axis\":{\"labelColor\":" GRAY ",\"titleColor\":" GRAY ",\"domainColor\":" GRAY          \
	",\"tickColor\":" GRAY ",\"gridColor\":" GRAY ",\"gridOpacity\":0.25},"                    \
	"\"legend\":{\"labelColor\":" GRAY ",\"titleColor\":" GRAY "},"                            \
	"\"view\":{\"stroke\":" GRAY ",\"strokeOpacity\":0.25}},"

void chart_spec(const struct cgpu_chart *c, struct buffer *out)
{
	unsigned number = 0;

	buffer_puts(out, "{\"$schema\":\"https://vega.github.io/schema/vega-lite/v5.json\","
			 "\"background\":\"transparent\"," CONFIG);
	if (c->title) {
		buffer_puts(out, "\"title\":");
		json_text_string(out, c->title);
		buffer_putc(out, ',');
	}
	put_size(out, c);
	buffer_puts(out, "\"layer\":[");
	for (const struct series *s = c->series; s; s = s->next)
		put_layer(out, c, s, ++number);
	buffer_puts(out, "]}");
}

static void put_what_is_drawn(struct buffer *out, const struct series *s)
{
	if (s->n >= s->given || s->kind == SERIES_HISTOGRAM)
		return;
	buffer_puts(out, "; drawn are ");
	buffer_put_grouped(out, s->n);
	buffer_puts(out, s->kind == SERIES_SCATTER
				 ? " of them, one of each stretch"
				 : " of them, the least and the greatest of each stretch");
}

static size_t without_a_place(const double *v, size_t n, bool log)
{
	size_t found = 0;

	for (size_t i = 0; v && log && i < n; i++)
		found += v[i] <= 0;
	return found;
}

static void put_series(struct buffer *out, const struct cgpu_chart *c, const struct series *s)
{
	size_t lost = without_a_place(s->x, s->n, c->log_x) + without_a_place(s->y, s->n, c->log_y);

	if (s->kind == SERIES_HEATMAP) {
		matrix_put_plain(&s->matrix, kinds[s->kind], out);
		return;
	}
	buffer_puts(out, kinds[s->kind]);
	if (s->name) {
		buffer_putc(out, ' ');
		json_text_string(out, s->name);
	}
	buffer_puts(out, ": ");
	if (s->kind == SERIES_HISTOGRAM) {
		plain_text_counted(out, s->given, "value");
		plain_text_range(out, "", &s->x_range);
		buffer_puts(out, ", ");
		plain_text_counted(out, s->n, "bin");
		buffer_printf(out, ", at most %.0f in one", s->y_range.greatest);
	} else {
		plain_text_counted(out, s->given, s->kind == SERIES_BAR ? "bar" : "point");
		if (s->x)
			plain_text_range(out, "x", &s->x_range);
		plain_text_range(out, "y", &s->y_range);
	}
	plain_text_unreal(out, s->unreal);
	if (lost) {
		buffer_puts(out, "; ");
		buffer_put_grouped(out, lost);
		buffer_puts(out, " without a place on a logarithmic axis");
	}
	put_what_is_drawn(out, s);
}

void chart_spec_plain(const struct cgpu_chart *c, struct buffer *out)
{
	if (c->title)
		buffer_printf(out, "%s\n", c->title);
	for (const struct series *s = c->series; s; s = s->next) {
		put_series(out, c, s);
		if (s->next)
			buffer_putc(out, '\n');
	}
}
