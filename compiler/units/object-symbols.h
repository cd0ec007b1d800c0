/* SPDX-License-Identifier: Apache-2.0 */
/* What the symbols of a cell's object are called, and how they bind, for the loader. */
#ifndef CGPU_COMPILER_OBJECT_SYMBOLS_H
#define CGPU_COMPILER_OBJECT_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

/* Take OWN_PREFIX (compiler/text/own-names.h) out of the names of symbols and of debug information.
 */
void object_symbols_strip(void *object, size_t len);

/*
 * Mark what the object calls of a library, UNIT_CALLS_LIBRARY: a name without that prefix, which
 * is() says to be one of a header. In front of object_symbols_strip().
 */
void object_symbols_mark_library(void *object, size_t len,
				 bool (*is)(void *context, const char *name), void *context);

/* Functions that are weak and not in a group of sections, as an inline one is, become ordinary
 * ones. */
void object_symbols_make_strong(void *object, size_t len);

/* Mark the variable (UNIT_OWN_VARIABLE), also as a thread-local one. */
void object_symbols_mark_variable(void *object, size_t len, const char *name);

#endif
