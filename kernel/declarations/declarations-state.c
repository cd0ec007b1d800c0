/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations in a snapshot on disk: the ids of cells, and each slot with its owners as numbers of
 * these ids. */
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "kernel/declarations/declaration-list.h"
#include "kernel/declarations/declarations.h"

void declarations_encode(const struct declarations *d, struct buffer *out)
{
	record_put_u32(out, d->ids.n);
	for (uint32_t i = 0; i < d->ids.n; i++)
		record_put_str(out, d->ids.texts[i]);
	record_put_u32(out, (uint32_t)d->list.n);
	for (size_t i = 0; i < d->list.n; i++) {
		const struct declaration_entry *e = d->list.items[i];

		declaration_encode(&e->d, out);
		record_put_u32(out, e->n_owners);
		for (uint32_t k = 0; k < e->n_owners; k++)
			record_put_u32(out, e->owners[k]);
	}
}

/* Maps owner numbers of the snapshot to those of this session; 0 stays 0. */
static uint32_t *decode_ids(struct declarations *d, struct record *r, uint32_t *ret_n,
			    struct error *err)
{
	uint32_t n = record_count(r, 5), *owners = calloc(n + 1, sizeof(*owners));

	for (uint32_t i = 0; owners && i < n; i++) {
		const char *id = record_str(r);
		uint32_t number = names_add(&d->ids, id, strlen(id));

		if (number == NAME_NONE) {
			free(owners);
			owners = NULL;
		} else {
			owners[i + 1] = number + 1;
		}
	}
	*ret_n = n;
	if (!owners)
		error_set(err, ERROR_MEMORY, "out of memory for declarations");
	return owners;
}

static int put(struct declarations *d, size_t slot, struct declaration_entry *e, struct error *err)
{
	return slot < d->list.n ? declaration_list_set(&d->list, slot, e, err)
				: declaration_list_append(&d->list, e, err);
}

static int decode_slot(struct declarations *d, struct record *r, size_t slot, const uint32_t *ids,
		       uint32_t n_ids, struct error *err)
{
	struct declaration one = declaration_decode(r);
	uint32_t n = record_count(r, 4);
	cleanup_free uint32_t *owners = calloc(n + 1, sizeof(*owners));

	if (!owners)
		return error_set(err, ERROR_MEMORY, "out of memory for declarations");
	for (uint32_t k = 0; k < n; k++) {
		uint32_t owner = record_u32(r);

		if (owner > n_ids)
			r->failed = true;
		else
			owners[k] = ids[owner];
	}
	if (r->failed || (unsigned)one.kind >= DECLARATION_KINDS)
		return error_set(err, ERROR_INPUT,
				 "the declarations of the snapshot are malformed");
	return put(d, slot, declaration_entry_new(&one, "", owners, n), err);
}

static int empty_from(struct declarations *d, size_t slot, struct error *err)
{
	const struct declaration nothing = {
		.kind = DECLARATION_DROPPED, .name = "", .host = "", .device = ""
	};

	for (size_t i = slot; i < d->list.n; i++)
		if (declaration_list_set(&d->list, i, declaration_entry_new(&nothing, "", NULL, 0),
					 err))
			return -1;
	d->list.renumbered = true;
	return 0;
}

int declarations_empty(struct declarations *d, struct error *err)
{
	return empty_from(d, 0, err);
}

int declarations_decode(struct declarations *d, struct record *r, struct error *err)
{
	uint32_t n_ids, n;
	cleanup_free uint32_t *ids = decode_ids(d, r, &n_ids, err);

	if (!ids)
		return -1;
	n = record_count(r, 4);
	for (uint32_t i = 0; i < n; i++)
		if (decode_slot(d, r, i, ids, n_ids, err))
			return -1;
	return empty_from(d, n, err);
}
