/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/beyond-c.h"

#include <ctype.h>
#include <string.h>

#include "compiler/host-text.h"
#include "compiler/session.h"

/* A value may begin here: no array, no attribute. */
static bool begins_value(const struct token_list *l, uint32_t i)
{
	if (token_is(l, i + 1, "[") || (i && token_is(l, i - 1, "[")))
		return false;
	if (!i || !token_is_name(l, i - 1))
		return !i || !(token_is(l, i - 1, ")") || token_is(l, i - 1, "]") || l->at[i - 1].kind == TOKEN_STRING);
	return split_word_class(token_text(l, i - 1), token_len(l, i - 1)) == WORD_STATEMENT;
}

/* `[=] __device__ (int i) { ... }`: a bracket, behind it marks or parameters, and a body. */
static bool is_lambda(const struct token_list *l, uint32_t i)
{
	uint32_t at = token_behind(l, i), behind = at;

	if (!token_is(l, i, "[") || l->at[i].match == TOKEN_NONE || !begins_value(l, i))
		return false;
	while (token_is(l, at, "__device__") || token_is(l, at, "__host__"))
		at++;
	if (!token_is(l, at, "(") && at == behind)
		return false;
	while (at < l->n && !token_is(l, at, "{") && !token_is(l, at, ";") && !token_is(l, at, ")"))
		at = token_is(l, at, "(") ? token_behind(l, at) : at + 1;
	return token_is(l, at, "{");
}

static bool same_text(const struct token_list *l, uint32_t a, uint32_t b)
{
	return token_len(l, a) == token_len(l, b) && !memcmp(token_text(l, a), token_text(l, b), token_len(l, a));
}

/* `k<float><<<g, b>>>(p)`, and `k<<<g, b>>>(p)` of an entry that is a template. */
static bool launches_template(const struct split *s, const struct session *session, uint32_t open)
{
	const struct token_list *l = &s->tokens;
	const struct declaration *d;

	if (!token_is(l, open, "<<<") || !open)
		return false;
	if (token_is(l, open - 1, ">"))
		return true;
	for (uint32_t i = 0; i < s->n_items; i++) {
		uint32_t name = s->items[i].is_entry ? split_template_name(l, &s->items[i]) : TOKEN_NONE;

		if (name != TOKEN_NONE && same_text(l, name, open - 1))
			return token_is(l, s->items[i].first, "template");
	}
	d = session_find(session, token_text(l, open - 1), token_len(l, open - 1));
	return d && d->kind == DECLARATION_DEVICE_FUNCTION;
}

/* `Acc a(q, 32);`: what stands in the parentheses is no list of parameters. */
static bool is_constructed(const struct host_text *h, const struct session *session, uint32_t i)
{
	const struct token_list *l = &h->split.tokens;
	const struct declaration_parts *p = &h->parts[i];
	struct name_source names = session_names((struct session *)session);
	uint32_t first;

	if (p->n != 1 || p->type_name == TOKEN_NONE || p->is_typedef || p->is_extern || !p->declarators[0].is_function)
		return false;
	first = p->declarators[0].name + 2;
	return l->at[first].kind == TOKEN_NUMBER || l->at[first].kind == TOKEN_STRING || token_is(l, first, "&") ||
	       (split_at_identifier(l, first) && (token_is(l, first + 1, ",") || token_is(l, first + 1, ")")) &&
		names.classify(names.context, token_text(l, first), token_len(l, first)) == NAME_VALUE);
}

/* `namespace geo { ... }`, `using namespace geo;`, `using real = float;`: to split.c it is device code, which C does not see. */
static bool is_of_namespaces(const struct token_list *l, uint32_t i)
{
	return split_at_specifier(l, i) && (token_is(l, i, "using") || token_is(l, i, "namespace"));
}

static bool is_word(const char *text, const char *word, size_t len)
{
	return !strncmp(text, word, len) && !isalnum((unsigned char)text[len]) && text[len] != '_';
}

/* Has a C++ cell a namespace, or another name for one, that is called so? */
static bool is_namespace(const struct session *session, const char *name, size_t len)
{
	static const char head[] = "namespace ";

	for (uint32_t i = session_count(session); i-- > 0;) {
		const struct declaration *d = session_at(session, i);

		if (d->kind == DECLARATION_CPP && !strncmp(d->host, head, strlen(head)) &&
		    is_word(d->host + strlen(head), name, len))
			return true;
	}
	return false;
}

/* `geo::scale<<<1, 32>>>(p)`: NVRTC takes its time to find that it does not know the name. */
static bool is_in_namespace(const struct split *s, const struct session *session, const struct item *item)
{
	const struct token_list *l = &s->tokens;

	for (uint32_t t = item->first + 1; t < item->end; t++)
		if (token_is(l, t, "::") && token_is_name(l, t - 1) &&
		    is_namespace(session, token_text(l, t - 1), token_len(l, t - 1)))
			return true;
	return false;
}

/* The key of a function (compiler/clang-pieces.cc) is its name and the types of its parameters. */
static bool is_function_of_cpp(const struct declaration *d, const char *name, size_t len)
{
	return d->kind == DECLARATION_CPP && !strncmp(d->name, name, len) && d->name[len] == '(' &&
	       strncmp(d->host, "extern \"C\"", strlen("extern \"C\""));
}

/* `int f(int x) { ... }` where a C++ cell has the last function f: in C it would be another one, which no caller knows. */
static bool defines_function_of_cpp(const struct host_text *h, const struct session *session, uint32_t i)
{
	const struct token_list *l = &h->split.tokens;
	const struct declaration_parts *p = &h->parts[i];
	uint32_t of_c, name;

	if (p->n != 1)
		return false;
	name = p->declarators[0].name;
	of_c = session_index(session, token_text(l, name), token_len(l, name));
	for (uint32_t k = session_count(session); k-- > (of_c == TOKEN_NONE ? 0 : of_c);)
		if (is_function_of_cpp(session_at(session, k), token_text(l, name), token_len(l, name)))
			return true;
	return false;
}

bool beyond_c(const struct host_text *h, const struct session *session)
{
	const struct split *s = &h->split;

	for (uint32_t i = 0; i < s->n_items; i++) {
		const struct item *item = &s->items[i];

		if (is_of_namespaces(&s->tokens, item->first) || is_in_namespace(s, session, item))
			return true;
		if (item->kind == ITEM_DIRECTIVE || item->world != WORLD_HOST)
			continue;
		if (item->kind == ITEM_DECLARATION ? is_constructed(h, session, i) :
		    item->kind == ITEM_FUNCTION && defines_function_of_cpp(h, session, i))
			return true;
		for (uint32_t t = item->first; t < item->end; t++)
			if (is_lambda(&s->tokens, t) || launches_template(s, session, t))
				return true;
	}
	return false;
}
