/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the extern "C" functions and variables of a C++ text that only nvcc has parsed, and
 * declares them for later C cells. Those with types that C or the session does not know are left
 * out: a cell may declare them itself.
 */
#ifndef CGPU_COMPILER_C_LINKAGE_H
#define CGPU_COMPILER_C_LINKAGE_H

#include "common/code/unit.h"
#include "compiler/text/token.h"

struct error;
struct mem_pool;
struct compiler_session;

/* Sets the declarations and symbols of the unit, in the pool. -1: ERROR_MEMORY. */
int c_linkage_find(const struct token_list *l, const struct compiler_session *session,
		   struct mem_pool *pool, struct unit *u, struct error *err);

#endif
