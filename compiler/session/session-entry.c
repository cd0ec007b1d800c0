/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index is based on tokens, not on the language: a word too many costs a superfluous
 * declaration in front of a cell, a word too few a cell that does not compile.
 */
#include "compiler/session/session-entry.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/text/words.h"

void session_entry_release(struct session_entry *e)
{
	free((char *)e->d.name);
	free((char *)e->d.host);
	free((char *)e->d.device);
	free((char *)e->d.written);
	free(e->declares);
	free(e->uses);
}

static void add_declared(struct names *names, struct session_entry *e, const char *text, size_t len)
{
	uint32_t name = names_add(names, text, len);
	uint32_t *grown = name == NAME_NONE
				  ? NULL
				  : realloc(e->declares, (e->n_declares + 1) * sizeof(*grown));

	if (!grown)
		return;
	e->declares = grown;
	e->declares[e->n_declares++] = name;
}

/* Adds enumerators: the names behind `{` or `,` at the depth of the enum's braces. */
static void add_enumerators(struct names *names, struct session_entry *e,
			    const struct token_list *l, uint32_t open)
{
	for (uint32_t i = open; i < l->n && i < l->at[open].match; i++) {
		if ((i == open || token_is(l, i, ",")) && token_is_name(l, i + 1))
			add_declared(names, e, token_text(l, i + 1), token_len(l, i + 1));
		else if (i > open && (token_is(l, i, "(") || token_is(l, i, "{")))
			i = token_behind(l, i) - 1;
	}
}

static void add_nested(struct names *names, struct session_entry *e, const struct token_list *l)
{
	for (uint32_t i = 0; i < l->n; i++) {
		bool is_enum = token_is(l, i, "enum");
		uint32_t at = i + 1;

		if (!is_enum && !token_is(l, i, "struct") && !token_is(l, i, "union"))
			continue;
		if (token_is_name(l, at)) {
			if (token_is(l, at + 1, "{"))
				add_declared(names, e, token_text(l, at), token_len(l, at));
			at++;
		}
		if (is_enum && token_is(l, at, "{"))
			add_enumerators(names, e, l, at);
	}
}

/* Tells whether a name is that of a member or parameter, as in `int a;`, `T *a[N];`, and so no use
 * of a variable. */
static bool is_member(const struct token_list *l, uint32_t i)
{
	uint32_t before = i;

	if (!token_is(l, i + 1, ";") && !token_is(l, i + 1, ",") && !token_is(l, i + 1, "[") &&
	    !token_is(l, i + 1, ":") && !token_is(l, i + 1, ")"))
		return false;
	while (before && token_is(l, before - 1, "*"))
		before--;
	if (!before || token_is(l, before - 1, "struct") || token_is(l, before - 1, "union") ||
	    token_is(l, before - 1, "enum"))
		return false;
	return token_is_name(l, before - 1) || token_is(l, before - 1, "}") ||
	       (before < i && token_is(l, before - 1, "("));
}

static void add_uses(struct names *names, struct session_entry *e, const struct token_list *l)
{
	struct session_use *uses = realloc(e->uses, (e->n_uses + l->n + 1) * sizeof(*uses));
	bool has_members = e->d.kind == DECLARATION_TAG || e->d.kind == DECLARATION_TYPEDEF;
	/* Widths of bit-fields and sizes of arrays are expressions. */
	bool in_size = false;

	if (!uses)
		return;
	for (uint32_t i = 0; i < l->n; i++) {
		if (token_is(l, i, ":") || token_is(l, i, "["))
			in_size = true;
		else if (token_is(l, i, ";") || token_is(l, i, "]"))
			in_size = false;
		if (!token_is_name(l, i) || word_is_keyword(token_text(l, i), token_len(l, i)))
			continue;
		if (has_members && !in_size && is_member(l, i))
			continue;
		uint32_t name = names_add(names, token_text(l, i), token_len(l, i));
		bool record = i && (token_is(l, i - 1, "struct") || token_is(l, i - 1, "union")),
		     tag = record || (i && token_is(l, i - 1, "enum"));

		if (name != NAME_NONE)
			uses[e->n_uses++] =
				(struct session_use){ name, tag,
						      record && token_is(l, i + 1, "*") };
	}
	e->uses = uses;
}

/* Indexes a text. A #define is one directive token, so its body is lexed separately. */
static void index_text(struct names *names, struct session_entry *e, const char *text,
		       struct mem_pool *pool)
{
	struct token_list l;

	if (e->d.kind == DECLARATION_MACRO) {
		const char *define = strstr(text, "define");

		text = define ? define + strlen("define") : text;
	}
	if (token_list_init(&l, text, strlen(text), pool, NULL))
		return;
	if (e->d.kind == DECLARATION_TAG || e->d.kind == DECLARATION_TYPEDEF)
		add_nested(names, e, &l);
	if (e->d.kind != DECLARATION_INCLUDE)
		add_uses(names, e, &l);
}

int session_entry_init(struct session_entry *e, struct names *names, const struct declaration *d)
{
	struct mem_pool pool = MEM_POOL_INIT;

	*e = (struct session_entry){ .d = *d };
	e->d.name = strdup(d->name);
	e->d.host = strdup(d->host);
	e->d.device = strdup(d->device);
	e->d.written = strdup(declaration_written(d));
	if (!e->d.name || !e->d.host || !e->d.device || !e->d.written)
		return -1;
	if (!declaration_has_name(d->kind))
		return 0;
	/* Declarations of C++ cells are no names of C. */
	if (*d->name && d->kind != DECLARATION_CPP)
		add_declared(names, e, d->name, strlen(d->name));
	index_text(names, e, *d->host ? e->d.host : e->d.device, &pool);
	mem_pool_release(&pool);
	return 0;
}
