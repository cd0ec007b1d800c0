/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Namespaces of a cell, which C does not have: what `namespace geo { __global__ void scale(...); }` declares is called
 * geo__N__scale for both compilers, and geo::scale, or scale where it is visible, means that name. So functions, entries, types
 * and variables of a namespace are items of the cell like all others: C code sees what it can see, and each one is replaced by
 * itself when it is defined anew. Where names are shown they are written as the user has them (common/namespace-infix.h).
 *
 * Namespaces that a cell has not opened itself, such as cuda::std or cooperative_groups, are device code's alone and stay.
 * extern "C" blocks are taken apart, too: all that a cell declares has the linkage of C.
 */
#ifndef CGPU_COMPILER_NAMESPACE_TEXT_H
#define CGPU_COMPILER_NAMESPACE_TEXT_H

struct error;
struct mem_pool;
struct session;

/* The cell with its namespaces taken apart, in the pool; lines keep their numbers. The text itself when there are none. NULL:
 * ERROR_MEMORY. */
const char *namespace_text_rewrite(const char *text, const struct session *session, struct mem_pool *pool, struct error *err);

#endif
