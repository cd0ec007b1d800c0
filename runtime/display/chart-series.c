/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is drawn of the arrays. Of a long line or of many bars each stretch of equal length gives
 * its least and its greatest value, in their order, so that no peak is lost; of many points of a
 * scatter chart each stretch gives its first. Values of a histogram are counted here, all of them,
 * and a large matrix becomes means of blocks.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "runtime/display/chart.h"
#include "runtime/display/numbers.h"

#define BINS_MAX 10000
#define BINS_CHOSEN_MAX 100

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_MEMORY, "out of memory");
}

static int nothing(struct error *err)
{
	return error_set(err, ERROR_INPUT, "there is nothing to show: n is 0");
}

/* The series as it is to be, of room for so many points; joins the chart when it is complete. */
static struct series *new_series(const struct cgpu_chart *c, enum series_kind kind,
				 const char *name, size_t x_room, size_t y_room, struct error *err)
{
	struct series *s = chart_alloc(c, sizeof(*s));

	if (s) {
		s->kind = kind;
		s->x_range = RANGE_NONE;
		s->y_range = RANGE_NONE;
		s->x = x_room ? chart_alloc(c, x_room * sizeof(double)) : NULL;
		s->y = chart_alloc(c, y_room * sizeof(double));
		s->name = name ? chart_alloc(c, strlen(name) + 1) : NULL;
		if (s->name)
			strcpy(s->name, name);
	}
	if (s && s->y && (s->x || !x_room) && (s->name || !name))
		return s;
	chart_series_free(s);
	no_memory(err);
	return NULL;
}

static void keep(struct series *s, double x, double y)
{
	if (s->x)
		s->x[s->n] = x;
	s->y[s->n++] = y;
}

/* The stretch that is being read. */
struct stretch {
	size_t n;
	double first[2]; /* x, y */
	double least[2], greatest[2];
	bool real, least_is_first;
};

static void stretch_add(struct stretch *t, double x, double y)
{
	if (!t->n++)
		memcpy(t->first, (double[]){ x, y }, sizeof(t->first));
	if (!isfinite(y))
		return;
	if (!t->real || y < t->least[1]) {
		memcpy(t->least, (double[]){ x, y }, sizeof(t->least));
		t->least_is_first = false;
	}
	if (!t->real || y > t->greatest[1]) {
		memcpy(t->greatest, (double[]){ x, y }, sizeof(t->greatest));
		t->least_is_first = true;
	}
	t->real = true;
}

static void stretch_keep(struct stretch *t, struct series *s)
{
	const double *one = t->least_is_first ? t->least : t->greatest,
		     *two = t->least_is_first ? t->greatest : t->least;

	if (t->n && (s->kind == SERIES_SCATTER || !t->real)) {
		keep(s, t->first[0], t->first[1]);
	} else if (t->n) {
		keep(s, one[0], one[1]);
		if (t->least[1] < t->greatest[1])
			keep(s, two[0], two[1]);
	}
	*t = (struct stretch){ 0 };
}

static int read_points(struct series *s, struct numbers *x, struct numbers *y, size_t n,
		       struct error *err)
{
	size_t stretches = s->kind == SERIES_SCATTER ? CHART_POINTS_MAX : CHART_POINTS_MAX / 2;
	struct stretch t = { 0 };
	size_t number = 0;

	for (size_t i = 0; i < n; i++) {
		double at = 0, v = 0;
		bool real;

		if ((s->x && numbers_next(x, &at, err)) || numbers_next(y, &v, err))
			return -1;
		real = range_widen(&s->y_range, v);
		if (s->x && !range_widen(&s->x_range, at))
			real = false;
		s->unreal += !real;
		if (n <= CHART_POINTS_MAX) {
			keep(s, at, v);
			continue;
		}
		if ((size_t)((double)i * (double)stretches / (double)n) != number) {
			stretch_keep(&t, s);
			number = (size_t)((double)i * (double)stretches / (double)n);
		}
		stretch_add(&t, at, v);
	}
	stretch_keep(&t, s);
	return 0;
}

static int read_labels(const struct cgpu_chart *c, struct series *s, struct numbers *x, size_t n,
		       struct error *err)
{
	cleanup_buffer struct buffer labels = BUFFER_INIT;

	if (s->kind != SERIES_BAR)
		return error_set(err, ERROR_INPUT, "x has strings, which bars only can have");
	if (n > CHART_POINTS_MAX)
		return error_set(err, ERROR_LIMIT, "%zu bars with names: there can be %d", n,
				 CHART_POINTS_MAX);
	for (size_t i = 0; i < n; i++)
		if (numbers_next_text(x, &labels, err))
			return -1;
	if (buffer_check(&labels, err))
		return -1;
	s->labels = chart_alloc(c, labels.len);
	if (!s->labels)
		return no_memory(err);
	memcpy(s->labels, labels.data, labels.len);
	return 0;
}

