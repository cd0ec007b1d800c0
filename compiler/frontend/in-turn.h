/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a definition of a cell takes effect. A constant initial value is part of the object, there before anything runs. But
 * the statements of a cell and its definitions form one sequence: what stands behind code takes effect when its turn comes. A
 * variable that the session has keeps its value until then.
 */
#ifndef CGPU_COMPILER_IN_TURN_H
#define CGPU_COMPILER_IN_TURN_H

#include <stdbool.h>
#include <stdint.h>

struct declaration_parts;
struct declarator;
struct host_text;
struct session;

/* Second definitions of one name with code in between, `int v = 1; f(); int v = 2;`, are forced to run. */
void in_turn_find_repeated(struct host_text *h, const struct session *session);
/* Note where the cell's code begins, for the two below. */
void in_turn_find_code(struct host_text *h, const struct session *session);
/* Its constant value, or that it is all zero, waits for its turn. */
bool in_turn_waits(const struct host_text *h, const struct session *session, const struct declaration_parts *p,
		   const struct declarator *d);
/* Does the variable of this name, if the session has it, keep its value when the unit is loaded? */
bool in_turn_keeps(const struct host_text *h, const struct session *session, const char *name);

#endif
