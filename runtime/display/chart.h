/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chart as it lies in session memory: titles, and series with copies of the points that are
 * drawn. A chart that is made and shown in one call lies on the stack, and its parts are the
 * library's.
 */
#ifndef CGPU_RUNTIME_DISPLAY_CHART_H
#define CGPU_RUNTIME_DISPLAY_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cell-display.h"
#include "runtime/display/display.h"
#include "runtime/display/matrix.h"
#include "runtime/display/range.h"

struct error;

enum series_kind { SERIES_LINE, SERIES_SCATTER, SERIES_BAR, SERIES_HISTOGRAM, SERIES_HEATMAP };

/* More points of a series than this are reduced; a matrix has as many cells. */
#define CHART_POINTS_MAX 10000
#define CHART_CELLS_MAX 100 /* a side */

struct series {
	struct series *next;
	char *name; /* NULL: none */
	enum series_kind kind;
	bool narrow_x, narrow_y; /* they are floats */
	size_t given;            /* points or values of the cell */
	size_t unreal;           /* of them without a finite value */
	size_t n;                /* that are drawn */
	double *x; /* n; of a histogram n + 1 limits of bins; NULL: there are labels, or a matrix */
	double *y; /* n */
	char *labels;                  /* n strings, each with its zero */
	struct range x_range, y_range; /* of all that was given */
	struct matrix matrix;          /* of a heat map */
};

struct cgpu_chart {
	uint64_t form; /* CHART_FORM */
	char id[DISPLAY_ID_SIZE];
	bool shown;
	bool passing; /* made and shown in one call */
	bool log_x, log_y;
	unsigned width, height; /* 0: as it suits */
	char *title, *x_title, *y_title;
	struct series *series;
};

/* A chart that another build of this program has left in a saved session is none. */
#define CHART_FORM (0x6367707563680000ull + sizeof(struct cgpu_chart) + sizeof(struct series))

/* chart.c: memory for a part of the chart, zero. */
void *chart_alloc(const struct cgpu_chart *c, size_t size);
/* The series joins the chart, in the place of one of that name. Takes it. */
void chart_add(struct cgpu_chart *c, struct series *s);
void chart_series_free(struct series *s);

/* chart-series.c: a series with what is drawn of the arrays; the chart is left as it was when they
 * are wrong. */
int chart_series_points(struct cgpu_chart *c, enum series_kind kind, const char *name,
			struct cgpu_data x, struct cgpu_data y, size_t n, struct error *err);
int chart_series_histogram(struct cgpu_chart *c, const char *name, struct cgpu_data values,
			   size_t n, size_t bins, struct error *err);
int chart_series_heatmap(struct cgpu_chart *c, struct cgpu_data values, size_t rows, size_t columns,
			 struct error *err);

/* chart-spec.c: the chart as Vega-Lite, and as text. */
void chart_spec(const struct cgpu_chart *c, struct buffer *out);
void chart_spec_plain(const struct cgpu_chart *c, struct buffer *out);

#endif
