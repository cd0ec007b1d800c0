/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which names of a body are variables of the code around it only clang knows, so it is asked for each that the body does not
 * declare itself. A name too many is one that clang does not know there, or a copy in vain; one too few is an error of NVRTC.
 */
#define _GNU_SOURCE
#include "compiler/closure.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/buffer.h"
#include "common/cleanup.h"
#include "common/error.h"
#include "common/mem-pool.h"
#include "compiler/cast-syntax.h"
#include "compiler/cpp-syntax.h"
#include "compiler/host-text.h"

static bool is_mark(const struct token_list *l, uint32_t i)
{
	return token_is(l, i, "__device__") || token_is(l, i, "__host__");
}

/* A value may begin here: no array, no attribute. */
static bool begins_value(const struct token_list *l, uint32_t i)
{
	if (token_is(l, i + 1, "[") || (i && token_is(l, i - 1, "[")))
		return false;
	if (!i || !token_is_name(l, i - 1))
		return !i || !(token_is(l, i - 1, ")") || token_is(l, i - 1, "]") || l->at[i - 1].kind == TOKEN_STRING);
	return split_word_class(token_text(l, i - 1), token_len(l, i - 1)) == WORD_STATEMENT;
}

/* The end of the capture that begins at i: a comma or the bracket. */
static uint32_t capture_end(const struct token_list *l, uint32_t i, uint32_t close)
{
	for (; i < close && !token_is(l, i, ","); i++)
		if (token_is(l, i, "(") || token_is(l, i, "{") || token_is(l, i, "["))
			i = token_behind(l, i) - 1;
	return i;
}

static enum closure_fault captures_fault(const struct token_list *l, uint32_t open, uint32_t close)
{
	struct closure inner;

	for (uint32_t i = open + 1; i < close; i = capture_end(l, i, close) + 1) {
		if (token_is(l, i, "&"))
			return CLOSURE_BY_REFERENCE;
		if (token_is(l, i, "this") || token_is(l, i, "*"))
			return CLOSURE_OF_THIS;
		if (!token_is(l, i, "=") && !split_at_identifier(l, i))
			return CLOSURE_OTHER;
		for (uint32_t k = i; k < capture_end(l, i, close); k++)
			if (token_is(l, k, "...") || (token_is(l, k, "[") && closure_read(l, k, &inner) != CLOSURE_NONE))
				return CLOSURE_OTHER;
	}
	return CLOSURE_GOOD;
}

enum closure_fault closure_read(const struct token_list *l, uint32_t i, struct closure *ret)
{
	uint32_t close = token_behind(l, i) - 1, at = close + 1;
	bool device = false;

	if (!token_is(l, i, "[") || l->at[i].match == TOKEN_NONE || !begins_value(l, i))
		return CLOSURE_NONE;
	*ret = (struct closure){ .first = i, .parameters = TOKEN_NONE };
	for (; is_mark(l, at); at++)
		device |= token_is(l, at, "__device__");
	if (token_is(l, at, "(")) {
		ret->parameters = at;
		at = token_behind(l, at);
	} else if (!device) {
		return CLOSURE_NONE;
	}
	for (; is_mark(l, at); at++)
		device |= token_is(l, at, "__device__");
	ret->behind = at;
	while (at < l->n && !token_is(l, at, "{") && !token_is(l, at, ";") && !token_is(l, at, ")"))
		at = token_is(l, at, "(") ? token_behind(l, at) : at + 1;
	if (!token_is(l, at, "{") || l->at[at].match == TOKEN_NONE)
		return CLOSURE_NONE;
	ret->body = at;
	ret->end = token_behind(l, at);
	return device ? captures_fault(l, i, close) : CLOSURE_OF_HOST;
}

/* ---- marks inside of device code ---- */

