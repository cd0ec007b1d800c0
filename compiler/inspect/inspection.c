/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clang says what a name means at the place. If that is a declaration of the session, it is shown
 * as the cell has it, since the unit of another cell has only as much of it as code needs. Names
 * that clang does not declare, such as words of CUDA in a cell of C, are those of completion.
 */
#include "compiler/inspect/inspection.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "compiler/clang/job/clang-shim.h"
#include "compiler/frontend/compile.h"
#include "compiler/frontend/cpp-tries.h"
#include "compiler/inspect/completion.h"
#include "compiler/inspect/cursor.h"
#include "compiler/inspect/manual.h"
#include "compiler/session/cpp-pieces.h"
#include "compiler/text/token.h"

/* A question; the first description counts, further functions of a call are lines of the code. */
struct looking {
	struct inspection *to;
	struct compiler *compiler;
	struct manual *manual;
	const char *name; /* "": the function that is called at the place */
	bool of_member;   /* the name is looked up in something, so it is none of the session */
};

void inspection_release(struct inspection *i)
{
	buffer_release(&i->code);
	buffer_release(&i->what);
	buffer_release(&i->comment);
	buffer_release(&i->source);
}

static void on_comment(void *context, const char *comment)
{
	buffer_puts(context, comment);
}

static bool is_function(const struct declaration *d)
{
	return d->kind == DECLARATION_FUNCTION || d->kind == DECLARATION_ENTRY ||
	       (d->kind == DECLARATION_CPP && cpp_pieces_is_function(d));
}

/* Returns the token behind i, or behind the bracket pair that opens there. */
static uint32_t behind(const struct token_list *l, uint32_t i)
{
	return l->at[i].match == TOKEN_NONE ? i + 1 : token_behind(l, i);
}

/* Returns the index of the token at which the body of a function begins; l->n: it has none. */
static uint32_t body_of(const struct token_list *l)
{
	uint32_t i = 0;

	while (i < l->n && !token_is(l, i, "{"))
		i = behind(l, i);
	return i;
}

/* Marks one parameter in the code, which is a declaration of a function with this name. */
static void mark_parameter(struct inspection *to, const struct token_list *l, const char *name,
			   long parameter)
{
	uint32_t open = 0, i;

	while (open + 1 < l->n && !(token_is(l, open, name) && token_is(l, open + 1, "(")))
		open++;
	open++;
	if (parameter < 0 || open >= l->n || l->at[open].match == TOKEN_NONE)
		return;
	for (i = open + 1; parameter && i < l->at[open].match; i = behind(l, i))
		parameter -= token_is(l, i, ",");
	if (parameter || i >= l->at[open].match)
		return;
	to->mark_begin = l->at[i].start;
	while (i < l->at[open].match && !token_is(l, i, ",")) {
		i = behind(l, i);
		to->mark_end = l->at[i - 1].end;
	}
}

/* Shows the text of a declaration, cut into comment, code and source. d: clang's description, whose
 * code is shown for several overloads; NULL: there is none. */
static void put_declaration(struct looking *k, const struct declaration *known, const char *name,
			    const struct clang_description *d)
{
	struct mem_pool pool = MEM_POOL_INIT;
	const char *text = *declaration_written(known) ? known->written
			   : *known->host              ? known->host
						       : known->device;
	struct token_list l;

	if (!token_list_init(&l, text, strlen(text), &pool, NULL) && l.n) {
		uint32_t first = l.at[0].start, body = is_function(known) ? body_of(&l) : l.n,
			 end = body && body < l.n ? l.at[body - 1].end : (uint32_t)l.len;

		if (first && d)
			clang_shim_comment(d, text, first, &k->to->comment, on_comment);
		if (d && d->n_overloads > 1)
			buffer_puts(&k->to->code, d->code);
		else
			buffer_append(&k->to->code, text + first, end - first);
		buffer_puts(&k->to->source, text + first);
		mark_parameter(k->to, &l, name, d ? d->parameter : -1);
		k->to->mark_begin -= k->to->mark_end ? first : 0;
		k->to->mark_end -= k->to->mark_end ? first : 0;
	}
	mem_pool_release(&pool);
}

/* Shows a declaration of the session. name: what was asked for, or the function that is called. */
static void use_declaration(struct looking *k, const struct declaration *known, const char *name,
			    const struct clang_description *d)
{
	bool is_piece = known->kind == DECLARATION_CPP;

	put_declaration(k, known, name, d);
	buffer_printf(&k->to->what, "%s %s of In[%u], line %u",
		      is_piece && d ? d->kind : declaration_kind_name(known->kind),
		      is_piece && *known->device ? known->device : known->name, known->cell,
		      known->line);
	k->to->found = k->to->of_session = true;
}

/* Returns the path as an #include would have it. */
static const char *as_included(const char *path)
{
	static const char folder[] = "/include/";
	const char *found = path;

	for (const char *at = path; (at = strstr(at, folder)); at += strlen(folder) - 1)
		found = at + strlen(folder);
	return found;
}

/* Tells whether a page of the manual may be about it: the functions of C's library and of Linux. */
static bool may_have_page(const struct clang_description *d)
{
	static const char machine[] = "/usr/include/";

	return !strcmp(d->kind, "function") && !*d->parent &&
	       !strncmp(d->file, machine, strlen(machine)) && !strstr(d->file, "/c++/");
}

