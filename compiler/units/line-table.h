/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps machine instructions to lines of the cell, from the DWARF 4 line program of a unit's object,
 * as far as clang writes it for one compilation unit, and the functions in its symbol table.
 */
#ifndef CGPU_COMPILER_LINE_TABLE_H
#define CGPU_COMPILER_LINE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "common/code/unit.h"

struct mem_pool;
struct error;

/*
 * Reads rows for all functions of the object, by function and offset; lines of files other than
 * `cell_name` are 0. The rows and names are in the pool. An object without debug information has no
 * rows; a malformed one is ERROR_INPUT.
 */
int line_table_read(const void *object, size_t len, const char *cell_name, struct mem_pool *pool,
		    struct unit_line **ret, size_t *ret_n, struct error *err);

#endif
