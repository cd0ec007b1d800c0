/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A template's text is read into its own parameters and those of its function. A type as argument stands in C as
 * __typeof__(argument), so that `const T` means the same for pointers. Deduction knows `T`, `const T`, `T *` and so on: what
 * stands around T is taken off the argument's type.
 */
#include "compiler/template-launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/mem-pool.h"
#include "compiler/clang-shim.h"
#include "compiler/device-text.h"
#include "compiler/host-text.h"
#include "compiler/session.h"

#define PARAMETERS_MAX 32

struct part {
	uint32_t first, end; /* tokens of the template */
	uint32_t name;       /* TOKEN_NONE for none */
	uint32_t equals;     /* of a default; TOKEN_NONE for none */
	bool is_type;        /* of the template's own: `typename T` */
};

struct template_text {
	struct token_list l;
	struct part own[PARAMETERS_MAX], of_function[PARAMETERS_MAX];
	uint32_t n_own, n_of_function;
};

/* Behind the `>` that closes the `<` at i; TOKEN_NONE when there is none. */
static uint32_t behind_angle(const struct token_list *l, uint32_t i)
{
	int depth = 0;

	for (; i < l->n; i++) {
		if (token_is(l, i, "("))
			i = token_behind(l, i) - 1;
		else if (token_is(l, i, "<"))
			depth++;
		else if (token_is(l, i, ">") || token_is(l, i, ">>"))
			depth -= token_is(l, i, ">") ? 1 : 2;
		else if (token_is(l, i, ";") || token_is(l, i, "{"))
			return TOKEN_NONE;
		if (depth <= 0)
			return i + 1;
	}
	return TOKEN_NONE;
}

/* The name that the parameter declares: its last one before `[` or `=`, or the one in `(*name)`. */
static void read_part(const struct token_list *l, struct part *p)
{
	p->name = p->equals = TOKEN_NONE;
	p->is_type = token_is(l, p->first, "typename") || token_is(l, p->first, "class");
	for (uint32_t i = p->first; i < p->end && p->equals == TOKEN_NONE; i++) {
		if (token_is(l, i, "="))
			p->equals = i;
		else if (token_is(l, i, "["))
			i = token_behind(l, i) - 1;
		else if (token_is(l, i, "(") && token_is(l, i + 1, "*"))
			p->name = i + 2, i = token_behind(l, i) - 1;
		else if (token_is(l, i, "("))
			i = token_behind(l, i) - 1;
		else if (split_at_identifier(l, i) && i > p->first)
			p->name = i;
	}
}

static bool read_parts(const struct token_list *l, uint32_t i, uint32_t end, struct part *parts, uint32_t *ret_n)
{
	uint32_t first = i;
	int depth = 0;

	for (*ret_n = 0; i <= end; i++) {
		if (i < end && !(token_is(l, i, ",") && !depth)) {
			if (token_is(l, i, "(") || token_is(l, i, "[") || token_is(l, i, "{"))
				i = token_behind(l, i) - 1;
			depth += token_is(l, i, "<");
			depth -= token_is(l, i, ">");
			continue;
		}
		if (*ret_n == PARAMETERS_MAX)
			return false;
		if (i > first && !(i == first + 1 && token_is(l, first, "void"))) {
			parts[*ret_n] = (struct part){ .first = first, .end = i };
			read_part(l, &parts[(*ret_n)++]);
		}
		first = i + 1;
	}
	return true;
}

/* template <...> __global__ void name(...): the name; TOKEN_NONE when the text is something else. */
static uint32_t read_template(struct template_text *t, const char *text, size_t len, struct mem_pool *pool)
{
	const struct token_list *l = &t->l;
	uint32_t behind, i;
	bool is_entry = false;

	*t = (struct template_text){ 0 };
	if (token_list_init(&t->l, text, len, pool, NULL) || !token_is(l, 0, "template") || !token_is(l, 1, "<"))
		return TOKEN_NONE;
	behind = behind_angle(l, 1);
	if (behind == TOKEN_NONE || !read_parts(l, 2, behind - 1, t->own, &t->n_own))
		return TOKEN_NONE;
	for (i = behind; i < l->n && !token_is(l, i, "{") && !token_is(l, i, ";"); i++) {
		is_entry |= token_is(l, i, "__global__");
		if (!token_is(l, i + 1, "("))
			continue;
		if (token_is(l, i, "__launch_bounds__") || token_is(l, i, "__attribute__")) {
			i = token_behind(l, i + 1) - 1;
			continue;
		}
		if (!is_entry || !split_at_identifier(l, i) ||
		    !read_parts(l, i + 2, token_behind(l, i + 1) - 1, t->of_function, &t->n_of_function))
			return TOKEN_NONE;
		return i;
	}
	return TOKEN_NONE;
}

