/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes and the unit that points into them live in one object, so that nobody can have one
 * without the other. */
#include "kernel/units/compiled-unit.h"

#include <stdlib.h>

#include "common/base/error.h"

struct compiled_unit *compiled_unit_new(const void *encoded, size_t len, struct error *err)
{
	struct compiled_unit *u = calloc(1, sizeof(*u));

	if (!u) {
		error_set(err, ERROR_MEMORY, "out of memory for a compiled cell");
		return NULL;
	}
	u->users = 1;
	buffer_append(&u->encoded, encoded, len);
	if (buffer_check(&u->encoded, err) ||
	    unit_decode(u->encoded.data, u->encoded.len, &u->unit, err)) {
		compiled_unit_release(u);
		return NULL;
	}
	return u;
}

struct compiled_unit *compiled_unit_of(const struct unit *u, struct error *err)
{
	cleanup_buffer struct buffer encoded = BUFFER_INIT;

	unit_encode(u, &encoded);
	return buffer_check(&encoded, err) ? NULL
					   : compiled_unit_new(encoded.data, encoded.len, err);
}

struct compiled_unit *compiled_unit_keep(struct compiled_unit *u)
{
	u->users++;
	return u;
}

void compiled_unit_release(struct compiled_unit *u)
{
	if (!u || --u->users)
		return;
	unit_release(&u->unit);
	buffer_release(&u->encoded);
	free(u);
}
