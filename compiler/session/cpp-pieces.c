/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A piece of another cell is removed when it does not compile any more and mentions a name that has
 * changed, or a piece that is removed. If it fails for another reason, such as the flags of this
 * cell, it stays.
 */
#include "compiler/session/cpp-pieces.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "common/code/unit.h"
#include "compiler/clang/job/clang-shim.h"
#include "compiler/session/cpp-own.h"
#include "compiler/session/session.h"
#include "compiler/text/cpp-cell.h"
#include "compiler/text/token.h"

void cpp_pieces_init(struct cpp_pieces *l, struct mem_pool *pool)
{
	*l = (struct cpp_pieces){ .pool = pool };
	names_init(&l->keys);
}

void cpp_pieces_release(struct cpp_pieces *l)
{
	free(l->at);
	free(l->newest);
	names_release(&l->keys);
	cpp_pieces_init(l, l->pool);
}

void cpp_pieces_add(struct cpp_pieces *l, const struct clang_piece *p, const char *written)
{
	uint32_t n_keys = l->keys.n, key = NAME_NONE;
	struct cpp_piece one = { mem_pool_strdup(l->pool, p->key),
				 mem_pool_strdup(l->pool, p->name),
				 mem_pool_strdup(l->pool, p->text), written, p->line };

	if (one.key && one.name && one.text && one.written && ARRAY_ROOM(l->at, l->n, &l->cap) &&
	    ARRAY_ROOM(l->newest, n_keys, &l->cap_keys))
		key = names_add(&l->keys, one.key, strlen(one.key));
	if (key == NAME_NONE) {
		l->failed = true;
		return;
	}
	one.previous = key == n_keys ? 0 : l->newest[key];
	l->at[l->n++] = one;
	l->newest[key] = (uint32_t)l->n;
}

static const struct declaration *piece_at(const struct compiler_session *session, uint32_t entry)
{
	const struct declaration *d = session_at(session, entry);

	return d->kind == DECLARATION_CPP ? d : NULL;
}

bool cpp_pieces_can_declare(const struct declaration *d)
{
	return d && d->kind == DECLARATION_CPP && strstr(d->host, "#ifndef " CLANG_DECLARED "\n");
}

bool cpp_pieces_is_function(const struct declaration *d)
{
	return strchr(d->name, '(') != NULL;
}

void cpp_pieces_drop_types(const struct compiler_session *session, const struct cpp_cell *cell,
			   uint8_t *dropped)
{
	const struct token_list *t = &cell->tokens;

	for (uint32_t i = cpp_cell_next_type(cell, TOKEN_NONE); i < t->n;
	     i = cpp_cell_next_type(cell, i)) {
		for (uint32_t e = 0; e < session_count(session); e++) {
			const struct declaration *d = piece_at(session, e);

			if (d && !strncmp(d->name, "type ", 5) && token_is(t, i + 1, d->name + 5))
				dropped[e] = CPP_CLASHED;
		}
	}
}

void cpp_pieces_includes(const struct compiler_session *session, struct buffer *out)
{
	for (uint32_t e = 0; e < session_count(session); e++) {
		const struct declaration *d = piece_at(session, e);

		if (d && !strncmp(d->host, "#include <", 10) && !session_is_hidden(session, e))
			buffer_printf(out, "%s\n", d->host);
	}
}

/* Returns the index plus 1 of the last piece with this key; 0 for none. */
static uint32_t newest_of(const struct cpp_pieces *l, const char *key)
{
	uint32_t number = names_find(&l->keys, key, strlen(key));

	return number == NAME_NONE ? 0 : l->newest[number];
}

/* Returns the first piece with this key. */
static const struct cpp_piece *find(const struct cpp_pieces *l, const char *key)
{
	uint32_t i = newest_of(l, key);

	while (i && l->at[i - 1].previous)
		i = l->at[i - 1].previous;
	return i ? &l->at[i - 1] : NULL;
}