/* The text of the entry template with this name: the cell's own, else the session's; NULL for none. */
static const char *find_template(const struct host_text *h, const struct session *session, uint32_t name, bool *ret_own)
{
	const struct token_list *l = &h->split.tokens;
	const struct declaration *d = session_find(session, token_text(l, name), token_len(l, name));
	const char *found = NULL;
	struct template_text t;

	*ret_own = true;
	for (uint32_t i = 0; i < h->split.n_items; i++) {
		const struct item *item = &h->split.items[i];
		size_t len = l->at[item->end - 1].end - l->at[item->first].start;
		uint32_t at;

		if (!item->is_entry || !token_is(l, item->first, "template"))
			continue;
		at = read_template(&t, token_text(l, item->first), len, h->pool);
		if (at != TOKEN_NONE && token_len(&t.l, at) == token_len(l, name) &&
		    !memcmp(token_text(&t.l, at), token_text(l, name), token_len(l, name)))
			found = mem_pool_strndup(h->pool, token_text(l, item->first), len);
	}
	if (found)
		return found;
	*ret_own = false;
	if (!d || d->kind != DECLARATION_DEVICE_FUNCTION ||
	    read_template(&t, d->device, strlen(d->device), h->pool) == TOKEN_NONE)
		return NULL;
	return mem_pool_strdup(h->pool, d->device);
}

static uint32_t count_arguments(const struct token_list *l, uint32_t call)
{
	uint32_t n = 1, end = token_behind(l, call) - 1;

	if (end <= call + 1)
		return 0;
	for (uint32_t i = call + 1; i < end; i++) {
		if (token_is(l, i, "(") || token_is(l, i, "[") || token_is(l, i, "{"))
			i = token_behind(l, i) - 1;
		else
			n += token_is(l, i, ",");
	}
	return n;
}

/* "float, 4" as parts; how many there are. */
static uint32_t split_arguments(const char *arguments, struct mem_pool *pool, const char **ret)
{
	struct token_list l;
	struct part parts[PARAMETERS_MAX];
	uint32_t n;

	if (token_list_init(&l, arguments, strlen(arguments), pool, NULL) || !read_parts(&l, 0, l.n, parts, &n))
		return 0;
	for (uint32_t i = 0; i < n; i++)
		ret[i] = mem_pool_strndup(pool, token_text(&l, parts[i].first),
					  l.at[parts[i].end - 1].end - l.at[parts[i].first].start);
	return n;
}

/* The parenthesis behind `>>>`. */
static uint32_t call_of(const struct token_list *l, uint32_t open)
{
	for (uint32_t i = open + 1; i < l->n && !token_is(l, i, ";"); i++) {
		if (token_is(l, i, "(") || token_is(l, i, "["))
			i = token_behind(l, i) - 1;
		else if (token_is(l, i, ">>>"))
			return token_is(l, i + 1, "(") && l->at[i + 1].match != TOKEN_NONE ? i + 1 : TOKEN_NONE;
	}
	return TOKEN_NONE;
}

/* Tokens [*ret_first, *ret_end) of the template's arguments, and its name; TOKEN_NONE when this is no such launch. */
static uint32_t name_before(const struct token_list *l, uint32_t open, uint32_t *ret_first, uint32_t *ret_end)
{
	uint32_t i = open;
	int depth = 0;

	*ret_first = *ret_end = 0;
	if (!i || split_at_identifier(l, i - 1))
		return i ? i - 1 : TOKEN_NONE;
	while (i-- > 0) {
		if (token_is(l, i, ")") && l->at[i].match != TOKEN_NONE)
			i = l->at[i].match;
		else if (token_is(l, i, ">") || token_is(l, i, ">>"))
			depth += token_is(l, i, ">") ? 1 : 2;
		else if (token_is(l, i, "<"))
			depth--;
		else if (token_is(l, i, ";") || token_is(l, i, "}"))
			return TOKEN_NONE;
		if (depth <= 0)
			break;
	}
	if (!i || depth || !token_is(l, i, "<") || !split_at_identifier(l, i - 1))
		return TOKEN_NONE;
	*ret_first = i + 1;
	*ret_end = open - 1;
	return i - 1;
}

