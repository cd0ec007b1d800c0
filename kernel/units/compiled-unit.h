/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A unit as the compiler has sent it: its bytes, which the worker gets, and what they mean. It is
 * decoded once, and shared by the cell and by its run, so users are counted.
 */
#ifndef CGPU_KERNEL_UNITS_COMPILED_UNIT_H
#define CGPU_KERNEL_UNITS_COMPILED_UNIT_H

#include <stddef.h>

#include "common/base/buffer.h"
#include "common/code/unit.h"

struct error;

struct compiled_unit {
	unsigned users;
	struct buffer encoded;
	struct unit unit; /* points into encoded */
};

/* Copies and decodes what unit_encode() has made. The caller is its user. NULL: ERROR_MEMORY, or
 * ERROR_PROTOCOL for bytes that are no unit. */
struct compiled_unit *compiled_unit_new(const void *encoded, size_t len, struct error *err);
/* Makes the encoded form of a unit that was not compiled. NULL: ERROR_MEMORY. */
struct compiled_unit *compiled_unit_of(const struct unit *u, struct error *err);
/* Adds a user, and returns the unit. */
struct compiled_unit *compiled_unit_keep(struct compiled_unit *u);
/* Removes a user; the last one frees it. NULL is allowed. */
void compiled_unit_release(struct compiled_unit *u);

#endif
