/* SPDX-License-Identifier: Apache-2.0 */
/* A list is searched from its end: parts of one array have the same code, which is kept once. */
#include "kernel/debugger/debug-references.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/error.h"

void debug_references_release(struct debug_references *r)
{
	free(r->at);
	mem_pool_release(&r->texts);
	r->at = NULL;
	r->n = r->cap = 0;
}

bool debug_references_renew(struct debug_references *r, uint64_t state)
{
	if (r->state == state)
		return false;
	/* Behind many million numbers they begin again. */
	r->base = r->base > DEBUG_REFERENCES_END - 2 * DEBUG_REFERENCES_MAX
			  ? 0
			  : r->base + (int32_t)r->n;
	debug_references_release(r);
	r->state = state;
	return true;
}

static bool is_same(const struct debug_reference *a, const struct debug_reference *b)
{
	return a->part.address == b->part.address && a->part.first == b->part.first &&
	       a->part.count == b->part.count && a->part.is_elsewhere == b->part.is_elsewhere &&
	       a->part.cell == b->part.cell && !strcmp(a->part.code, b->part.code) &&
	       !strcmp(a->part.name, b->part.name);
}

/* Copies a text, or takes the one that it is the same as. */
static const char *keep(struct debug_references *r, const char *text, const char *last)
{
	return last && !strcmp(text, last) ? last : mem_pool_strdup(&r->texts, text);
}

int32_t debug_references_add(struct debug_references *r, const struct debug_reference *what)
{
	const struct debug_reference *last = r->n ? &r->at[r->n - 1] : NULL;
	struct debug_reference made = *what;

	for (size_t i = r->n; i-- > 0;)
		if (is_same(&r->at[i], what))
			return r->base + (int32_t)i + 1;
	if (r->n == DEBUG_REFERENCES_MAX || r->texts.total + strlen(what->part.code) +
							    strlen(what->part.type) +
							    strlen(what->part.name) >
						    DEBUG_REFERENCES_BYTES)
		return 0;
	made.part.code = keep(r, what->part.code, last ? last->part.code : NULL);
	made.part.type = keep(r, what->part.type, last ? last->part.type : NULL);
	made.part.name = *what->part.name ? mem_pool_strdup(&r->texts, what->part.name) : "";
	made.part.text = "";
	made.part.bytes = NULL;
	made.part.len = 0;
	if (!made.part.name || !made.part.code || !made.part.type ||
	    !ARRAY_ROOM(r->at, r->n, &r->cap))
		return 0;
	r->at[r->n++] = made;
	return r->base + (int32_t)r->n;
}

const struct debug_reference *debug_references_find(const struct debug_references *r,
						    int64_t number, struct error *err)
{
	if (number > r->base && number - r->base <= (int64_t)r->n)
		return &r->at[number - r->base - 1];
	if (number > 0 && number <= r->base)
		error_set(
			err, ERROR_STATE,
			"the session has changed since this was listed: list the variables again");
	else
		error_set(err, ERROR_INPUT, "no variable was listed with the reference %" PRId64,
			  number);
	return NULL;
}
