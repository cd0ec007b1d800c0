/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cells show rich text, charts, pictures, tables, sound and progress with: the functions as
 * the worker has them. An array of numbers comes as an address and the type of its elements, which
 * cgpu-display.h of the prelude takes from the pointer's own type.
 *
 * Each function writes what is wrong with its arguments on stderr, with its name in front, and
 * shows nothing then.
 */
#ifndef CGPU_COMMON_CELL_DISPLAY_H
#define CGPU_COMMON_CELL_DISPLAY_H

/* The type of an array's elements: a kind and the size in bytes. */
#define CGPU_SIGNED 0x100
#define CGPU_UNSIGNED 0x200
#define CGPU_FLOATING 0x300
#define CGPU_STRING 0x400   /* char pointers */
#define CGPU_BFLOAT16 0x500 /* the upper half of a float */
#define CGPU_ELEMENT(kind, type) ((unsigned)(kind) | (unsigned)sizeof(type))

#ifndef __cplusplus
struct cgpu_data {
	const void *at; /* on the host or on the device; NULL: 0, 1, 2 ... where that makes sense */
	unsigned type;  /* 0: not known */
};

struct cgpu_column {
	const char *name;
	struct cgpu_data data;
};
#else
struct cgpu_data; /* the same, with constructors */
struct cgpu_column;
#endif

typedef struct cgpu_chart cgpu_chart;
typedef struct cgpu_animation cgpu_animation;
typedef struct cgpu_progress cgpu_progress;

