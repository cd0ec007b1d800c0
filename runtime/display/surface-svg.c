/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The surface is seen from above and from one side, in parallel projection: the first row lies
 * behind, and columns go from left to right. Its cells are drawn in the order of the matrix, which
 * is from the back to the front, so that each covers what it hides. As in charts there is no
 * background, and lines and text are gray, for light themes and dark ones; colours are those that
 * Vega-Lite gives to a heat map.
 */
#include "runtime/display/surface-svg.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "runtime/display/matrix.h"

/* Coordinates are tenths of a pixel. */
#define WIDTH 6400
#define HEIGHT 4700
#define MIDDLE 3350 /* of the base, from the left */
#define LIFT 1750   /* of the middle of the base, from below */
#define SIDE 3500   /* of the base, which is a square */
#define RISE 1900   /* from the least value to the greatest */
#define TURN 0.61   /* of the base, in radians */
#define ABOVE 0.52  /* of the one who looks, over the horizon; radians */
#define OUT 1.03    /* where the ticks of an edge, which is at 1, end */
#define TITLE 300   /* from the numbers of an axis to its title */
#define TICKS_MAX 8
#define SLACK 1e-6 /* of a step: where a tick is taken for the end of its axis */

#define GRAY "#7f7f7f"

/* In the cube that is drawn: along columns, along rows, and upwards, each from 0 to 1. */
struct place {
	double at[3];
};

struct point {
	int x, y;
};

enum axis { COLUMNS, ROWS, VALUES };

static struct point project(struct place p)
{
	double x = p.at[COLUMNS] - 0.5, y = p.at[ROWS] - 0.5;
	double right = x * cos(TURN) - y * sin(TURN), near = x * sin(TURN) + y * cos(TURN);

	return (struct point){
		(int)lround(MIDDLE + right * SIDE),
		(int)lround(HEIGHT - LIFT + near * SIDE * sin(ABOVE) -
			    p.at[VALUES] * RISE * cos(ABOVE)),
	};
}

/* The distance of two numbers may be more than a double can be. */
static long double distance(double from, double to)
{
	return (long double)to - from;
}

static double part_of(const struct range *r, double v)
{
	return r->least < r->greatest
		       ? (double)(distance(r->least, v) / distance(r->least, r->greatest))
		       : 0.5;
}

/* whole: of numbers of rows or columns. Returns 1, 2 or 5 times a power of ten, as gives TICKS_MAX
 * of them at most. */
static double tick_step(const struct range *r, bool whole)
{
	double rough = (double)(distance(r->least, r->greatest) / (TICKS_MAX - 1));
	double decade = pow(10, floor(log10(rough)));
	double step = decade * (rough <= decade       ? 1
				: rough <= 2 * decade ? 2
				: rough <= 5 * decade ? 5
						      : 10);

	return whole ? fmax(step, 1) : step;
}

/* As many digits as tell the ticks apart. */
static int tick_digits(const struct range *r, double step)
{
	double most = fmax(fabs(r->least), fabs(r->greatest));
	double digits = step > 0 ? floor(log10(most)) - floor(log10(step)) + 1 : 0;

	return (int)fmin(fmax(digits, 6), 15);
}

/* The way of a grid line from its label to the back, along two planes, and where on the line the
 * label stands; the coordinate of the tick is left out. */
static const struct way {
	struct place label, corners[3];
	const char *anchor;
	int x, y; /* of the text beside its place */
} ways[] = {
	[COLUMNS] = { { { 0, OUT, 0 } },
		      { { { 0, 1, 0 } }, { { 0, 0, 0 } }, { { 0, 0, 1 } } },
		      "end",
		      20,
		      110 },
	[ROWS] = { { { OUT, 0, 0 } },
		   { { { 1, 0, 0 } }, { { 0, 0, 0 } }, { { 0, 0, 1 } } },
		   "start",
		   0,
		   110 },
	[VALUES] = { { { 0, OUT, 0 } },
		     { { { 0, 1, 0 } }, { { 0, 0, 0 } }, { { 1, 0, 0 } } },
		     "end",
		     -60,
		     10 },
};

static struct point on_axis(enum axis axis, struct place p, double at)
{
	p.at[axis] = at;
	return project(p);
}

struct drawing {
	struct buffer grid, lines, text;
};

static void put_line(struct buffer *out, const struct point *points, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		buffer_printf(out, "%c%d %d", i ? 'L' : 'M', points[i].x, points[i].y);
}

static void put_tick(struct drawing *d, enum axis axis, double at, double v, int digits)
{
	const struct way *w = &ways[axis];
	struct point label = on_axis(axis, w->label, at), corners[3];

	for (unsigned i = 0; i < 3; i++)
		corners[i] = on_axis(axis, w->corners[i], at);
	put_line(&d->grid, corners, 3);
	put_line(&d->lines, (struct point[]){ label, corners[0] }, 2);
	buffer_printf(&d->text, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%.*g</text>",
		      label.x + w->x, label.y + w->y, w->anchor, digits, v);
}

static void put_axis(struct drawing *d, enum axis axis, const struct range *r)
{
	double step = tick_step(r, axis != VALUES), first = ceil(r->least / step - SLACK);
	int digits = tick_digits(r, step);

	if (!(step > 0)) { /* of values that are all the same */
		put_tick(d, axis, part_of(r, r->least), r->least, digits);
		return;
	}
	for (int i = 0; i < TICKS_MAX; i++) {
		double v = (first + i) * step + 0.0; /* no -0 */

		if (v <= r->greatest + step * SLACK)
			put_tick(d, axis, part_of(r, v), v, digits);
	}
}

/* Of a block, among the rows or columns that were given. */
static double block_middle(size_t block, size_t length, size_t given)
{
	size_t begin = block * length, end = begin + length < given ? begin + length : given;

	return (double)(begin + end - 1) / 2;
}