/* Blanks from token `first` on the marks of lambdas, which NVRTC refuses there. */
static void blank_marks(struct token_list *l, char *text, uint32_t first, uint32_t end)
{
	struct closure x;

	for (uint32_t i = first; i < end; i++) {
		if (!token_is(l, i, "[") || closure_read(l, i, &x) == CLOSURE_NONE)
			continue;
		for (uint32_t k = token_behind(l, i); k < x.body; k++) {
			if (!is_mark(l, k))
				continue;
			memset(text + l->at[k].start, ' ', token_len(l, k));
			l->at[k].kind = TOKEN_OTHER;
		}
	}
}

/* The first brace of the item, behind which its code begins. */
static uint32_t first_brace(const struct token_list *l, const struct item *item)
{
	uint32_t i = item->first;

	while (i < item->end && !token_is(l, i, "{"))
		i++;
	return i;
}

static bool has_marks(const struct token_list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (token_is(l, i, "]") && (is_mark(l, i + 1) || (token_is(l, i + 1, "(") && is_mark(l, token_behind(l, i + 1)))))
			return true;
	return false;
}

static int drop_marks(struct host_text *h, struct error *err)
{
	struct token_list *l = &h->split.tokens;
	char *text;

	if (!has_marks(l))
		return 0;
	text = mem_pool_strndup(h->pool, l->text, l->len);
	if (!text)
		return error_set(err, ERROR_MEMORY, "out of memory for the lambdas of a cell");
	for (uint32_t i = 0; i < h->split.n_items; i++)
		if ((h->split.items[i].world & WORLD_DEVICE) || h->split.items[i].is_class)
			blank_marks(l, text, first_brace(l, &h->split.items[i]), h->split.items[i].end);
	for (uint32_t i = 0; i < h->closures.n; i++)
		blank_marks(l, text, h->closures.at[i].body, h->closures.at[i].end);
	l->text = h->unit.cell = text;
	return 0;
}

/* ---- one token ---- */

static uint32_t moved(const uint32_t *to, uint32_t i)
{
	return i == TOKEN_NONE ? i : to[i];
}

/* Each closure becomes a name; what stands behind it has other numbers then. */
static int join(struct host_text *h, struct error *err)
{
	const struct token_list *from = &h->closures.tokens;
	struct token_list *l = &h->split.tokens;
	uint32_t *to = mem_pool_array(h->pool, from->n + 1, sizeof(*to)), n = 0, next = 0;

	l->at = mem_pool_array(h->pool, from->n + 1, sizeof(*l->at));
	if (!to || !l->at)
		return error_set(err, ERROR_MEMORY, "out of memory for the lambdas of a cell");
	for (uint32_t i = 0; i < from->n; i++) {
		struct closure *x = next < h->closures.n ? &h->closures.at[next] : NULL;

		to[i] = n;
		if (x && i >= x->first && i + 1 < x->end)
			continue;
		l->at[n] = from->at[i];
		if (x && i + 1 == x->end) {
			l->at[n] = from->at[x->first];
			l->at[n].kind = TOKEN_NAME;
			l->at[n].match = TOKEN_NONE;
			l->at[n].end = from->at[i].end;
			x->token = n;
			next++;
		}
		n++;
	}
	to[from->n] = l->n = n;
	for (uint32_t i = 0; i < n; i++)
		l->at[i].match = moved(to, l->at[i].match);
	l->unclosed = moved(to, l->unclosed);
	l->unopened = moved(to, l->unopened);
	for (uint32_t i = 0; i < h->split.n_items; i++) {
		struct item *item = &h->split.items[i];

		item->first = to[item->first];
		item->end = to[item->end];
		item->body = moved(to, item->body);
	}
	return 0;
}

uint32_t closure_item(const struct host_text *h, const struct closure *x)
{
	uint32_t i = 0;

	while (i < h->split.n_items && (x->token < h->split.items[i].first || x->token >= h->split.items[i].end))
		i++;
	return i;
}

const struct token_list *closure_words(const struct host_text *h)
{
	return h->closures.n ? &h->closures.tokens : &h->split.tokens;
}

/* ---- names that are declared on the way ---- */

static bool same_text(const struct token_list *l, uint32_t a, uint32_t b)
{
	return token_len(l, a) == token_len(l, b) && !memcmp(token_text(l, a), token_text(l, b), token_len(l, a));
}

