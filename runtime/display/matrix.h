/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A matrix of a cell as it is drawn: of a large one the means of blocks, which are all of the same
 * size but for the last of a row or column.
 */
#ifndef CGPU_RUNTIME_DISPLAY_MATRIX_H
#define CGPU_RUNTIME_DISPLAY_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

#include "common/cell-display.h"
#include "runtime/display/range.h"

struct buffer;
struct error;

struct matrix {
	size_t given_rows, given_columns;
	size_t rows, columns; /* that are drawn */
	size_t high, wide;    /* a block, in rows and columns of what was given */
	size_t unreal;        /* values without a finite value */
	bool narrow;          /* what is drawn are floats */
	struct range range;   /* of all that was given */
};

/* How a matrix is drawn with so many blocks at most in a row or column. Fails where there is none.
 */
int matrix_shape(struct matrix *m, size_t rows, size_t columns, size_t side_max, struct error *err);
/* means: m->rows * m->columns, row by row; NAN where a block has no finite value. */
int matrix_read(struct matrix *m, struct cgpu_data values, double *means, struct error *err);
/* "heat map: 2 rows, 3 columns, 1 to 6", with what is not drawn. */
void matrix_put_plain(const struct matrix *m, const char *kind, struct buffer *out);

#endif