/* An instance that is older than its template is of another one. */
static bool is_there(const struct session *session, const char *expression, const char *name, size_t len)
{
	uint32_t made = session_index(session, expression, strlen(expression)), of = session_index(session, name, len);

	return made != TOKEN_NONE && of != TOKEN_NONE && made > of && !session_is_hidden(session, made) &&
	       !session_is_hidden(session, of);
}

static void know_arguments(struct host_text *h, const struct session *session, struct template_launch *x, const char *arguments)
{
	const struct token_list *l = &h->split.tokens;
	struct buffer text = BUFFER_INIT;
	bool own;

	buffer_printf(&text, "%.*s<%s>", (int)token_len(l, x->name), token_text(l, x->name), arguments);
	x->arguments = arguments;
	x->expression = mem_pool_strdup(h->pool, buffer_text(&text));
	buffer_release(&text);
	find_template(h, session, x->name, &own);
	x->is_there = !own && x->expression && !closure_is_named(h, x->expression) &&
		      is_there(session, x->expression, token_text(l, x->name), token_len(l, x->name));
}

/* "float, 4": the tokens with single blanks, so that one instance has one name. */
static const char *joined(const struct token_list *l, uint32_t first, uint32_t end, struct mem_pool *pool)
{
	struct buffer text = BUFFER_INIT;
	const char *copy;

	for (uint32_t i = first; i < end; i++) {
		bool words = i > first && token_is_name(l, i - 1) && (token_is_name(l, i) || token_is(l, i, "*"));

		buffer_printf(&text, "%s%.*s", words || (i > first && token_is(l, i - 1, ",")) ? " " : "", (int)token_len(l, i),
			      token_text(l, i));
	}
	if (token_is(l, end, ">>"))
		buffer_puts(&text, ">");
	copy = mem_pool_strdup(pool, buffer_text(&text));
	buffer_release(&text);
	return copy;
}

/* Does the template need no more arguments than these? */
static bool is_complete(const struct template_text *t, uint32_t given)
{
	for (uint32_t i = given; i < t->n_own; i++)
		if (t->own[i].equals == TOKEN_NONE)
			return false;
	return true;
}

static int add_launch(struct host_text *h, const struct session *session, uint32_t open, struct error *err)
{
	const struct token_list *l = &h->split.tokens;
	uint32_t first, end, name = name_before(l, open, &first, &end), call = call_of(l, open);
	struct template_launch x = { .name = name, .open = open };
	const char *given[PARAMETERS_MAX];
	struct template_text t;
	bool own;

	if (name == TOKEN_NONE || call == TOKEN_NONE)
		return 0;
	x.text = find_template(h, session, name, &own);
	if (!x.text)
		return 0;
	read_template(&t, x.text, strlen(x.text), h->pool);
	x.n_types = count_arguments(l, call);
	x.types = mem_pool_array(h->pool, x.n_types + 1, sizeof(*x.types));
	if (!x.types)
		return error_set(err, ERROR_MEMORY, "out of memory for the launches of a cell");
	x.given = first ? joined(l, first, end, h->pool) : "";
	if (x.given && is_complete(&t, split_arguments(x.given, h->pool, given)))
		know_arguments(h, session, &x, x.given);
	h->launches.at[h->launches.n++] = x;
	return 0;
}

/* The parameters of the entry with this name, which is no template: of the cell, else of the session. False: there is none. */
static bool read_entry(const struct host_text *h, const struct session *session, uint32_t name, struct template_text *ret)
{
	const struct token_list *l = &h->split.tokens;
	const struct declaration *d = session_find(session, token_text(l, name), token_len(l, name));
	const char *text = d && d->kind == DECLARATION_ENTRY ? d->device : "";
	uint32_t i = 0;

	for (uint32_t k = 0; k < h->split.n_items; k++) {
		const struct declaration_parts *p = &h->parts[k];

		if (h->split.items[k].is_entry && p->n && p->declarators[0].name != TOKEN_NONE &&
		    token_len(l, p->declarators[0].name) == token_len(l, name) &&
		    !memcmp(token_text(l, p->declarators[0].name), token_text(l, name), token_len(l, name)))
			text = device_text_entry(h, k);
	}
	*ret = (struct template_text){ 0 };
	if (!text || !*text || token_list_init(&ret->l, text, strlen(text), h->pool, NULL))
		return false;
	while (i < ret->l.n && !(token_len(&ret->l, i) == token_len(l, name) && token_is(&ret->l, i + 1, "(") &&
				 !memcmp(token_text(&ret->l, i), token_text(l, name), token_len(l, name))))
		i++;
	return i < ret->l.n &&
	       read_parts(&ret->l, i + 2, token_behind(&ret->l, i + 1) - 1, ret->of_function, &ret->n_of_function);
}