static void use_description(struct looking *k, const struct clang_description *d, const char *name)
{
	uint32_t entry = cpp_tries_entry_of(d->file);

	buffer_puts(&k->to->code, d->code);
	buffer_puts(&k->to->comment, d->comment);
	buffer_puts(&k->to->source, d->source);
	k->to->mark_begin = d->mark_begin;
	k->to->mark_end = d->mark_end;
	buffer_printf(&k->to->what, "%s %s%s%s%s", d->kind, name, *d->parent ? " of " : "",
		      d->parent, *d->parent ? "," : " of");
	if (!strcmp(d->file, "cell"))
		buffer_printf(&k->to->what, " this cell, line %u", d->line);
	else if (entry < session_count(&k->compiler->session))
		buffer_printf(&k->to->what, " In[%u], line %u",
			      session_at(&k->compiler->session, entry)->cell, d->line);
	else if (*d->file && *d->file != '<')
		buffer_printf(&k->to->what, " <%s>, line %u", as_included(d->file), d->line);
	else
		buffer_puts(&k->to->what, " the compiler");
	if (may_have_page(d))
		manual_put(k->manual, name, &k->to->comment);
	k->to->found = true;
}

/* Returns the declaration of the session that a description is about; NULL: it is about another
 * one, or about a part of one. */
static const struct declaration *declaration_of(const struct looking *k,
						const struct clang_description *d, const char *name)
{
	const struct compiler_session *session = &k->compiler->session;
	uint32_t entry = cpp_tries_entry_of(d->file);
	const struct declaration *one =
		entry < session_count(session) ? session_at(session, entry) : NULL;

	if (one)
		return strcmp(one->kind == DECLARATION_CPP ? one->device : one->name, name) ? NULL
											    : one;
	if (k->of_member || !strcmp(d->file, "cell"))
		return NULL;
	return session_find(session, name, strlen(name));
}

static void on_description(void *context, const struct clang_description *d)
{
	struct looking *k = context;
	const char *name = d->name ? d->name : k->name;
	const struct declaration *known = declaration_of(k, d, name);

	if (k->to->found) {
		if (d->name)
			buffer_printf(&k->to->code, "\n%s", d->code);
	} else if (known) {
		use_declaration(k, known, name, d);
	} else {
		use_description(k, d, name);
	}
}

static void ask(const struct clang_job *job, uint32_t line, uint32_t column)
{
	const struct looking *k = job->context;

	clang_shim_describe(job, k->name, line, column, on_description);
}

/* Shows what completion knows of a name. */
static void use_completion(struct looking *k, const char *text, uint32_t at)
{
	struct completion_list l;

	if (!completion_list_init(&l, k->compiler, text, at, NULL))
		for (uint32_t i = 0; i < l.n && !k->to->found; i++) {
			const struct completion *x = &l.at[i];

			if (strcmp(x->text, k->name) != 0)
				continue;
			buffer_puts(&k->to->code, x->signature);
			buffer_printf(&k->to->what, "%s %s", x->kind, x->text);
			k->to->found = true;
		}
	completion_list_release(&l);
}

/* Asks clang; a text that says nothing in C may have names of C++ cells. */
static int look_at(struct looking *k, const char *text, uint32_t at, struct error *err)
{
	const struct cell_question q = { .ask = ask, .data = k };

	if (cursor_ask(k->compiler, text, at, &q, err))
		return -1;
	return k->to->found || !k->compiler->has_cpp
		       ? 0
		       : compile_cpp_ask(k->compiler, text, at, &q, err);
}

/* Looks for what the word means. */
static int look_at_word(struct looking *k, const char *text, const struct cursor *word,
			struct error *err)
{
	const struct declaration *known;

	k->of_member = cursor_is_of_member(text, word->start);
	if (look_at(k, text, word->start, err))
		return -1;
	known = k->to->found || k->of_member
			? NULL
			: session_find(&k->compiler->session, k->name, strlen(k->name));
	if (known)
		use_declaration(k, known, k->name, NULL);
	else if (!k->to->found)
		use_completion(k, text, word->end);
	return 0;
}

int inspection_init(struct inspection *ret, struct compiler *c, struct manual *manual,
		    const char *text, uint32_t at, struct error *err)
{
	struct cursor word = cursor_at(text, at, true);
	cleanup_free char *name = strndup(text + word.start, word.end - word.start);
	cleanup_buffer struct buffer whole = BUFFER_INIT;
	struct looking k = { .to = ret, .compiler = c, .manual = manual, .name = name };

	cursor_put_text(&word, text, &whole);
	if (!name || buffer_check(&whole, NULL))
		return error_set(err, ERROR_MEMORY, "out of memory for an inspection");
	if (!cursor_is_in_code(whole.data, whole.len, word.start))
		return 0;
	if (*name && look_at_word(&k, whole.data, &word, err))
		return -1;
	k.name = "";
	k.of_member = false;
	if (!ret->found && look_at(&k, whole.data, word.start, err))
		return -1;
	if (buffer_check(&ret->code, err) || buffer_check(&ret->what, err) ||
	    buffer_check(&ret->comment, err) || buffer_check(&ret->source, err))
		return -1;
	return 0;
}
