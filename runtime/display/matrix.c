/* SPDX-License-Identifier: Apache-2.0 */
/* The array is read once, in its order; each value is added to the block that it lies in. */
#include "runtime/display/matrix.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "runtime/display/numbers.h"
#include "runtime/display/plain-text.h"

static size_t whole_blocks(size_t side, size_t length)
{
	return (side + length - 1) / length;
}

int matrix_shape(struct matrix *m, size_t rows, size_t columns, size_t side_max, struct error *err)
{
	if (!rows || !columns)
		return error_set(err, ERROR_INPUT,
				 "there is nothing to show: %zu rows, %zu columns", rows, columns);
	*m = (struct matrix){ .given_rows = rows,
			      .given_columns = columns,
			      .high = whole_blocks(rows, side_max),
			      .wide = whole_blocks(columns, side_max),
			      .range = RANGE_NONE };
	m->rows = whole_blocks(rows, m->high);
	m->columns = whole_blocks(columns, m->wide);
	return 0;
}

static bool is_reduced(const struct matrix *m)
{
	return m->high > 1 || m->wide > 1;
}

/* finite: how many values each mean is of. */
static int add_up(struct matrix *m, struct numbers *a, double *means, size_t *finite,
		  struct error *err)
{
	for (size_t row = 0; row < m->given_rows; row++) {
		for (size_t column = 0; column < m->given_columns; column++) {
			size_t to = row / m->high * m->columns + column / m->wide;
			double v;

			if (numbers_next(a, &v, err))
				return -1;
			if (!range_widen(&m->range, v)) {
				m->unreal++;
				continue;
			}
			means[to] += v;
			finite[to]++;
		}
	}
	return 0;
}

int matrix_read(struct matrix *m, struct cgpu_data values, double *means, struct error *err)
{
	cleanup_numbers struct numbers a = { 0 };
	size_t given, n = m->rows * m->columns;
	cleanup_free size_t *finite = calloc(n, sizeof(*finite));

	if (!finite)
		return error_set(err, ERROR_MEMORY, "out of memory");
	if (__builtin_mul_overflow(m->given_rows, m->given_columns, &given))
		given = SIZE_MAX;
	if (numbers_open(&a, "values", values, given, false, err))
		return -1;
	memset(means, 0, n * sizeof(*means));
	if (add_up(m, &a, means, finite, err))
		return -1;
	for (size_t i = 0; i < n; i++)
		means[i] = finite[i] ? means[i] / (double)finite[i] : NAN;
	m->narrow = numbers_are_narrow(&a) && !is_reduced(m);
	return 0;
}

void matrix_put_plain(const struct matrix *m, const char *kind, struct buffer *out)
{
	buffer_printf(out, "%s: ", kind);
	plain_text_counted(out, m->given_rows, "row");
	buffer_puts(out, ", ");
	plain_text_counted(out, m->given_columns, "column");
	plain_text_range(out, "", &m->range);
	plain_text_unreal(out, m->unreal);
	if (is_reduced(m))
		buffer_printf(out, "; drawn are means, %zu x %zu", m->rows, m->columns);
}