static void add_defaults(struct host_text *h, const struct session *session, uint32_t open)
{
	const struct token_list *l = &h->split.tokens;
	uint32_t first, end, name = name_before(l, open, &first, &end), call = call_of(l, open), given;
	struct buffer text = BUFFER_INIT;
	struct template_text t;

	if (name == TOKEN_NONE || first || call == TOKEN_NONE || !read_entry(h, session, name, &t))
		return;
	given = count_arguments(l, call);
	for (uint32_t k = given; k < t.n_of_function && t.of_function[k].equals != TOKEN_NONE; k++) {
		const struct part *p = &t.of_function[k];

		buffer_printf(&text, "%s%.*s", k ? ", " : "", (int)(t.l.at[p->end - 1].end - t.l.at[p->equals + 1].start),
			      token_text(&t.l, p->equals + 1));
	}
	if (text.len)
		h->launches.defaults[h->launches.n_defaults++] =
			(struct launch_defaults){ open, mem_pool_strdup(h->pool, buffer_text(&text)) };
	buffer_release(&text);
}

const char *template_launch_defaults(const struct template_launches *t, uint32_t open)
{
	for (uint32_t i = 0; t && i < t->n_defaults; i++)
		if (t->defaults[i].open == open && t->defaults[i].text)
			return t->defaults[i].text;
	return "";
}

int template_launch_find(struct host_text *h, const struct session *session, struct error *err)
{
	const struct token_list *l = &h->split.tokens;
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++)
		n += token_is(l, i, "<<<");
	h->launches = (struct template_launches){
		.at = n ? mem_pool_array(h->pool, n, sizeof(*h->launches.at)) : NULL,
		.defaults = n ? mem_pool_array(h->pool, n, sizeof(*h->launches.defaults)) : NULL,
	};
	if (n && (!h->launches.at || !h->launches.defaults))
		return error_set(err, ERROR_MEMORY, "out of memory for the launches of a cell");
	for (uint32_t i = 0; i < l->n; i++)
		if (token_is(l, i, "<<<")) {
			if (add_launch(h, session, i, err))
				return -1;
			add_defaults(h, session, i);
		}
	return 0;
}

const struct template_launch *template_launch_at(const struct template_launches *t, uint32_t open)
{
	for (uint32_t i = 0; t && i < t->n; i++)
		if (t->at[i].open == open)
			return &t->at[i];
	return NULL;
}

const struct template_launch *template_launch_next(const struct template_launches *t, const struct template_launch *previous)
{
	for (uint32_t i = previous ? (uint32_t)(previous - t->at) + 1 : 0; i < t->n; i++) {
		bool first = t->at[i].expression && !t->at[i].is_there;

		for (uint32_t k = 0; first && k < i; k++)
			first = !t->at[k].expression || strcmp(t->at[k].expression, t->at[i].expression) != 0;
		if (first)
			return &t->at[i];
	}
	return NULL;
}

/* Which parameter of the template the token is; -1 for none. */
static int own_parameter(const struct template_text *t, uint32_t i)
{
	for (uint32_t k = 0; k < t->n_own; k++) {
		uint32_t name = t->own[k].name;

		if (name != TOKEN_NONE && token_len(&t->l, name) == token_len(&t->l, i) &&
		    !memcmp(token_text(&t->l, name), token_text(&t->l, i), token_len(&t->l, i)))
			return (int)k;
	}
	return -1;
}

static void put_token(const struct token_list *l, uint32_t i, struct buffer *out)
{
	buffer_printf(out, "%.*s ", (int)token_len(l, i), token_text(l, i));
}

