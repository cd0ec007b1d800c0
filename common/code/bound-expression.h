/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An expression (expression.h) with the places of its variables at one instruction, which are the
 * same whenever a thread comes there if the code is not optimised: it can be run by whoever knows
 * the frame pointer. A record: u64 address of the instruction, [u8 enum bound_place, u64 value] of
 * locals, the same of variables of the session, bytes expression.
 */
#ifndef CGPU_COMMON_CODE_BOUND_EXPRESSION_H
#define CGPU_COMMON_CODE_BOUND_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/code/expression.h"

struct buffer;
struct error;

enum bound_place {
	BOUND_NOWHERE,
	BOUND_IN_FRAME, /* value: what is added to the frame pointer */
	BOUND_FIXED,    /* value: the address */
};

struct bound_name {
	enum bound_place place;
	uint64_t value;
};

struct bound_names {
	uint64_t address; /* of the instruction */
	struct bound_name locals[EXPRESSION_NAMES_MAX], variables[EXPRESSION_NAMES_MAX];
};

/* Appends the record for a program that was opened from these bytes. False, and nothing is
 * appended: one of its names is nowhere. */
bool bound_expression_put(const struct bound_names *names, const struct expression *e,
			  const void *program, size_t len, struct buffer *out);
/* Runs it in a call that is at this address and has this frame pointer, and tells whether the value
 * is not zero. read: as in struct expression_host. ERROR_STATE: it was bound to another
 * instruction. Safe in signal handlers. */
int bound_expression_is_true(const void *bytes, size_t len, uint64_t address, uint64_t frame,
			     bool (*read)(void *data, uint64_t address, void *ret, size_t len),
			     bool *ret, struct error *err);

#endif
