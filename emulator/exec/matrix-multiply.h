/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of matrix instructions. */
#ifndef CGPU_EMULATOR_MATRIX_MULTIPLY_H
#define CGPU_EMULATOR_MATRIX_MULTIPLY_H

#include <stdint.h>

#include "emulator/ptx/matrix.h"

/* D of the operands in these stage rows. */
void matrix_multiply(const struct matrix_op *x, uint64_t (*stage)[32]);

#endif
