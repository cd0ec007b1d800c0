/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which line of the cell a machine instruction comes from: the DWARF 4 line program of a unit's
 * object, read as far as clang writes it for one compilation unit, and the functions that its
 * symbol table names.
 */
#ifndef CGPU_COMPILER_LINE_TABLE_H
#define CGPU_COMPILER_LINE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "common/code/unit.h"

struct mem_pool;
struct error;

/*
 * Rows for all functions of the object, by function and offset; lines of other files than
 * `cell_name` are 0. The rows and names lie in the pool. An object without debug information gives
 * no rows; a malformed one ERROR_INPUT.
 */
int line_table_read(const void *object, size_t len, const char *cell_name, struct mem_pool *pool,
		    struct unit_line **ret, size_t *ret_n, struct error *err);

#endif