static bool is_type(const struct name_source *names, const struct token_list *l, uint32_t i)
{
	return split_at_specifier(l, i) || (split_at_identifier(l, i) &&
					    names->classify(names->context, token_text(l, i), token_len(l, i)) == NAME_TYPE);
}

/* In front of i, back to `from`: the open bracket that it stands in; TOKEN_NONE for none. */
static uint32_t open_before(const struct token_list *l, uint32_t from, uint32_t i)
{
	while (i-- > from) {
		if (token_is(l, i, "(") || token_is(l, i, "{") || token_is(l, i, "["))
			return i;
		if ((token_is(l, i, ")") || token_is(l, i, "}") || token_is(l, i, "]")) && l->at[i].match != TOKEN_NONE)
			i = l->at[i].match;
	}
	return TOKEN_NONE;
}

/* The first token of the declaration that names i, `int a = 1, *i;`; TOKEN_NONE when i stands in a value. */
static uint32_t statement_of(const struct token_list *l, uint32_t from, uint32_t i)
{
	uint32_t first = i;
	bool behind_comma = false;

	while (first > from) {
		uint32_t k = first - 1;

		if (token_is(l, k, ";") || token_is(l, k, "{") || token_is(l, k, "}"))
			return first;
		if (token_is(l, k, "[") || (token_is(l, k, "=") && !behind_comma))
			return TOKEN_NONE;
		if (token_is(l, k, "(") && !(k && token_is(l, k - 1, "for")) && behind_comma)
			break;
		if (token_is(l, k, "("))
			return first;
		behind_comma |= token_is(l, k, ",");
		first = token_is(l, k, ")") || token_is(l, k, "]") ? (l->at[k].match != TOKEN_NONE ? l->at[k].match : k) : k;
	}
	if (first == from)
		return first;
	/* A parameter begins behind its own comma. */
	for (first = i; !token_is(l, first - 1, ",") && !token_is(l, first - 1, "(");)
		first--;
	return first;
}

static bool declares(const struct name_source *names, const struct token_list *l, uint32_t from, uint32_t i)
{
	static const char *const behind[] = { "=", ";", ",", ")", "[", "{", "(", ":" };
	bool ends = false;
	uint32_t first;

	for (size_t k = 0; k < sizeof(behind) / sizeof(*behind); k++)
		ends |= token_is(l, i + 1, behind[k]);
	if (!ends || i <= from)
		return false;
	if (token_is_name(l, i - 1)) {
		enum word_class class = split_word_class(token_text(l, i - 1), token_len(l, i - 1));

		return class != WORD_STATEMENT && class != WORD_OPERATOR;
	}
	if (!token_is(l, i - 1, "*") && !token_is(l, i - 1, "&") && !token_is(l, i - 1, "&&") && !token_is(l, i - 1, ",") &&
	    !token_is(l, i - 1, ">"))
		return false;
	first = statement_of(l, from, i);
	return first != TOKEN_NONE && first < i &&
	       (is_type(names, l, first) || (split_at_identifier(l, first) && token_is_name(l, first + 1)) ||
		(token_is(l, i - 1, ">") && (token_is(l, first + 1, "<") || token_is(l, first + 1, "::"))));
}

/* The token at which the name declared at i is forgotten. */
static uint32_t scope_end(const struct token_list *l, uint32_t from, uint32_t i)
{
	uint32_t open = open_before(l, from, i), at;

	if (open == TOKEN_NONE || token_is(l, open, "{"))
		return open == TOKEN_NONE || l->at[open].match == TOKEN_NONE ? l->n : l->at[open].match;
	/* Parameters, or the head of a loop: to the end of what follows. */
	for (at = token_behind(l, open); at < l->n && !token_is(l, at, "{") && !token_is(l, at, ";");)
		at = token_is(l, at, "(") ? token_behind(l, at) : at + 1;
	return token_is(l, at, "{") ? token_behind(l, at) : at;
}