/* Compares texts without comments and layout. */
static bool says_the_same(const char *a, const char *b)
{
	struct mem_pool pool = MEM_POOL_INIT;
	struct token_list x, y;
	bool same = !token_list_init(&x, a, strlen(a), &pool, NULL) &&
		    !token_list_init(&y, b, strlen(b), &pool, NULL) && x.n == y.n;

	for (uint32_t i = 0; same && i < x.n; i++)
		same = (token_directive_is(&x, i, "line") && token_directive_is(&y, i, "line")) ||
		       (token_len(&x, i) == token_len(&y, i) &&
			!memcmp(token_text(&x, i), token_text(&y, i), token_len(&x, i)));
	mem_pool_release(&pool);
	return same;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

bool cpp_pieces_mentions(const char *text, const char *word)
{
	size_t len = strlen(word);

	/* An operator has no plain name. */
	for (const char *at = text; len && (at = strstr(at, word)); at += len)
		if ((at == text || !is_word(at[-1])) && !is_word(at[len]))
			return true;
	return false;
}

struct going {
	const struct cpp_pieces *pieces;
	const struct compiler_session *session;
	const uint8_t *dropped;
	const char **changed; /* names with a new meaning */
	size_t n_changed;
	struct unit *u;
	struct buffer *notes;
};

static void note_changed(struct going *g, const struct declaration *d)
{
	if (*d->device)
		g->changed[g->n_changed++] = d->device;
}

/* Removes a declaration; `changed` is the name of the type that it was declared with, or "". */
static void take_out(struct going *g, const struct declaration *d, const char *changed)
{
	g->u->declarations[g->u->n_declarations++] = (struct declaration){
		.kind = DECLARATION_CPP,
		.cell = g->u->cell,
		.name = d->name,
		.host = "",
		.device = changed,
	};
}

static const char *changed_in(const struct going *g, const char *text)
{
	for (size_t i = 0; i < g->n_changed; i++)
		if (cpp_pieces_mentions(text, g->changed[i]))
			return g->changed[i];
	return NULL;
}

static const struct declaration *session_has(const struct going *g, const char *space,
					     const char *name)
{
	for (uint32_t e = 0; e < session_count(g->session); e++) {
		const struct declaration *d = session_at(g->session, e);

		if (*d->host && !strcmp(d->name, name) &&
		    !strcmp(declaration_space(d->kind), space))
			return d;
	}
	return NULL;
}

/* Tells whether a variable that C cells know, too, survives: its class has the same members, so it
 * stays with the new functions. */
static bool lives_on_in_c(const struct going *g, const struct declaration *d, const char *changed)
{
	const struct declaration *variable = session_has(g, "ordinary", d->device),
				 *type = session_has(g, "tag", changed);

	if (!variable || variable->kind != DECLARATION_VARIABLE || !type)
		return false;
	for (size_t i = 0; i < g->u->n_declarations; i++) {
		const struct declaration *now = &g->u->declarations[i];

		if (!strcmp(now->name, changed) && !strcmp(declaration_space(now->kind), "tag"))
			return says_the_same(type->host, now->host);
	}
	return false;
}

/* Returns the readable name. The key of a template is its name, followed by all of its head. */
static const char *shown_name(const struct declaration *d)
{
	size_t len = strlen(d->device), name = strcspn(d->name, " ");

	if (!strncmp(d->name, "type ", 5))
		return d->name + 5;
	return len && name >= len && d->name[name] && !strncmp(d->name + name - len, d->device, len)
		       ? d->device
		       : d->name;
}

static void look_at(struct going *g, uint32_t entry)
{
	const struct declaration *d = piece_at(g->session, entry);
	bool clashed = d && g->dropped[entry] == CPP_CLASHED;
	const struct cpp_piece *now;
	const char *changed;

	if (!d || !*d->host)
		return;
	now = find(g->pieces, d->name);
	if (clashed || session_is_hidden(g->session, entry)) {
		if (now ? !says_the_same(d->host, now->text) : clashed)
			note_changed(g, d);
		if (clashed && !now)
			take_out(g, d, "");
		return;
	}
	changed = g->dropped[entry] == CPP_REFUSED && !now ? changed_in(g, d->host) : NULL;
	if (!changed)
		return;
	if (lives_on_in_c(g, d, changed)) {
		take_out(g, d, "");
		return;
	}
	buffer_printf(g->notes,
		      "note: '%s' of In[%u] was declared with another '%s', and is no longer known "
		      "to C++ cells; run that cell again to have it with this one\n",
		      shown_name(d), d->cell, changed);
	note_changed(g, d);
	take_out(g, d, changed);
}

static void add_pieces(const struct cpp_pieces *l, struct unit *u)
{
	for (size_t i = 0; i < l->n; i++)
		u->declarations[u->n_declarations++] = (struct declaration){
			.kind = DECLARATION_CPP,
			.cell = u->cell,
			.line = l->at[i].line,
			.name = l->at[i].key,
			.host = l->at[i].text,
			.device = l->at[i].name,
			.written = l->at[i].written,
		};
}

/* Tells whether the text declares a C++ name at file scope: names in a namespace are no names of C,
 * and extern "C" ones are those of C cells, too. */
static bool is_own_at_file_scope(const char *text)
{
	text = cpp_own_behind(text);
	return strncmp(text, "namespace ", 10) && strncmp(text, "inline namespace ", 17) &&
	       strncmp(text, "extern \"C\"", 10);
}

static bool is_named_in_c(const struct declaration *d)
{
	const char *space = declaration_space(d->kind);

	return *d->name && (*d->host || *d->device) &&
	       (!strcmp(space, "ordinary") || !strcmp(space, "tag"));
}

static bool declares(const struct unit *u, const char *name)
{
	for (size_t i = 0; i < u->n_declarations; i++)
		if (is_named_in_c(&u->declarations[i]) && !strcmp(u->declarations[i].name, name))
			return true;
	return false;
}

/* Removes C declarations with the name of a piece: C code would take them for what the name means
 * since then. -1: there is no memory. */
static int take_out_of_c(const struct cpp_pieces *l, const struct compiler_session *session,
			 struct unit *u)
{
	struct names own;
	int failed = 0;

	names_init(&own);
	for (size_t i = 0; i < l->n; i++)
		if (is_own_at_file_scope(l->at[i].text) &&
		    names_add(&own, l->at[i].name, strlen(l->at[i].name)) == NAME_NONE)
			failed = -1;
	for (uint32_t e = 0; e < session_count(session); e++) {
		const struct declaration *d = session_at(session, e);

		if (is_named_in_c(d) && names_find(&own, d->name, strlen(d->name)) != NAME_NONE &&
		    !declares(u, d->name))
			u->declarations[u->n_declarations++] = (struct declaration){
				.kind = d->kind,
				.cell = u->cell,
				.name = d->name,
				.host = "",
				.device = "",
			};
	}
	names_release(&own);
	return failed;
}

static bool add_name(const char **names, size_t *n, const char *name)
{
	for (size_t i = 0; i < *n; i++)
		if (!strcmp(names[i], name))
			return false;
	names[(*n)++] = name;
	return true;
}

static bool mentions_one_of(const char *text, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (cpp_pieces_mentions(text, names[i]))
			return true;
	return false;
}

/* Finds declarations whose text has changed in this cell; a host prototype stays the same. */
static void find_anew(const struct cpp_pieces *l, const struct compiler_session *session,
		      const char **names, size_t *n)
{
	for (uint32_t e = 0; e < session_count(session); e++) {
		const struct declaration *d = piece_at(session, e);
		uint32_t i = d && *d->host ? newest_of(l, d->name) : 0;

		for (; i; i = l->at[i - 1].previous)
			if (*l->at[i - 1].name && !says_the_same(d->host, l->at[i - 1].text))
				add_name(names, n, l->at[i - 1].name);
	}
}

bool cpp_pieces_follow(const struct cpp_pieces *l, const struct compiler_session *session,
		       const uint8_t *dropped, const bool *stays, bool *ret)
{
	uint32_t count = session_count(session);
	const char **names = mem_pool_array(l->pool, l->n + count + 1, sizeof(*names));
	bool found = false, grows;
	size_t n = 0;

	if (!names)
		return false;
	find_anew(l, session, names, &n);
	do {
		grows = false;
		for (uint32_t e = 0; n && e < count; e++) {
			const struct declaration *d = piece_at(session, e);

			if (!d || dropped[e] > CPP_BEHIND || session_is_hidden(session, e) ||
			    find(l, d->name) || !mentions_one_of(d->host, names, n))
				continue;
			if (stays[e])
				continue;
			if (strstr(d->host, "#ifdef " CLANG_ANEW "\n")) {
				found |= !ret[e];
				ret[e] = true;
			} else if (*d->device) {
				grows |= add_name(names, &n, d->device);
			}
		}
	} while (grows);
	return found;
}

int cpp_pieces_replace(const struct compiler_session *session, struct unit *u,
		       struct mem_pool *pool, struct error *err)
{
	uint32_t n = session_count(session);

	if (unit_make_room(u, n, pool, err))
		return -1;
	for (uint32_t e = 0; e < n; e++) {
		const struct declaration *d = piece_at(session, e);

		if (d && *d->host && *d->device && is_own_at_file_scope(d->host) &&
		    declares(u, d->device))
			u->declarations[u->n_declarations++] = (struct declaration){
				.kind = DECLARATION_CPP,
				.cell = u->cell,
				.name = d->name,
				.host = "",
				.device = "",
			};
	}
	return 0;
}

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_MEMORY, "out of memory for the declarations of a C++ cell");
}

int cpp_pieces_finish(struct cpp_pieces *l, const struct compiler_session *session,
		      const uint8_t *dropped, struct unit *u, struct buffer *notes,
		      struct error *err)
{
	uint32_t n = session_count(session);
	struct going g = { .pieces = l,
			   .session = session,
			   .dropped = dropped,
			   .u = u,
			   .notes = notes,
			   .changed = mem_pool_array(l->pool, n + 1, sizeof(*g.changed)) };

	if (!g.changed || l->failed)
		return no_memory(err);
	if (unit_make_room(u, l->n + 2 * (size_t)n, l->pool, err))
		return -1;
	for (uint32_t i = 0; i < n; i++)
		look_at(&g, i);
	if (take_out_of_c(l, session, u))
		return no_memory(err);
	add_pieces(l, u);
	return buffer_check(notes, err);
}