#ifdef __cplusplus
extern "C" {
#endif

/* Show data of a MIME type: cgpu_display("image/png", bytes, n), cgpu_display("text/html", text,
 * strlen(text)). */
void cgpu_display(const char *mime, const void *data, unsigned long size);
/* The same under a name of yours: cgpu_display_update() of that name then takes its place. */
void cgpu_display_id(const char *id, const char *mime, const void *data, unsigned long size);
/* Show other data in the place of all displays of that name. */
void cgpu_display_update(const char *id, const char *mime, const void *data, unsigned long size);

/* Show text as HTML. */
void cgpu_html(const char *text);
/* Show text as HTML, made as by printf(). */
void cgpu_htmlf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Show text as Markdown. */
void cgpu_markdown(const char *text);
/* Show text as Markdown, made as by printf(). */
void cgpu_markdownf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Show text as LaTeX: cgpu_latex("$x^2$"). */
void cgpu_latex(const char *text);
/* Show text as LaTeX, made as by printf(). */
void cgpu_latexf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Show text as a picture in SVG. */
void cgpu_svg(const char *text);
/* Show text as a picture in SVG, made as by printf(). */
void cgpu_svgf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Show JSON as a tree. */
void cgpu_json(const char *text);
/* Show JSON as a tree, made as by printf(). */
void cgpu_jsonf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Show a line through n points, in their order. x may be NULL: 0, 1, 2 ... */
void cgpu_plot(struct cgpu_data x, struct cgpu_data y, unsigned long n);
/* Show n points. x may be NULL: 0, 1, 2 ... */
void cgpu_scatter(struct cgpu_data x, struct cgpu_data y, unsigned long n);
/* Show n bars. x may be NULL: 0, 1, 2 ..., numbers, or strings. */
void cgpu_bar(struct cgpu_data x, struct cgpu_data y, unsigned long n);
/* Show how many of n values lie in each of so many bins; bins 0: as many as suit. */
void cgpu_histogram(struct cgpu_data values, unsigned long n, unsigned long bins);
/* Show a matrix, row by row, as colours. */
void cgpu_heatmap(struct cgpu_data values, unsigned long rows, unsigned long columns);
/* Show a matrix, row by row, as a surface in three dimensions. What has no finite value is a hole.
 */
void cgpu_surface(struct cgpu_data values, unsigned long rows, unsigned long columns);
/*
 * Show pixels, row by row, as a PNG: channels is 1 for gray, 2 for gray and alpha, 3 for RGB, 4 for
 * RGBA. Integers are from 0 to 255, floating-point numbers from 0 to 1.
 */
void cgpu_image(struct cgpu_data pixels, unsigned long width, unsigned long height,
		unsigned channels);
/*
 * Show a player of n samples, of which rate make a second. Floating-point numbers are from -1 to 1,
 * integers from -32768 to 32767.
 */
void cgpu_audio(struct cgpu_data samples, unsigned long n, unsigned rate);
/* The same of two channels: n samples in all, left and right in turn. */
void cgpu_audio_stereo(struct cgpu_data samples, unsigned long n, unsigned rate);

/*
 * A chart of several series. It takes copies of what it shows and is memory of the session, so
 * later cells may add to it. Titles and names of series may be NULL.
 */
cgpu_chart *cgpu_chart_new(const char *title);
/* Add a line through n points; a series of that name, if there is one, is replaced. */
void cgpu_chart_line(cgpu_chart *c, const char *name, struct cgpu_data x, struct cgpu_data y,
		     unsigned long n);
/* Add n points; a series of that name, if there is one, is replaced. */
void cgpu_chart_scatter(cgpu_chart *c, const char *name, struct cgpu_data x, struct cgpu_data y,
			unsigned long n);
/* Add n bars, x may be strings; a series of that name, if there is one, is replaced. */
void cgpu_chart_bar(cgpu_chart *c, const char *name, struct cgpu_data x, struct cgpu_data y,
		    unsigned long n);
/* Add a histogram of n values; a series of that name, if there is one, is replaced. */
void cgpu_chart_histogram(cgpu_chart *c, const char *name, struct cgpu_data values, unsigned long n,
			  unsigned long bins);
/* A matrix as colours; a chart has one. */
void cgpu_chart_heatmap(cgpu_chart *c, struct cgpu_data values, unsigned long rows,
			unsigned long columns);
/* The titles of the axes. */
void cgpu_chart_axes(cgpu_chart *c, const char *x, const char *y);
/* Which axes are logarithmic: "x", "y", "xy", or "" for none. */
void cgpu_chart_log(cgpu_chart *c, const char *axes);
/* In pixels, of the area inside the axes. */
void cgpu_chart_size(cgpu_chart *c, unsigned width, unsigned height);
/* Show the chart below this cell. */
void cgpu_chart_show(cgpu_chart *c);
/* Draw the chart anew where it was shown; show it if it was not. */
void cgpu_chart_update(cgpu_chart *c);
/* Give the chart's memory back; what was shown stays. */
void cgpu_chart_free(cgpu_chart *c);

/*
 * Pictures that follow each other, `fps` in a second, 1 to 90: an animated PNG. It takes copies of
 * the pixels, which are as those of cgpu_image(), and is memory of the session, so later cells may
 * add to it.
 */
cgpu_animation *cgpu_animation_new(unsigned long width, unsigned long height, unsigned channels,
				   unsigned fps);
/* Add a frame. One that is as the frame before takes no memory. */
void cgpu_animation_add(cgpu_animation *a, struct cgpu_data pixels);
/* Show the animation below this cell. */
void cgpu_animation_show(cgpu_animation *a);
/* Give the animation's memory back; what was shown stays. */
void cgpu_animation_free(cgpu_animation *a);

/* A table of columns of so many rows; cgpu_table(rows, cgpu_column("n", n), cgpu_column("ms", ms))
 * calls it. */
void cgpu_table_show(unsigned long rows, const struct cgpu_column *columns, unsigned n);

/* A progress bar, which is shown at once; total 0: not known. */
cgpu_progress *cgpu_progress_new(const char *title, unsigned long total);
/* So much is done. May be called often: ten times a second the bar is drawn anew. */
void cgpu_progress_set(cgpu_progress *p, unsigned long done);
/* So much more is done. May be called often: ten times a second the bar is drawn anew. */
void cgpu_progress_add(cgpu_progress *p, unsigned long more);
/* Show the last state, and free the progress bar. */
void cgpu_progress_end(cgpu_progress *p);

#ifdef __cplusplus
}
#endif

#endif
