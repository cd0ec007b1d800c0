/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/default-arguments.h"

#include "common/buffer.h"
#include "common/cleanup.h"
#include "compiler/host-text.h"

#define PARAMETERS_MAX 32

struct parameter {
	uint32_t first, end; /* tokens, without its value */
	uint32_t name;
	uint32_t value, value_end; /* TOKEN_NONE: it has none */
};

static uint32_t read_parameters(const struct token_list *l, uint32_t open, struct parameter *ret)
{
	uint32_t close = token_behind(l, open) - 1, n = 0;

	for (uint32_t t = open + 1; t < close && n < PARAMETERS_MAX;) {
		struct parameter *p = &ret[n++];

		*p = (struct parameter){ .first = t, .end = t, .value = TOKEN_NONE };
		t = p->value_end = declarator_parameter_end(l, t, close);
		while (p->end < t && !token_is(l, p->end, "="))
			p->end++;
		if (p->end < t)
			p->value = p->end + 1;
		p->name = declarator_parameter_name(l, p->first, p->end);
		t++;
	}
	return n;
}

/* The `(` of the parameters of item i; TOKEN_NONE: it is no function. */
static uint32_t parameters_of(const struct host_text *h, uint32_t i)
{
	const struct declaration_parts *p = &h->parts[i];
	const struct token_list *l = &h->split.tokens;
	const struct declarator *d = p->declarators;

	if (h->split.items[i].is_entry || p->is_other || p->n != 1 || !d->is_function || d->name == TOKEN_NONE ||
	    !token_is(l, d->name + 1, "("))
		return TOKEN_NONE;
	return d->name + 1;
}

void default_arguments_edit(struct host_text *h, uint32_t i)
{
	const struct token_list *l = &h->split.tokens;
	struct parameter parameters[PARAMETERS_MAX];
	uint32_t open = parameters_of(h, i), n = open == TOKEN_NONE ? 0 : read_parameters(l, open, parameters);

	for (uint32_t k = 0; k < n; k++)
		if (parameters[k].value != TOKEN_NONE)
			edit_list_add(&h->edits, l->at[parameters[k].end].start, l->at[parameters[k].value_end - 1].end, "");
}

static void put(const struct token_list *l, uint32_t first, uint32_t end, struct buffer *out)
{
	if (end > first)
		buffer_append(out, token_text(l, first), l->at[end - 1].end - l->at[first].start);
}

/* What it returns, without words that say where the function is to be seen. */
static void put_result(const struct host_text *h, uint32_t i, struct buffer *out)
{
	const struct token_list *l = &h->split.tokens;
	const struct declaration_parts *p = &h->parts[i];

	for (uint32_t t = p->first; t < p->declarators[0].name; t++) {
		static const char *const marks[] = { "static",	   "inline",	       "__inline__", "extern",
						     "__host__",   "__forceinline__",  "__device__" };
		bool is_mark = l->at[t].kind == TOKEN_STRING;

		for (size_t k = 0; k < sizeof(marks) / sizeof(*marks); k++)
			is_mark |= token_is(l, t, marks[k]);
		if (is_mark)
			continue;
		put(l, t, t + 1, out);
		buffer_putc(out, ' ');
	}
}

/* The one that is called with the first `given` arguments. */
static void put_overload(const struct host_text *h, uint32_t i, const struct parameter *p, uint32_t n, uint32_t given,
			 struct buffer *out)
{
	const struct token_list *l = &h->split.tokens;
	uint32_t name = h->parts[i].declarators[0].name;

	buffer_puts(out, " __attribute__((overloadable, unused)) static inline ");
	put_result(h, i, out);
	put(l, name, name + 1, out);
	buffer_putc(out, '(');
	for (uint32_t k = 0; k < given; k++) {
		buffer_puts(out, k ? ", " : "");
		put(l, p[k].first, p[k].end, out);
	}
	buffer_puts(out, given ? ") { return " : "void) { return ");
	put(l, name, name + 1, out);
	for (uint32_t k = 0; k < n; k++) {
		buffer_puts(out, k ? ", " : "(");
		k < given ? put(l, p[k].name, p[k].name + 1, out) : put(l, p[k].value, p[k].value_end, out);
	}
	buffer_puts(out, "); }");
}

const char *default_arguments_overloads(const struct host_text *h, uint32_t i)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct parameter parameters[PARAMETERS_MAX];
	uint32_t open = parameters_of(h, i), n = open == TOKEN_NONE ? 0 : read_parameters(&h->split.tokens, open, parameters);

	for (uint32_t given = n; given-- > 0 && parameters[given].value != TOKEN_NONE;) {
		bool named = true;

		for (uint32_t k = 0; k < given; k++)
			named &= parameters[k].name != TOKEN_NONE;
		if (named)
			put_overload(h, i, parameters, n, given, &out);
	}
	return buffer_check(&out, NULL) ? NULL : mem_pool_strdup(h->pool, buffer_text(&out));
}
