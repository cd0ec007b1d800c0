/* SPDX-License-Identifier: Apache-2.0 */
/* Changed variables are found by comparing hashes of all variables before and after, which is the
 * only complete method. */
#include "kernel/session/undo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "kernel/declarations/declarations.h"
#include "kernel/declarations/setup.h"
#include "kernel/disk/session-undo.h"
#include "kernel/session/cell.h"
#include "kernel/session/session-state.h"
#include "kernel/session/session.h"
#include "kernel/settings/size-text.h"
#include "kernel/show/variable-name.h"

#define NAMES_SHOWN 24

static void step_release(struct undo_step *s)
{
	declarations_kept_release(&s->declarations);
	buffer_release(&s->beside);
}

static void drop_oldest(struct undo *u, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		step_release(&u->steps[i]);
	u->n -= n;
	memmove(&u->steps[0], &u->steps[n], u->n * sizeof(u->steps[0]));
}

void undo_release(struct undo *u)
{
	drop_oldest(u, u->n);
	buffer_release(&u->redo);
}

/* Drops steps to states that the supervisor does not keep any more. */
static void drop_unreachable(struct session *s)
{
	struct undo *u = &s->undo;
	struct session_undo_room room;
	unsigned n = 0;

	session_undo_room(s->supervisor, &room);
	while (n < u->n && u->steps[n].state < room.oldest)
		n++;
	drop_oldest(u, n);
}

void undo_note(struct session *s, struct cell *c)
{
	struct undo *u = &s->undo;
	struct undo_step step = { .cell = c->number, .state = c->state_before };
	struct error err = ERROR_INIT;

	if (c->noted)
		return;
	c->noted = true;
	drop_unreachable(s);
	if (declarations_keep(&s->declarations, &step.declarations, &err)) {
		/* Without the declarations no state before this cell can be returned to. */
		log_error("%%undo: %s", err.text);
		undo_release(u);
		return;
	}
	if (u->n == UNDO_STEPS_MAX)
		drop_oldest(u, 1);
	u->steps[u->n++] = step;
}

void undo_note_all(struct session *s, struct cell *c)
{
	struct undo *u = &s->undo;

	undo_note(s, c);
	if (u->n && !u->steps[u->n - 1].beside.len)
		session_state_keep(s, &u->steps[u->n - 1].beside);
}

/* ---- what has changed ---- */

struct seen {
	char *name;
	XXH64_hash_t hash;
	bool is_function;
};

struct seen_all {
	struct seen *at;
	size_t n;
};

static XXH64_hash_t hash_variable(const struct session *s, const struct unit_variable *v)
{
	static char part[64 * 1024];
	XXH3_state_t state;

	XXH3_64bits_reset(&state);
	XXH3_64bits_update(&state, &v->address, sizeof(v->address));
	for (uint64_t done = 0; !v->is_function && done < v->size;) {
		size_t len = v->size - done < sizeof(part) ? v->size - done : sizeof(part);

		if (supervisor_read(s->supervisor, v->address + done, part, len))
			break;
		XXH3_64bits_update(&state, part, len);
		done += len;
	}
	return XXH3_64bits_digest(&state);
}

static void seen_release(struct seen_all *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->at[i].name);
	free(a->at);
}

/* Hashes all variables, or fewer when memory is out: the report then names less. */
static struct seen_all look(const struct session *s)
{
	const struct unit_variable *v;
	size_t n = supervisor_variables(s->supervisor, &v);
	struct seen_all a = { malloc((n + 1) * sizeof(*a.at)), 0 };

	for (size_t i = 0; a.at && i < n; i++) {
		a.at[a.n] = (struct seen){ strdup(v[i].name), hash_variable(s, &v[i]),
					   v[i].is_function };
		a.n += a.at[a.n].name != NULL;
	}
	return a;
}

static const struct seen *find(const struct seen_all *a, const struct seen *like)
{
	for (size_t i = 0; i < a->n; i++)
		if (!strcmp(a->at[i].name, like->name))
			return &a->at[i];
	return NULL;
}

enum difference { ONLY_HERE, DIFFERENT };

static void put_name(const char *before, const struct seen *v, struct buffer *out)
{
	char name[VARIABLE_NAME_SIZE];

	buffer_printf(out, "%s%s%s", before, variable_name(v->name, v->is_function, name),
		      v->is_function ? "()" : "");
}

/* Appends the names of `here` that `there` lacks, or has with another value. */
static void put_names(const char *what, const struct seen_all *here, const struct seen_all *there,
		      enum difference d, struct buffer *out)
{
	size_t n = 0;

	for (size_t i = 0; i < here->n; i++) {
		const struct seen *other = find(there, &here->at[i]);

		if (d == ONLY_HERE ? other != NULL : !other || other->hash == here->at[i].hash)
			continue;
		if (n < NAMES_SHOWN)
			put_name(n ? ", " : what, &here->at[i], out);
		n++;
	}
	if (n > NAMES_SHOWN)
		buffer_printf(out, " and %zu more", n - NAMES_SHOWN);
	if (n)
		buffer_puts(out, "\n");
}

static void put_cells(const struct undo *u, unsigned n, struct buffer *out)
{
	buffer_puts(out, n == 1 ? "Taken back: cell " : "Taken back: cells ");
	for (unsigned i = 0; i < n; i++)
		buffer_printf(out, "%s%u", i ? ", " : "", u->steps[u->n - 1 - i].cell);
	buffer_puts(out, "\n");
}

