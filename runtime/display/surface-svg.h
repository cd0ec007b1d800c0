/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a matrix as a surface in three dimensions, in SVG. */
#ifndef CGPU_RUNTIME_DISPLAY_SURFACE_SVG_H
#define CGPU_RUNTIME_DISPLAY_SURFACE_SVG_H

struct buffer;
struct matrix;

/*
 * m: of two rows and two columns at least. means: as matrix_read() gives them, one of them finite;
 * a cell of the surface with a corner that is NAN is a hole. title: what is read out where nothing
 * is seen; plain text without markup.
 */
void surface_svg(struct buffer *out, const struct matrix *m, const double *means,
		 const char *title);

#endif
