/* SPDX-License-Identifier: Apache-2.0 */
/* An array, in which a subshell that is deleted leaves no gap; so the turn goes along it. */
#include "kernel/session/subshells.h"

#include <string.h>

#include <uuid/uuid.h>

#include "common/base/error.h"
#include "kernel/protocol/wire.h"
#include "kernel/session/cell.h"

struct subshell *subshells_create(struct subshells *all, struct error *err)
{
	struct subshell *s;
	uuid_t id;

	if (all->n == SUBSHELLS_MAX) {
		error_set(err, ERROR_LIMIT,
			  "there are %d subshells, which is the limit: delete one that is not "
			  "needed any more (delete_subshell_request; list_subshell_request says "
			  "which there are)",
			  SUBSHELLS_MAX);
		return NULL;
	}
	s = &all->list[++all->n];
	memset(s, 0, sizeof(*s));
	uuid_generate_random(id);
	uuid_unparse_lower(id, s->id);
	return s;
}

void subshells_delete(struct subshells *all, struct subshell *s)
{
	size_t at = s - all->list;

	memmove(s, s + 1, (all->n - at) * sizeof(*s));
	all->n--;
	if (all->served >= at)
		all->served--;
}

struct subshell *subshells_find(struct subshells *all, const json_t *id, struct error *err)
{
	const char *text = json_string_value(id);

	for (size_t i = 1; text && i <= all->n; i++)
		if (!strcmp(all->list[i].id, text))
			return &all->list[i];
	error_set(err, ERROR_NOT_FOUND,
		  "there is no subshell with this subshell_id, it may have been deleted: "
		  "list_subshell_request says which there are, create_subshell_request makes one, "
		  "and a request without subshell_id is for the parent");
	return NULL;
}

static const json_t *header_id(const struct message *m)
{
	return json_object_get(m->header, "subshell_id");
}

const char *subshells_id_of(const struct message *m)
{
	return json_string_value(header_id(m));
}

struct subshell *subshells_of(struct subshells *all, const struct message *m, struct error *err)
{
	const json_t *id = header_id(m);

	return !id || json_is_null(id) ? &all->list[0] : subshells_find(all, id, err);
}

json_t *subshells_ids(const struct subshells *all)
{
	json_t *ids = json_array();

	for (size_t i = 1; i <= all->n; i++)
		json_array_append_new(ids, json_string(all->list[i].id));
	return ids;
}

void subshells_add(struct subshell *s, struct cell *c)
{
	if (s->last)
		s->last->next = c;
	else
		s->first = c;
	s->last = c;
}

struct cell *subshells_take(struct subshell *s)
{
	struct cell *c = s->first;

	if (!c)
		return NULL;
	s->first = c->next;
	if (!s->first)
		s->last = NULL;
	c->next = NULL;
	return c;
}

struct cell *subshells_take_next(struct subshells *all)
{
	for (size_t i = 1; i <= all->n + 1; i++) {
		size_t at = (all->served + i) % (all->n + 1);
		struct cell *c = subshells_take(&all->list[at]);

		if (c) {
			all->served = at;
			return c;
		}
	}
	return NULL;
}