static int refuse(struct session *s, unsigned n, struct error *err)
{
	struct session_undo_room room;
	char used[SIZE_TEXT_MAX], most[SIZE_TEXT_MAX];

	session_undo_room(s->supervisor, &room);
	size_text(room.bytes, used);
	size_text(room.bytes_max, most);
	if (!s->undo.n)
		return error_set(err, ERROR_STATE,
				 "there is no cell that can be taken back. Kept is what the last "
				 "cells overwrote or freed, up to %s and %d cells (--undo SIZE); "
				 "%s of it are in use",
				 most, UNDO_STEPS_MAX, used);
	return error_set(
		err, ERROR_STATE,
		"only the last %u cells can be taken back, not %u. Kept is what the last cells "
		"overwrote or freed, up to %s and %d cells (--undo SIZE); %s of it are in use",
		s->undo.n, n, most, UNDO_STEPS_MAX, used);
}

int undo_cells(struct session *s, unsigned n, struct buffer *report, struct error *err)
{
	struct undo *u = &s->undo;
	struct seen_all before, after;
	struct undo_step *to;
	uint32_t count;
	char name[24];

	supervisor_settle(s->supervisor);
	drop_unreachable(s);
	if (!n || n > u->n)
		return refuse(s, n, err);
	to = &u->steps[u->n - n];
	before = look(s);
	buffer_clear(&u->redo);
	if (session_state_describe(s, &u->redo, &count))
		buffer_clear(&u->redo);
	if (session_undo(s->supervisor, to->state, err)) {
		seen_release(&before);
		return -1;
	}
	after = look(s);
	put_cells(u, n, report);
	put_names("As before: ", &after, &before, DIFFERENT, report);
	put_names("Gone: ", &before, &after, ONLY_HERE, report);
	put_names("Back again: ", &after, &before, ONLY_HERE, report);
	seen_release(&before);
	seen_release(&after);
	declarations_return(&s->declarations, &to->declarations);
	for (; n; n--) {
		struct undo_step *step = &u->steps[--u->n];

		snprintf(name, sizeof(name), "In[%u]", step->cell);
		if (step->beside.len)
			session_state_return(s, &step->beside);
		/* It does not run again. */
		else
			setup_forget_name(&s->setup, name);
		step_release(step);
	}
	return 0;
}

/* ---- and forward again ---- */

struct name_list {
	const char *what; /* in front of the first name */
	struct buffer *out;
	size_t n;
};

static void put_listed(struct name_list *l, const char *name, bool is_function)
{
	const struct seen v = { (char *)name, 0, is_function };

	if (l->n < NAMES_SHOWN)
		put_name(l->n ? ", " : l->what, &v, l->out);
	l->n++;
}

static void end_list(struct name_list *l)
{
	if (l->n > NAMES_SHOWN)
		buffer_printf(l->out, " and %zu more", l->n - NAMES_SHOWN);
	if (l->n)
		buffer_puts(l->out, "\n");
}

static void put_new(void *data, const struct unit_symbol *symbol)
{
	put_listed(data, symbol->name, symbol->is_function);
}

static void describe_redo(struct session *s, struct buffer *out)
{
	struct name_list changed = { "`%redo` changes: ", out, 0 };
	struct name_list made = { "`%redo` brings: ", out, 0 };
	const struct unit_variable *v;
	size_t n = supervisor_variables(s->supervisor, &v);

	for (size_t i = 0; i < n; i++)
		if (!v[i].is_function &&
		    session_redo_changes(s->supervisor, v[i].address, v[i].size))
			put_listed(&changed, v[i].name, false);
	end_list(&changed);
	session_redo_symbols(s->supervisor, put_new, &made);
	end_list(&made);
}

void undo_forget_redo(struct undo *u)
{
	buffer_clear(&u->redo);
}

void undo_set_aside(struct session *s, const struct declaration_source *from,
		    const struct unit *unit, struct buffer *out)
{
	cleanup_buffer struct buffer notes = BUFFER_INIT;
	struct declarations_kept before;
	struct error err = ERROR_INIT;
	uint32_t count;

	buffer_clear(&s->undo.redo);
	if (declarations_keep(&s->declarations, &before, &err)) {
		log_error("%%redo: %s", err.text);
		return;
	}
	if (declarations_accept(&s->declarations, from, unit, &notes, &err) ||
	    session_state_describe(s, &s->undo.redo, &count)) {
		log_error("%%redo: %s", err.text);
		buffer_clear(&s->undo.redo);
	}
	declarations_return(&s->declarations, &before);
	if (s->undo.redo.len)
		describe_redo(s, out);
}

int undo_redo(struct session *s, struct cell *c, struct buffer *report, struct error *err)
{
	struct undo *u = &s->undo;
	struct seen_all before, after;
	struct session_undo_room room;
	int failed;

	session_undo_room(s->supervisor, &room);
	if (!room.redo || !u->redo.len)
		return error_set(err, ERROR_STATE,
				 "there is nothing to bring back. Kept is what the last %%undo or "
				 "interrupt has taken back, until the next cell runs");
	c->state_before = supervisor_state(s->supervisor);
	before = look(s);
	undo_note_all(s, c);
	if (session_redo(s->supervisor, err)) {
		seen_release(&before);
		if (u->n)
			step_release(&u->steps[--u->n]);
		return -1;
	}
	after = look(s);
	buffer_printf(report, "Brought back: what cell %u had done\n", room.redo);
	put_names("As it left them: ", &after, &before, DIFFERENT, report);
	put_names("Gone: ", &before, &after, ONLY_HERE, report);
	put_names("Back again: ", &after, &before, ONLY_HERE, report);
	seen_release(&before);
	seen_release(&after);
	failed = session_state_take(s, &u->redo, 0, err);
	buffer_clear(&u->redo);
	return failed;
}