static struct range block_range(size_t blocks, size_t length, size_t given)
{
	return (struct range){ block_middle(0, length, given),
			       block_middle(blocks - 1, length, given) };
}

/* A title stands in the middle of its axis, outside of the numbers. */
static void put_title(struct drawing *d, enum axis axis, const char *text)
{
	const struct way *w = &ways[axis];
	struct point p = on_axis(axis, w->label, 0.5);
	int away = *w->anchor == 'e' ? -TITLE : TITLE;

	buffer_printf(&d->text, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>", p.x + away,
		      p.y + w->y + TITLE / 2, w->anchor, text);
}

/* cube: what each axis goes from and to. */
static void put_axes(struct buffer *out, const struct range cube[3])
{
	static const struct place edges[] = {
		{ { 0, 1, 1 } }, { { 0, 1, 0 } }, { { 1, 1, 0 } }, { { 1, 0, 0 } }
	};
	struct drawing d = { BUFFER_INIT, BUFFER_INIT, BUFFER_INIT };
	struct point corners[4];

	for (unsigned i = 0; i < 4; i++)
		corners[i] = project(edges[i]);
	put_line(&d.lines, corners, 4);
	for (enum axis axis = COLUMNS; axis <= VALUES; axis++)
		put_axis(&d, axis, &cube[axis]);
	put_title(&d, COLUMNS, "column");
	put_title(&d, ROWS, "row");
	buffer_printf(out,
		      "<g fill=\"none\" stroke=\"" GRAY "\" stroke-width=\"10\">"
		      "<path stroke-opacity=\".25\" d=\"%s\"/><path d=\"%s\"/></g>"
		      "<g font-family=\"sans-serif\" font-size=\"110\" fill=\"" GRAY "\">%s</g>",
		      buffer_text(&d.grid), buffer_text(&d.lines), buffer_text(&d.text));
	out->failed |= d.grid.failed || d.lines.failed || d.text.failed;
	buffer_release(&d.grid);
	buffer_release(&d.lines);
	buffer_release(&d.text);
}

/* Vega's scheme yellowgreenblue. */
static uint32_t colour(double part)
{
	static const uint32_t scheme[] = { 0xeff9bd, 0xdbf1b4, 0xbde5b5, 0x94d5b9,
					   0x69c5be, 0x45b4c2, 0x2c9ec0, 0x2182b8,
					   0x2163aa, 0x23479c, 0x1c3185 };
	double at = part * (double)(sizeof(scheme) / sizeof(scheme[0]) - 1);
	size_t below = (size_t)fmin(at, (double)(sizeof(scheme) / sizeof(scheme[0]) - 2));
	uint32_t mixed = 0;

	for (unsigned shift = 0; shift < 24; shift += 8) {
		double one = scheme[below] >> shift & 0xff, two = scheme[below + 1] >> shift & 0xff;

		mixed |= (uint32_t)lround(one + (two - one) * (at - (double)below)) << shift;
	}
	return mixed;
}

/* corners: in their order around it. */
static void put_cell(struct buffer *out, const struct place corners[4])
{
	struct point before = project(corners[0]);
	double sum = corners[0].at[VALUES];

	for (unsigned i = 1; i < 4; i++)
		sum += corners[i].at[VALUES];
	buffer_printf(out, "<path fill=\"#%06x\" d=\"M%d %dl", colour(sum / 4), before.x, before.y);
	for (unsigned i = 1; i < 4; i++) {
		struct point p = project(corners[i]);

		buffer_printf(out, "%s%d %d", i > 1 ? " " : "", p.x - before.x, p.y - before.y);
		before = p;
	}
	buffer_puts(out, "z\"/>");
}

/* Returns false where the corner has no value. */
static bool find_corner(const struct matrix *m, const double *means, const struct range cube[3],
			size_t row, size_t column, struct place *ret)
{
	double v = means[row * m->columns + column];

	*ret = (struct place){ {
		part_of(&cube[COLUMNS], block_middle(column, m->wide, m->given_columns)),
		part_of(&cube[ROWS], block_middle(row, m->high, m->given_rows)),
		part_of(&cube[VALUES], v),
	} };
	return isfinite(v);
}

static void put_cells(struct buffer *out, const struct matrix *m, const double *means,
		      const struct range cube[3])
{
	struct place c[4];

	buffer_puts(out, "<g stroke=\"" GRAY "\" stroke-width=\"4\" stroke-linejoin=\"round\">");
	for (size_t row = 0; row + 1 < m->rows; row++)
		for (size_t column = 0; column + 1 < m->columns; column++)
			if (find_corner(m, means, cube, row, column, &c[0]) &&
			    find_corner(m, means, cube, row, column + 1, &c[1]) &&
			    find_corner(m, means, cube, row + 1, column + 1, &c[2]) &&
			    find_corner(m, means, cube, row + 1, column, &c[3]))
				put_cell(out, c);
	buffer_puts(out, "</g>");
}

void surface_svg(struct buffer *out, const struct matrix *m, const double *means, const char *title)
{
	struct range cube[] = {
		[COLUMNS] = block_range(m->columns, m->wide, m->given_columns),
		[ROWS] = block_range(m->rows, m->high, m->given_rows),
		[VALUES] = RANGE_NONE,
	};

	for (size_t i = 0; i < m->rows * m->columns; i++)
		range_widen(&cube[VALUES], means[i]);
	buffer_printf(out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		      "viewBox=\"0 0 %d %d\"><title>%s</title>",
		      WIDTH / 10, HEIGHT / 10, WIDTH, HEIGHT, title);
	put_axes(out, cube);
	put_cells(out, m, means, cube);
	buffer_puts(out, "</svg>");
}
