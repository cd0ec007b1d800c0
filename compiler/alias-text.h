/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `using real = float;` is a type of host and device alike: at the level of a cell it is written as the typedef that it means.
 * One of a type that C does not have stays device code.
 */
#ifndef CGPU_COMPILER_ALIAS_TEXT_H
#define CGPU_COMPILER_ALIAS_TEXT_H

struct error;
struct mem_pool;

/* The cell with its aliases rewritten, in the pool; lines keep their numbers. The text itself when there is none. NULL:
 * ERROR_MEMORY. */
const char *alias_text_rewrite(const char *text, struct mem_pool *pool, struct error *err);

#endif
