/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The prefix is a hash of the header's origin, so that code from another installation, other
 * options, or another version of the library is never confused with it.
 */
#include "compiler/units/instances.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "common/code/unit.h"
#include "compiler/session/session.h"
#include "compiler/units/unit-cache.h"

void instances_release(struct instances *i)
{
	buffer_release(&i->given);
	buffer_release(&i->made);
}

void instances_find(struct instances *i, const struct compiler_session *session,
		    const struct buffer *made_by)
{
	struct unit_cache_key key;

	unit_cache_key_make(&key, (const char *[]){ buffer_text(made_by) },
			    (size_t[]){ made_by->len }, 1);
	snprintf(i->prefix, sizeof(i->prefix), UNIT_INSTANCE "%s_", key.text);
	for (uint32_t e = 0; e < session_count(session); e++) {
		const struct declaration *d = session_at(session, e);

		if (d->kind == DECLARATION_INSTANCES &&
		    !strncmp(d->name, i->prefix, strlen(i->prefix)))
			buffer_puts(&i->given, d->device);
	}
	/* An incomplete list is useless, so it is dropped: then the unit compiles the code
	 * again. */
	if (buffer_check(&i->given, NULL))
		buffer_clear(&i->given);
}

void instances_begin(struct instances *i)
{
	buffer_clear(&i->made);
}

void instances_add(struct instances *i, const char *symbol)
{
	buffer_printf(&i->made, "%s\n", symbol);
}

int instances_declare(const struct instances *i, struct unit *u, struct mem_pool *pool,
		      struct error *err)
{
	char name[sizeof(i->prefix) + 16];

	if (!i->made.len)
		return 0;
	if (buffer_check(&i->made, err) || unit_make_room(u, 1, pool, err))
		return -1;
	snprintf(name, sizeof(name), "%s%u", i->prefix, u->cell);
	u->declarations[u->n_declarations] = (struct declaration){
		.kind = DECLARATION_INSTANCES,
		.cell = u->cell,
		.line = 1,
		.name = mem_pool_strdup(pool, name),
		.host = "",
		.device = buffer_text(&i->made),
	};
	if (!u->declarations[u->n_declarations++].name)
		return error_set(err, ERROR_MEMORY, "out of memory for a C++ cell");
	return 0;
}