/* A token of the function's parameters, with the template's argument in the place of its parameter. */
static void put_substituted(const struct template_text *t, uint32_t i, const char *const *values, uint32_t n, struct buffer *out)
{
	int own = own_parameter(t, i);

	if (own < 0)
		put_token(&t->l, i, out);
	else if ((uint32_t)own < n)
		buffer_printf(out, t->own[own].is_type ? "__typeof__(%s) " : "(%s) ", values[own]);
	else if (t->own[own].equals != TOKEN_NONE)
		for (uint32_t k = t->own[own].equals + 1; k < t->own[own].end; k++)
			put_token(&t->l, k, out);
}

/* `float *cgpu_argument_0`: the parameter as a variable. An array is a pointer there. */
static void put_variable(const struct template_text *t, const struct part *p, const char *const *values, uint32_t n,
			 uint32_t number, struct buffer *out)
{
	uint32_t end = p->equals != TOKEN_NONE ? p->equals : p->end;

	for (uint32_t i = p->first; i < end; i++) {
		if (i != p->name) {
			put_substituted(t, i, values, n, out);
			continue;
		}
		buffer_printf(out, "%scgpu_argument_%u ", token_is(&t->l, i + 1, "[") ? "*" : "", number);
		if (token_is(&t->l, i + 1, "["))
			return;
	}
	if (p->name == TOKEN_NONE)
		buffer_printf(out, "cgpu_argument_%u ", number);
}

static void put_argument(const struct template_launches *launches, const struct template_launch *x,
			 const struct template_text *t, const char *const *values, uint32_t n, uint32_t number,
			 struct buffer *out)
{
	if (!x->arguments)
		buffer_printf(out, "__auto_type " TEMPLATE_LAUNCH_PREFIX "%u_%u ", (unsigned)(x - launches->at), number);
	else
		put_variable(t, &t->of_function[number], values, n, number, out);
	buffer_puts(out, "= (");
}

static void put_call(const struct template_launch *x, struct buffer *out)
{
	buffer_puts(out, "void *cgpu_arguments[] = { ");
	for (uint32_t i = 0; i < x->n_types; i++)
		buffer_printf(out, "(void *)&cgpu_argument_%u, ", i);
	buffer_printf(out, "0 }; cgpu_launch(\"%s\", cgpu_arguments);", x->expression);
}

static void edit(const struct token_list *l, uint32_t token, struct buffer *text, struct mem_pool *pool, struct edit_list *edits)
{
	edit_list_add(edits, l->at[token].start, l->at[token].end, mem_pool_strdup(pool, buffer_text(text)));
	buffer_clear(text);
}

void template_launch_edit(const struct template_launches *launches, const struct template_launch *x, const struct token_list *l,
			  uint32_t call, struct mem_pool *pool, struct edit_list *edits)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	const char *values[PARAMETERS_MAX];
	uint32_t n = x->arguments ? split_arguments(x->arguments, pool, values) : 0, number = 0, end = token_behind(l, call) - 1;
	struct template_text t;

	read_template(&t, x->text, strlen(x->text), pool);
	buffer_puts(&text, "({ ");
	if (x->n_types != t.n_of_function) {
		buffer_printf(&text, "_Static_assert(0, \"%.*s takes %u arguments, not %u\"); })", (int)token_len(l, x->name),
			      token_text(l, x->name), t.n_of_function, x->n_types);
		edit_list_add(edits, l->at[call].start, l->at[end].end, mem_pool_strdup(pool, buffer_text(&text)));
		return;
	}
	if (x->n_types)
		put_argument(launches, x, &t, values, n, number++, &text);
	edit(l, call, &text, pool, edits);
	for (uint32_t i = call + 1; i < end; i++) {
		if (token_is(l, i, "(") || token_is(l, i, "[") || token_is(l, i, "{")) {
			i = token_behind(l, i) - 1;
		} else if (token_is(l, i, ",")) {
			buffer_puts(&text, "); ");
			put_argument(launches, x, &t, values, n, number++, &text);
			edit(l, i, &text, pool, edits);
		}
	}
	buffer_puts(&text, x->n_types ? "); " : "");
	if (x->arguments)
		put_call(x, &text);
	buffer_puts(&text, " })");
	edit(l, end, &text, pool, edits);
}

void template_launch_type(struct host_text *h, const struct clang_symbol *s)
{
	unsigned launch, argument;

	if (!s->is_local || sscanf(s->name, TEMPLATE_LAUNCH_PREFIX "%u_%u", &launch, &argument) != 2 || launch >= h->launches.n ||
	    argument >= h->launches.at[launch].n_types)
		return;
	h->launches.at[launch].types[argument] = mem_pool_strdup(h->pool, s->type);
}

