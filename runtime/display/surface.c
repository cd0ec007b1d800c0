/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix of a cell becomes few enough means to be drawn, and a picture. */
#include <stdlib.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/cell-display.h"
#include "runtime/display/display.h"
#include "runtime/display/matrix.h"
#include "runtime/display/surface-svg.h"

/* Corners of cells. */
#define SIDE_MAX 61

static int show(struct cgpu_data values, size_t rows, size_t columns, struct error *err)
{
	cleanup_bundle struct display_bundle b = DISPLAY_BUNDLE_INIT;
	cleanup_buffer struct buffer svg = BUFFER_INIT, plain = BUFFER_INIT;
	cleanup_free double *means = NULL;
	struct matrix m;

	if (matrix_shape(&m, rows, columns, SIDE_MAX, err))
		return -1;
	if (rows < 2 || columns < 2)
		return error_set(err, ERROR_INPUT,
				 "%zu x %zu values are a line: a surface has 2 rows and 2 columns "
				 "at least",
				 rows, columns);
	means = malloc(m.rows * m.columns * sizeof(*means));
	if (!means)
		return error_set(err, ERROR_MEMORY, "out of memory");
	if (matrix_read(&m, values, means, err))
		return -1;
	if (range_is_empty(&m.range))
		return error_set(err, ERROR_INPUT, "values has no finite number");
	matrix_put_plain(&m, "surface", &plain);
	surface_svg(&svg, &m, means, buffer_text(&plain));
	display_put_buffer(&b, "image/svg+xml", &svg);
	display_put_buffer(&b, "text/plain", &plain);
	return display_send(&b, NULL, false, err);
}

void cgpu_surface(struct cgpu_data values, unsigned long rows, unsigned long columns)
{
	struct display_call call = display_begin("cgpu_surface");
	struct error err = ERROR_INIT;
	int rc = show(values, rows, columns, &err);

	display_end(&call, rc, &err);
}
