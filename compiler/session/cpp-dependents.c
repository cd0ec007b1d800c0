/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A piece may use several definitions of the cell, and other moved pieces: it is placed behind the
 * last of them. So places are assigned until none is added.
 */
#include "compiler/session/cpp-dependents.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "common/code/unit.h"
#include "compiler/session/cpp-pieces.h"
#include "compiler/session/session.h"

int cpp_dependents_init(struct cpp_dependents *l, const struct compiler_session *session,
			struct mem_pool *pool)
{
	*l = (struct cpp_dependents){ .pool = pool };
	l->places = mem_pool_array(pool, session_count(session) + 1, sizeof(*l->places));
	l->fits = mem_pool_array(pool, session_count(session) + 1, sizeof(*l->fits));
	l->n_entries = session_count(session);
	return l->places && l->fits ? 0 : -1;
}

void cpp_dependents_release(struct cpp_dependents *l)
{
	free(l->definitions);
	l->definitions = NULL;
	l->n = l->cap = 0;
}

void cpp_dependents_begin(struct cpp_dependents *l)
{
	l->n = 0;
	memset(l->fits, 0, l->n_entries * sizeof(*l->fits));
}

void cpp_dependents_add(struct cpp_dependents *l, const struct clang_definition *d)
{
	struct clang_definition copy = *d;

	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 16;
		struct clang_definition *grown = realloc(l->definitions, cap * sizeof(*grown));

		if (!grown)
			return;
		l->definitions = grown;
		l->cap = cap;
	}
	copy.key = mem_pool_strdup(l->pool, d->key);
	copy.name = mem_pool_strdup(l->pool, d->name);
	if (copy.key && copy.name)
		l->definitions[l->n++] = copy;
}

/* Returns the layout of a piece; 0: it is not known. */
static uint64_t layout_of(const struct declaration *d)
{
	const char *line = strrchr(d->host, '\n');
	uint64_t layout = 0;

	return line && sscanf(line, "\n" CLANG_LAYOUT_READ, &layout) == 1 ? layout : 0;
}

/* Tells whether a redefinition has the old layout, so that code compiled with either definition is
 * compatible. */
static bool goes_on(const struct clang_definition *now, const struct compiler_session *session)
{
	for (uint32_t e = session_count(session); now->layout && *now->name && e-- > 0;) {
		const struct declaration *d = session_at(session, e);

		if (d->kind == DECLARATION_CPP && *d->host && !strcmp(d->name, now->key))
			return layout_of(d) == now->layout;
	}
	return false;
}

/* Returns the place behind all that the text uses of the cell; 0: it uses nothing that is
 * redefined. */
static uint32_t place_for(const struct cpp_dependents *l, const struct compiler_session *session,
			  const uint8_t *dropped, const char *text)
{
	uint32_t place = 0;

	for (size_t i = 0; i < l->n; i++)
		if (l->definitions[i].end > (long)place &&
		    cpp_pieces_mentions(text, l->definitions[i].name) &&
		    goes_on(&l->definitions[i], session))
			place = (uint32_t)l->definitions[i].end;
	for (uint32_t e = 0; e < session_count(session); e++) {
		const char *name = session_at(session, e)->device;

		if (dropped[e] == CPP_BEHIND && l->places[e] > place && *name &&
		    cpp_pieces_mentions(text, name))
			place = l->places[e];
	}
	return place;
}

void cpp_dependents_move(struct cpp_dependents *l, const struct compiler_session *session,
			 uint8_t *dropped)
{
	bool grows = l->n != 0;

	while (grows) {
		grows = false;
		for (uint32_t e = 0; e < session_count(session); e++) {
			const struct declaration *d = session_at(session, e);

			if (dropped[e] != CPP_REFUSED || l->places[e] ||
			    d->kind != DECLARATION_CPP || !layout_of(d))
				continue;
			l->places[e] = place_for(l, session, dropped, d->host);
			if (l->places[e])
				dropped[e] = CPP_BEHIND;
			grows |= l->places[e] != 0;
		}
	}
}

void cpp_dependents_look_at(struct cpp_dependents *l, const struct compiler_session *session,
			    uint32_t entry, uint64_t layout)
{
	if (entry < l->n_entries && layout && layout == layout_of(session_at(session, entry)))
		l->fits[entry] = true;
}

bool cpp_dependents_refuse(struct cpp_dependents *l, uint8_t *dropped)
{
	bool found = false;

	for (uint32_t e = 0; e < l->n_entries; e++)
		if (dropped[e] == CPP_BEHIND && !l->fits[e]) {
			dropped[e] = CPP_REFUSED;
			found = true;
		}
	return found;
}

const char *cpp_dependents_changed(const struct cpp_dependents *l,
				   const struct compiler_session *session, const char *text)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct clang_definition *now = &l->definitions[i];

		if (*now->name && cpp_pieces_mentions(text, now->name) && !goes_on(now, session))
			return now->name;
	}
	return NULL;
}

uint32_t cpp_dependents_next(const struct cpp_dependents *l, const struct compiler_session *session,
			     const uint8_t *dropped, uint32_t from)
{
	uint32_t next = UINT32_MAX;

	for (uint32_t e = 0; e < session_count(session); e++)
		if (dropped[e] == CPP_BEHIND && l->places[e] > from && l->places[e] < next)
			next = l->places[e];
	return next;
}

int cpp_dependents_finish(const struct cpp_dependents *l, const struct compiler_session *session,
			  const uint8_t *dropped, struct unit *u, struct error *err)
{
	uint32_t count = session_count(session), place = 0;

	u->behind = mem_pool_array(l->pool, count + 1, sizeof(*u->behind));
	if (!u->behind)
		return error_set(err, ERROR_MEMORY,
				 "out of memory for the declarations of a C++ cell");
	while ((place = cpp_dependents_next(l, session, dropped, place)) != UINT32_MAX)
		for (uint32_t e = 0; e < count; e++)
			if (dropped[e] == CPP_BEHIND && l->places[e] == place)
				u->behind[u->n_behind++] = session_at(session, e)->name;
	return 0;
}
