/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a cell that its device code has, from the `.loc` directives of PTX. */
#ifndef CGPU_COMPILER_DEVICE_LINES_H
#define CGPU_COMPILER_DEVICE_LINES_H

#include <stddef.h>

struct error;
struct mem_pool;
struct unit;

/*
 * Adds a row of UNIT_LINE_OF_DEVICE for each line of the cell that the unit's PTX has code of. The
 * rows are in the pool. ERROR_MEMORY.
 */
int device_lines_add(struct unit *u, struct mem_pool *pool, struct error *err);

#endif
