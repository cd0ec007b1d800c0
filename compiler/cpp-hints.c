/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/cpp-hints.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/buffer.h"
#include "compiler/device-variable.h"
#include "compiler/host-text.h"

#define CPP_CELLS "Host code in C++ goes into a %%cpp cell, with launches into a %%cuda cell"

/* The word in quotes behind `start`; NULL when the message is another one. */
static const char *quoted(const char *message, const char *start, size_t *ret_len)
{
	const char *word = strstr(message, start);

	if (!word)
		return NULL;
	word += strlen(start);
	*ret_len = strcspn(word, "'");
	return word;
}

static bool is_token(const struct token_list *l, uint32_t i, const char *word, size_t len)
{
	return i != TOKEN_NONE && token_len(l, i) == len && !memcmp(token_text(l, i), word, len);
}

/* "no member named 'dot' in 'struct Vec3'" */
static bool is_class(const struct host_text *h, const struct session *session, const char *tag, size_t len)
{
	const struct split *s = &h->split;

	for (uint32_t i = 0; i < s->n_items; i++)
		if (s->items[i].is_class && is_token(&s->tokens, h->parts[i].tag_name, tag, len))
			return true;
	for (uint32_t i = session_count(session); i-- > 0;) {
		const struct declaration *d = session_at(session, i);

		if (d->kind == DECLARATION_TAG && strlen(d->name) == len && !memcmp(d->name, tag, len))
			return strcmp(d->host, d->device) != 0;
	}
	return false;
}

/* A function that C code does not see: `__device__`, or a template. */
static bool is_device_function(const struct host_text *h, const struct session *session, const char *name, size_t len)
{
	const struct declaration *d = session_find(session, name, len);
	const struct split *s = &h->split;

	for (uint32_t i = 0; i < s->n_items; i++) {
		const struct declaration_parts *p = &h->parts[i];

		if (s->items[i].kind == ITEM_DIRECTIVE || s->items[i].world != WORLD_DEVICE || s->items[i].is_entry)
			continue;
		uint32_t own = p->is_other || !p->n ? split_template_name(&s->tokens, &s->items[i]) : p->declarators[0].name;

		if (is_token(&s->tokens, own, name, len))
			return true;
	}
	return d && d->kind == DECLARATION_DEVICE_FUNCTION;
}

static bool is_entry(const struct host_text *h, const char *name, size_t len)
{
	const struct split *s = &h->split;

	for (uint32_t i = 0; i < s->n_items; i++)
		if (s->items[i].is_entry && h->parts[i].n && is_token(&s->tokens, h->parts[i].declarators[0].name, name, len))
			return true;
	return false;
}

static bool is_cpp_word(const char *word, size_t len)
{
	static const char *const words[] = { "std", "new", "delete", "cout", "cin", "cerr", "endl", "vector", "string", "thrust" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == len && !memcmp(words[i], word, len))
			return true;
	return false;
}

const char *cpp_hint(const struct host_text *h, const struct session *session, const char *message)
{
	const char *word;
	size_t len;

	word = quoted(message, "use of undeclared identifier '", &len);
	if (word && is_cpp_word(word, len))
		return "this cell is C. " CPP_CELLS;
	if (!word)
		word = quoted(message, "call to undeclared function '", &len);
	if (word && is_device_function(h, session, word, len))
		return "this function is for device code: neither a __device__ function nor a template can be called by C code. " CPP_CELLS;
	word = strstr(message, "no member named '") ? quoted(message, "' in 'struct ", &len) : NULL;
	if (word && is_class(h, session, word, len))
		return "its member functions are for device code: C cells have the data members only. " CPP_CELLS;
	word = quoted(message, "conflicting types for '", &len);
	if (word && is_entry(h, word, len))
		return "C has no functions of the same name, and so entries cannot have one: use two names, or one template";
	return NULL;
}

/* What host code alone has by this name. */
static const char *host_hint(const struct host_text *h, const struct session *session, const char *name, size_t len)
{
	static const char function[] = "is a function of the host: with __host__ __device__ in front of it, device code can call it too";
	static const char variable[] = "is a variable of the host: hand its value over as an argument, or make it __device__ or "
				       "__managed__";
	const struct declaration *d = session_find(session, name, len);
	const struct split *s = &h->split;

	for (uint32_t i = 0; i < s->n_items; i++) {
		const struct declaration_parts *p = &h->parts[i];

		if (s->items[i].kind == ITEM_DIRECTIVE || s->items[i].world != WORLD_HOST)
			continue;
		for (uint32_t k = 0; k < p->n && !p->is_other && !p->is_typedef; k++)
			if (is_token(&s->tokens, p->declarators[k].name, name, len))
				return p->declarators[k].is_function ? function : variable;
	}
	if (!d || (d->kind != DECLARATION_FUNCTION && d->kind != DECLARATION_VARIABLE))
		return NULL;
	return d->kind == DECLARATION_FUNCTION ? function : variable;
}

void cpp_hint_device(const struct host_text *h, const struct session *session, const char *log, struct buffer *out)
{
	static const char start[] = "identifier \"", undefined[] = "\" is undefined";
	char line[200];

	for (const char *name = log; (name = strstr(name, start)); name++) {
		name += strlen(start);
		size_t len = strcspn(name, "\"\n");
		const char *hint = strncmp(name + len, undefined, strlen(undefined)) ? NULL : host_hint(h, session, name, len);

		if (!hint || len > 40)
			continue;
		snprintf(line, sizeof(line), "      = '%.*s' %s\n", (int)len, name, hint);
		if (!strstr(buffer_text(out), line))
			buffer_puts(out, line);
	}
}

/* `[=] __device__ (int i) {`, `[s](int i) __device__ {` */
static bool is_device_lambda(const struct token_list *l, uint32_t i)
{
	uint32_t behind = token_behind(l, i);

	if (!token_is(l, i, "[") || (i && (token_is_name(l, i - 1) || token_is(l, i - 1, ")") || token_is(l, i - 1, "]"))))
		return false;
	if (token_is(l, behind, "("))
		behind = token_behind(l, behind);
	return token_is(l, behind, "__device__") || (token_is(l, behind, "__host__") && token_is(l, behind + 1, "__device__"));
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

uint32_t cpp_hint_refuse(const struct host_text *h, const struct session *session, const char **ret_what)
{
	const struct split *s = &h->split;

	for (uint32_t i = 0; i < s->n_items; i++) {
		const struct item *item = &s->items[i];
		bool lambda = false;

		if (item->kind == ITEM_DIRECTIVE)
			continue;
		if (item->kind == ITEM_DECLARATION && item->world == WORLD_HOST && is_constructed(h, session, i)) {
			*ret_what = "is made by a constructor, which C code does not have: write = { ... } with the values of its "
				    "members, or use a %%cuda cell";
			return h->parts[i].declarators[0].name;
		}
		device_variable_name(h, i, &lambda);
		for (uint32_t t = item->first; (lambda || item->world == WORLD_HOST) && t < item->end; t++) {
			if (!is_device_lambda(&s->tokens, t))
				continue;
			if (lambda && token_is(&s->tokens, t + 1, "]"))
				break;
			*ret_what = token_is(&s->tokens, t + 1, "]")
					    ? "begins a lambda in C code: define it in front, `auto f = [] __device__ ...;`, "
					      "and hand f over"
					    : "begins a lambda that captures values of the host, which C code cannot make: hand "
					      "over a struct with these values and a __device__ operator(), or use a %%cuda cell";
			return t;
		}
	}
	return TOKEN_NONE;
}