/* Where tokens from `from` on have declared the name that holds at `at`; TOKEN_NONE: they have not. */
static uint32_t find_declared(const struct name_source *names, const struct token_list *l, uint32_t from, uint32_t at,
			      uint32_t name)
{
	for (uint32_t i = at; i-- > from;)
		if (token_is_name(l, i) && same_text(l, i, name) && declares(names, l, from, i) && scope_end(l, from, i) > at)
			return i;
	return TOKEN_NONE;
}

/* ---- what is captured ---- */

static bool has(const struct closure *x, const struct token_list *l, uint32_t token)
{
	for (uint32_t i = 0; i < x->n; i++)
		if (strlen(x->captured[i].name) == token_len(l, token) &&
		    !memcmp(x->captured[i].name, token_text(l, token), token_len(l, token)))
			return true;
	return false;
}

/* The value of `x = static_cast<int>(a)`, with the words of C++ taken out. */
static const char *value_of(const struct host_text *h, uint32_t first, uint32_t end)
{
	const struct token_list *all = &h->closures.tokens;
	struct edit_list edits = { 0 };
	struct unit_text text;
	struct token_list l;
	const char *value;
	size_t len;

	if (first >= end)
		return "0";
	len = all->at[end - 1].end - all->at[first].start;
	if (token_list_init(&l, token_text(all, first), len, h->pool, NULL))
		return NULL;
	for (uint32_t i = 0; i < l.n; i++) {
		cast_syntax_edit(&l, i, &edits);
		cpp_syntax_edit(&l, i, h->pool, &edits);
	}
	edit_list_sort(&edits);
	unit_text_init(&text, l.text, len, h->cell_name);
	unit_text_copy(&text, 0, (uint32_t)len, &edits);
	value = mem_pool_strdup(h->pool, buffer_text(&text.text));
	unit_text_release(&text);
	edit_list_release(&edits);
	return value;
}

static void add(struct host_text *h, struct closure *x, uint32_t token, const char *value, bool is_implicit)
{
	const struct token_list *l = &h->closures.tokens;
	const char *name = mem_pool_strndup(h->pool, token_text(l, token), token_len(l, token));

	if (name)
		x->captured[x->n++] =
			(struct captured){ .token = token, .name = name, .value = value, .is_implicit = is_implicit };
}

static void read_captures(struct host_text *h, struct closure *x)
{
	const struct token_list *l = &h->closures.tokens;
	uint32_t close = token_behind(l, x->first) - 1;

	for (uint32_t i = x->first + 1, end; i < close; i = end + 1) {
		end = capture_end(l, i, close);
		if (token_is(l, i, "="))
			x->takes_all = true;
		else if (token_is(l, i + 1, "="))
			add(h, x, i, value_of(h, i + 2, end), false);
		else if (i + 1 < end)
			add(h, x, i, value_of(h, i + 2, end - 1), false);
		else
			add(h, x, i, NULL, false);
	}
}

/* Does an item of the cell declare a variable of this name? */
static bool is_of_cell(const struct host_text *h, uint32_t name)
{
	const struct token_list *l = &h->closures.tokens, *own = &h->split.tokens;

	for (uint32_t i = 0; i < h->split.n_items; i++)
		for (uint32_t k = 0; k < h->parts[i].n; k++) {
			const struct declarator *d = &h->parts[i].declarators[k];
			uint32_t t = d->name;

			if (t != TOKEN_NONE && !d->is_function && token_len(own, t) == token_len(l, name) &&
			    !memcmp(token_text(own, t), token_text(l, name), token_len(l, name)))
				return true;
		}
	return false;
}

static uint32_t item_start(const struct host_text *h, const struct closure *x)
{
	uint32_t start = h->split.tokens.at[h->split.items[closure_item(h, x)].first].start, i = x->first;

	while (i && h->closures.tokens.at[i - 1].start >= start)
		i--;
	return i;
}

uint32_t closure_local(const struct host_text *h, const struct session *session, const struct closure *x, uint32_t token,
		       uint32_t *ret_first)
{
	struct name_source names = session_names((struct session *)session);
	uint32_t from = item_start(h, x), at = find_declared(&names, &h->closures.tokens, from, x->first, token);

	*ret_first = at == TOKEN_NONE ? TOKEN_NONE : statement_of(&h->closures.tokens, from, at);
	return at;
}