static void strip_word(char *type, const char *word)
{
	size_t n = strlen(word), len = strlen(type);

	while (!strncmp(type, word, n) && type[n] == ' ')
		memmove(type, type + n + 1, strlen(type + n + 1) + 1);
	for (len = strlen(type); len > n && !strcmp(type + len - n, word) && strchr(" *", type[len - n - 1]); len = strlen(type)) {
		len -= n;
		while (len && type[len - 1] == ' ')
			len--;
		type[len] = 0;
	}
}

static void strip_qualifiers(char *type)
{
	for (int again = 0; again < 3; again++) {
		strip_word(type, "const");
		strip_word(type, "volatile");
		strip_word(type, "restrict");
	}
}

/* Of an argument's type, what T is in `const T *p`; NULL when the parameter has another form. */
static const char *deduce(const struct template_text *t, const struct part *p, int own, const char *type, struct mem_pool *pool)
{
	char *rest = mem_pool_strdup(pool, type);
	uint32_t end = p->name != TOKEN_NONE ? p->name : p->end;

	for (uint32_t i = p->first; rest && i < end; i++) {
		size_t len;

		if (own_parameter(t, i) == own || token_is(&t->l, i, "const") || token_is(&t->l, i, "volatile") ||
		    token_is(&t->l, i, "__restrict__") || token_is(&t->l, i, "__restrict"))
			continue;
		strip_qualifiers(rest);
		len = strlen(rest);
		if (!token_is(&t->l, i, "*") || !len || rest[len - 1] != '*')
			return NULL;
		rest[len - 1] = 0;
	}
	if (rest && p->name != TOKEN_NONE && token_is(&t->l, p->name + 1, "[")) {
		strip_qualifiers(rest);
		if (!*rest || rest[strlen(rest) - 1] != '*')
			return NULL;
		rest[strlen(rest) - 1] = 0;
	}
	if (rest) {
		while (*rest && rest[strlen(rest) - 1] == ' ')
			rest[strlen(rest) - 1] = 0;
		strip_qualifiers(rest);
	}
	return rest && *rest && strcmp(rest, "void") != 0 && !strchr(rest, '(') && !strchr(rest, '[') ? rest : NULL;
}

/* What the template's parameter is by the arguments of the call; NULL when none tells, or they contradict each other. */
static const char *deduce_own(const struct template_launch *x, const struct template_text *t, int own, struct mem_pool *pool)
{
	const char *is = NULL;

	for (uint32_t k = 0; k < t->n_of_function && k < x->n_types; k++)
		for (uint32_t i = t->of_function[k].first; x->types[k] && i < t->of_function[k].end; i++) {
			const char *found;

			if (own_parameter(t, i) != own)
				continue;
			found = deduce(t, &t->of_function[k], own, x->types[k], pool);
			if (found && is && strcmp(is, found) != 0)
				return NULL;
			is = found ? found : is;
		}
	return is;
}

static bool deduce_launch(struct host_text *h, const struct session *session, struct template_launch *x)
{
	cleanup_buffer struct buffer all = BUFFER_INIT;
	const char *values[PARAMETERS_MAX];
	struct template_text t;
	uint32_t n = split_arguments(x->given, h->pool, values);

	read_template(&t, x->text, strlen(x->text), h->pool);
	for (; n < t.n_own; n++) {
		values[n] = t.own[n].is_type ? deduce_own(x, &t, (int)n, h->pool) : NULL;
		if (!values[n] && is_complete(&t, n))
			break;
		if (!values[n])
			return false;
	}
	for (uint32_t i = 0; i < n; i++)
		buffer_printf(&all, "%s%s", i ? ", " : "", values[i]);
	know_arguments(h, session, x, mem_pool_strdup(h->pool, buffer_text(&all)));
	return x->arguments != NULL;
}

bool template_launch_deduce(struct host_text *h, const struct session *session)
{
	bool any = false;

	for (uint32_t i = 0; i < h->launches.n; i++)
		if (!h->launches.at[i].arguments)
			any |= deduce_launch(h, session, &h->launches.at[i]);
	return any;
}

uint32_t template_launch_unknown(const struct host_text *h)
{
	for (uint32_t i = 0; i < h->launches.n; i++)
		if (!h->launches.at[i].arguments)
			return h->launches.at[i].name;
	return TOKEN_NONE;
}
