/* SPDX-License-Identifier: Apache-2.0 */
/* What an expression means at a line of a cell, as a program that a debugger runs
 * (common/code/expression.h). */
#ifndef CGPU_COMPILER_EVALUATION_H
#define CGPU_COMPILER_EVALUATION_H

#include <stdint.h>

#include "common/base/buffer.h"

struct compiler;
struct error;

struct evaluation {
	struct buffer program; /* a record */
	struct buffer refusal; /* why there is no program; empty: there is */
};

/* Translates an expression as it would be read in front of the statement of this line (from 1).
 * Release ret, also on error. */
int evaluation_init(struct evaluation *ret, struct compiler *c, const char *text, uint32_t line,
		    const char *expression, struct error *err);
void evaluation_release(struct evaluation *e);

#endif