static bool has_word(const char *text, const char *word, size_t len)
{
	for (const char *at = text; (at = memmem(at, strlen(at), word, len)); at += len)
		if ((at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
		    !(isalnum((unsigned char)at[len]) || at[len] == '_'))
			return true;
	return false;
}

bool closure_has_local_type(const struct host_text *h, const struct closure *x, const char *type)
{
	const struct token_list *l = &h->closures.tokens;

	for (uint32_t i = item_start(h, x) + 1; i < x->first; i++)
		if (token_is_name(l, i) && has_word(type, token_text(l, i), token_len(l, i)) &&
		    (token_is(l, i - 1, "}") || (token_is(l, i + 1, "{") && (token_is(l, i - 1, "struct") ||
									      token_is(l, i - 1, "union") ||
									      token_is(l, i - 1, "enum")))))
			return true;
	return false;
}

/* A name that is called is one of device code, unless the cell says otherwise. */
static bool may_be_variable(const struct host_text *h, const struct session *session, const struct name_source *names,
			    const struct closure *x, uint32_t i)
{
	const struct token_list *l = &h->closures.tokens;
	const struct declaration *d;
	uint32_t first;

	if (is_type(names, l, i))
		return false;
	if (!token_is(l, i + 1, "("))
		return true;
	d = session_find(session, token_text(l, i), token_len(l, i));
	return (d && d->kind == DECLARATION_VARIABLE) || is_of_cell(h, i) ||
	       closure_local(h, session, x, i, &first) != TOKEN_NONE;
}

static void find_implicit(struct host_text *h, const struct session *session, struct closure *x)
{
	const struct token_list *l = &h->closures.tokens;
	struct name_source names = session_names((struct session *)session);
	uint32_t from = x->parameters != TOKEN_NONE ? x->parameters : x->body;

	for (uint32_t i = x->body; i < x->end; i++)
		if (split_at_identifier(l, i) && !token_is(l, i - 1, ".") && !token_is(l, i - 1, "->") &&
		    !token_is(l, i - 1, "::") && !token_is(l, i + 1, "::") && !has(x, l, i) &&
		    may_be_variable(h, session, &names, x, i) && find_declared(&names, l, from, i + 1, i) == TOKEN_NONE)
			add(h, x, i, NULL, true);
}

int closure_find(struct host_text *h, struct error *err)
{
	struct closures *c = &h->closures;
	const struct token_list *l = &h->split.tokens;
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++)
		n += token_is(l, i, "[");
	c->at = mem_pool_array(h->pool, n + 1, sizeof(*c->at));
	if (!c->at)
		return error_set(err, ERROR_MEMORY, "out of memory for the lambdas of a cell");
	for (uint32_t k = 0; k < h->split.n_items; k++) {
		const struct item *item = &h->split.items[k];

		if (item->kind == ITEM_DIRECTIVE || item->world != WORLD_HOST)
			continue;
		for (uint32_t i = item->first; i < item->end; i++) {
			struct closure *x = &c->at[c->n];
			enum closure_fault fault = token_is(l, i, "[") ? closure_read(l, i, x) : CLOSURE_NONE;

			if (fault != CLOSURE_NONE)
				i = x->end - 1;
			c->n += fault == CLOSURE_GOOD;
		}
	}
	if (drop_marks(h, err))
		return -1;
	c->tokens = *l;
	return c->n ? join(h, err) : 0;
}

int closure_find_captures(struct host_text *h, const struct session *session, struct error *err)
{
	for (uint32_t k = 0; k < h->closures.n; k++) {
		struct closure *x = &h->closures.at[k];

		x->captured = mem_pool_array(h->pool, x->end - x->first, sizeof(*x->captured));
		if (!x->captured)
			return error_set(err, ERROR_MEMORY, "out of memory for the lambdas of a cell");
		read_captures(h, x);
		find_implicit(h, session, x);
	}
	return 0;
}
