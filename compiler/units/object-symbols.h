/* SPDX-License-Identifier: Apache-2.0 */
/* Changes names and binding of the symbols in a cell's object, for the loader. */
#ifndef CGPU_COMPILER_OBJECT_SYMBOLS_H
#define CGPU_COMPILER_OBJECT_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

/* Removes OWN_PREFIX (compiler/text/own-names.h) from the names of symbols and of debug
 * information. */
void object_symbols_strip(void *object, size_t len);

/*
 * Marks library functions that the object calls (UNIT_CALLS_LIBRARY): names without that prefix for
 * which is() says that a header has them. It must precede object_symbols_strip().
 */
void object_symbols_mark_library(void *object, size_t len,
				 bool (*is)(void *context, const char *name), void *context);

/* Makes weak functions ordinary ones, unless they are in a section group, as inline ones are. */
void object_symbols_make_strong(void *object, size_t len);

/* Marks the variable (UNIT_OWN_VARIABLE), also a thread-local one. */
void object_symbols_mark_variable(void *object, size_t len, const char *name);

#endif
