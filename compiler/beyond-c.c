/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/cpp-hints.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/buffer.h"
#include "compiler/closure.h"
#include "compiler/device-variable.h"
#include "compiler/host-text.h"

#define CPP_CELLS "Host code in C++ goes into a %%cpp cell, with launches into a %%cuda cell"

static bool is_token(const struct token_list *l, uint32_t i, const char *word, size_t len)
{
	return i != TOKEN_NONE && token_len(l, i) == len && !memcmp(token_text(l, i), word, len);
}

/* Does the cell make a lambda for device code? */
static bool has_lambda(const struct host_text *h)
{
	bool is_lambda = h->closures.n > 0;

	for (uint32_t i = 0; i < h->split.n_items && !is_lambda; i++)
		device_variable_name(h, i, &is_lambda);
	return is_lambda;
}

/* What host code alone has by this name. */
static const char *host_hint(const struct host_text *h, const struct session *session, const char *name, size_t len)
{
	static const char function[] = "is a function of the host: with __host__ __device__ in front of it, device code can call it too";
	static const char variable[] = "is a variable of the host: hand its value over as an argument, or make it __device__ or "
				       "__managed__";
	static const char captured[] = "is a variable of the host: a lambda has a copy of it where it captures it, by [=] or by its name";
	const struct declaration *d = session_find(session, name, len);
	const struct split *s = &h->split;

	for (uint32_t i = 0; i < s->n_items; i++) {
		const struct declaration_parts *p = &h->parts[i];

		if (s->items[i].kind == ITEM_DIRECTIVE || s->items[i].world != WORLD_HOST)
			continue;
		for (uint32_t k = 0; k < p->n && !p->is_other && !p->is_typedef; k++)
			if (is_token(&s->tokens, p->declarators[k].name, name, len))
				return p->declarators[k].is_function ? function : has_lambda(h) ? captured : variable;
	}
	if (!d || (d->kind != DECLARATION_FUNCTION && d->kind != DECLARATION_VARIABLE))
		return NULL;
	return d->kind == DECLARATION_FUNCTION ? function : has_lambda(h) ? captured : variable;
}

void cpp_hint_device(const struct host_text *h, const struct session *session, const char *log, struct buffer *out)
{
	static const char constant[] = "      = what a lambda has captured is constant: `mutable` behind its parameters lets it change its "
				       "copy, which the host does not see\n";
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
	if (has_lambda(h) && strstr(log, "must be a modifiable lvalue"))
		buffer_puts(out, constant);
}

/* Why the lambda at token i stays none of device code; NULL: it does not, or there is none. */
static const char *refuse_lambda(const struct token_list *l, uint32_t i)
{
	struct closure x;

	switch (token_is(l, i, "[") ? closure_read(l, i, &x) : CLOSURE_NONE) {
	case CLOSURE_BY_REFERENCE:
		return "begins a lambda that captures by reference, which would be addresses of host memory: capture copies, `[=]` or "
		       "`[a, b]`, and what it is to write to by a pointer to device memory";
	case CLOSURE_OF_THIS:
		return "begins a lambda that captures an object of C++, which C code does not have: name the values, `[a, b]`, or use a "
		       "%%cuda cell";
	case CLOSURE_OF_HOST:
		return "begins a lambda for host code, which is C: with `__device__` behind the `]` device code can call it. " CPP_CELLS;
	case CLOSURE_OTHER:
		return "begins a lambda with a capture that C code cannot make: copy the value to a variable and capture that one, or use "
		       "a %%cuda cell";
	case CLOSURE_NONE:
	case CLOSURE_GOOD:
		break;
	}
	return NULL;
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

		if (item->kind == ITEM_DIRECTIVE || item->world != WORLD_HOST)
			continue;
		if (item->kind == ITEM_DECLARATION && is_constructed(h, session, i)) {
			*ret_what = "is made by a constructor, which C code does not have: write = { ... } with the values of its "
				    "members, or use a %%cuda cell";
			return h->parts[i].declarators[0].name;
		}
		for (uint32_t t = item->first; t < item->end; t++) {
			*ret_what = refuse_lambda(&s->tokens, t);
			if (*ret_what)
				return t;
		}
	}
	return TOKEN_NONE;
}
