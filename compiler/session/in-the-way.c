/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A declaration is found by the byte of the unit that an error is at, or as the macro that the
 * diagnostic names. Only the note behind an error of a clash counts, too; if error and note both
 * point into the session, the declaration of the earlier cell is the one that is left out, since
 * the later one is what the name means. Each try has to leave out one that was not hidden before,
 * at most 32 in all, so that tries end; afterwards all of them are put back. The #undef of a macro
 * goes in front of the unit's declarations if one of these has the macro's name as a word.
 */
#include "compiler/session/in-the-way.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "common/code/unit.h"
#include "compiler/clang/job/clang-shim.h"
#include "compiler/session/session-entry.h"
#include "compiler/session/session.h"
#include "compiler/text/token.h"

/* Finds the macro of an earlier cell with this name that the cell sees. */
static uint32_t macro_called(const struct compiler_session *s, const char *name)
{
	for (uint32_t i = session_count(s); i-- > 0;) {
		const struct declaration *d = session_at(s, i);

		if (d->kind == DECLARATION_MACRO && !session_is_hidden(s, i) &&
		    !strcmp(d->name, name))
			return i;
	}
	return TOKEN_NONE;
}

static uint32_t entry_of(const struct compiler_session *s, const struct clang_diagnostic *d)
{
	uint32_t entry = d->offset < 0 ? TOKEN_NONE : session_written_at(s, (size_t)d->offset);

	return entry == TOKEN_NONE && d->macro ? macro_called(s, d->macro) : entry;
}

static void add(struct in_the_way *w, uint32_t entry)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->entries[i] == entry)
			return;
	if (w->n < IN_THE_WAY_MAX)
		w->entries[w->n++] = entry;
}

/* Adds the earlier of two declarations of the session, since the name means the later one. */
static void add_previous(struct in_the_way *w, const struct compiler_session *s, uint32_t entry)
{
	bool found = w->n > w->last;

	if (found && session_at(s, entry)->cell >= session_at(s, w->entries[w->n - 1])->cell)
		return;
	if (found)
		w->n--;
	add(w, entry);
}

void in_the_way_look_at(struct in_the_way *w, const struct compiler_session *session,
			const struct clang_diagnostic *d)
{
	bool is_error = d->severity == CLANG_ERROR;
	uint32_t entry;

	if (!session || (!is_error && (d->kind != CLANG_PREVIOUS || !w->last_clashed)))
		return;
	entry = entry_of(session, d);
	if (is_error) {
		w->last = w->n;
		w->last_clashed = d->kind == CLANG_CLASH;
	}
	if (entry != TOKEN_NONE && is_error)
		add(w, entry);
	else if (entry != TOKEN_NONE)
		add_previous(w, session, entry);
}

bool in_the_way_leave_out(struct in_the_way *w, const struct in_the_way *found,
			  struct compiler_session *session)
{
	uint32_t before = w->n;

	for (uint32_t i = 0; i < found->n && w->n < IN_THE_WAY_MAX; i++)
		if (!session_is_hidden(session, found->entries[i])) {
			session_leave_out(session, found->entries[i], true);
			add(w, found->entries[i]);
		}
	return w->n > before;
}

static bool has_word(const char *text, const char *word, struct mem_pool *pool)
{
	struct token_list l;

	return strstr(text, word) && !token_list_init(&l, text, strlen(text), pool, NULL) &&
	       token_list_has(&l, word);
}

static bool declares(const struct unit *u, const char *name, struct mem_pool *pool)
{
	for (size_t i = 0; i < u->n_declarations; i++)
		if (has_word(u->declarations[i].host, name, pool) ||
		    has_word(u->declarations[i].device, name, pool))
			return true;
	return false;
}

int in_the_way_undefine(const struct compiler_session *session, struct unit *u,
			struct mem_pool *pool, struct error *err)
{
	for (uint32_t i = 0; i < session_count(session); i++) {
		const struct declaration *d = session_at(session, i);
		size_t size;
		char *text;

		if (!session->entries[i].left_out || d->kind != DECLARATION_MACRO ||
		    !declares(u, d->name, pool))
			continue;
		size = strlen(d->name) + sizeof("#undef ");
		text = mem_pool_array(pool, size, 1);
		if (!text)
			return error_set(err, ERROR_MEMORY,
					 "out of memory for the declarations of a cell");
		if (unit_make_room(u, 1, pool, err))
			return -1;
		snprintf(text, size, "#undef %s", d->name);
		memmove(u->declarations + 1, u->declarations,
			u->n_declarations++ * sizeof(*u->declarations));
		u->declarations[0] = (struct declaration){ .kind = DECLARATION_MACRO,
							   .cell = u->cell,
							   .line = 1,
							   .name = d->name,
							   .host = text,
							   .device = text };
	}
	return 0;
}

void in_the_way_put_back(struct in_the_way *w, struct compiler_session *session)
{
	while (w->n)
		session_leave_out(session, w->entries[--w->n], false);
}
