/* SPDX-License-Identifier: Apache-2.0 */
/* The encoded texts are kept, so that a process can be started at any time without asking the
 * session. */
#include "kernel/workers/told-declarations.h"

#include <stdint.h>
#include <stdlib.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/code/unit.h"

static void drop(struct told_declarations *t, size_t from)
{
	for (size_t i = from; i < t->n; i++)
		buffer_release(&t->at[i]);
	if (from < t->n)
		t->n = from;
}

void told_declarations_release(struct told_declarations *t)
{
	drop(t, 0);
	free(t->at);
	*t = (struct told_declarations){ .n = 0 };
}

/* Makes room for `total`; new entries are empty. */
static int resize(struct told_declarations *t, size_t total, struct error *err)
{
	struct buffer *grown;

	drop(t, total);
	if (total > t->cap) {
		grown = realloc(t->at, 2 * total * sizeof(*grown));
		if (!grown)
			return error_set(err, ERROR_MEMORY,
					 "out of memory for the session's declarations");
		t->at = grown;
		t->cap = 2 * total;
	}
	while (t->n < total)
		buffer_init(&t->at[t->n++]);
	return 0;
}

int told_declarations_change(struct told_declarations *t, size_t total,
			     const struct declaration_change *changes, size_t n,
			     struct buffer *message, struct error *err)
{
	if (resize(t, total, err))
		return -1;
	record_put_u32(message, (uint32_t)total);
	record_put_u32(message, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		struct buffer *one = &t->at[changes[i].index];

		buffer_clear(one);
		declaration_encode(&changes[i].d, one);
		record_put_u32(message, changes[i].index);
		buffer_append(message, one->data, one->len);
	}
	return 0;
}

void told_declarations_put(const struct told_declarations *t, struct buffer *message)
{
	record_put_u32(message, (uint32_t)t->n);
	record_put_u32(message, (uint32_t)t->n);
	for (size_t i = 0; i < t->n; i++) {
		record_put_u32(message, (uint32_t)i);
		buffer_append(message, t->at[i].data, t->at[i].len);
	}
}