int chart_series_points(struct cgpu_chart *c, enum series_kind kind, const char *name,
			struct cgpu_data x, struct cgpu_data y, size_t n, struct error *err)
{
	size_t room = n < CHART_POINTS_MAX ? n : CHART_POINTS_MAX;
	cleanup_numbers struct numbers xs = { 0 }, ys = { 0 };
	struct series *s;
	int rc;

	if (!n)
		return nothing(err);
	if (numbers_open(&xs, "x", x, n, true, err) || numbers_open(&ys, "y", y, n, false, err))
		return -1;
	s = new_series(c, kind, name, numbers_are_text(&xs) ? 0 : room, room, err);
	if (!s)
		return -1;
	s->given = n;
	s->narrow_x = numbers_are_narrow(&xs);
	s->narrow_y = numbers_are_narrow(&ys);
	rc = numbers_are_text(&xs) ? read_labels(c, s, &xs, n, err) : 0;
	if (!rc)
		rc = read_points(s, &xs, &ys, n, err);
	if (rc)
		chart_series_free(s);
	else
		chart_add(c, s);
	return rc;
}

/* As many as Sturges's rule gives. */
static size_t bins_for(size_t n)
{
	size_t bins = (size_t)ceil(log2((double)n + 1)) + 1;

	return bins < BINS_CHOSEN_MAX ? bins : BINS_CHOSEN_MAX;
}

static void count(struct series *s, double v)
{
	/* Halves: the distance of two numbers may be more than a number can be. */
	double width = s->x[s->n] / 2 - s->x[0] / 2;
	size_t bin = (size_t)((v / 2 - s->x[0] / 2) / width * (double)s->n);

	s->y[bin < s->n ? bin : s->n - 1]++;
}

static int fill_bins(struct series *s, struct cgpu_data values, size_t n, size_t bins,
		     struct error *err)
{
	cleanup_numbers struct numbers a = { 0 };
	struct range r = s->x_range;
	double v;

	if (range_is_empty(&r))
		return error_set(err, ERROR_INPUT, "values has no finite number");
	if (!(r.least < r.greatest)) {
		r.least -= 0.5;
		r.greatest += 0.5;
	}
	s->n = bins;
	for (size_t i = 0; i <= bins; i++) {
		double part = (double)i / (double)bins;

		s->x[i] = r.least * (1 - part) + r.greatest * part;
	}
	if (numbers_open(&a, "values", values, n, false, err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (numbers_next(&a, &v, err))
			return -1;
		if (isfinite(v))
			count(s, v);
	}
	for (size_t i = 0; i < bins; i++)
		range_widen(&s->y_range, s->y[i]);
	return 0;
}

static int find_range(struct series *s, struct cgpu_data values, size_t n, struct error *err)
{
	cleanup_numbers struct numbers a = { 0 };
	double v;

	if (numbers_open(&a, "values", values, n, false, err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (numbers_next(&a, &v, err))
			return -1;
		if (!range_widen(&s->x_range, v))
			s->unreal++;
	}
	s->narrow_x = numbers_are_narrow(&a);
	return 0;
}

int chart_series_histogram(struct cgpu_chart *c, const char *name, struct cgpu_data values,
			   size_t n, size_t bins, struct error *err)
{
	struct series *s;
	int rc;

	if (!n)
		return nothing(err);
	if (bins > BINS_MAX)
		return error_set(err, ERROR_LIMIT, "%zu bins: there can be %d", bins, BINS_MAX);
	if (!bins)
		bins = bins_for(n);
	s = new_series(c, SERIES_HISTOGRAM, name, bins + 1, bins, err);
	if (!s)
		return -1;
	s->given = n;
	rc = find_range(s, values, n, err);
	if (!rc)
		rc = fill_bins(s, values, n, bins, err);
	if (rc)
		chart_series_free(s);
	else
		chart_add(c, s);
	return rc;
}

int chart_series_heatmap(struct cgpu_chart *c, struct cgpu_data values, size_t rows, size_t columns,
			 struct error *err)
{
	struct matrix m;
	struct series *s;
	int rc;

	if (matrix_shape(&m, rows, columns, CHART_CELLS_MAX, err))
		return -1;
	s = new_series(c, SERIES_HEATMAP, NULL, 0, m.rows * m.columns, err);
	if (!s)
		return -1;
	s->n = m.rows * m.columns;
	rc = matrix_read(&m, values, s->y, err);
	s->matrix = m;
	if (rc)
		chart_series_free(s);
	else
		chart_add(c, s);
	return rc;
}
