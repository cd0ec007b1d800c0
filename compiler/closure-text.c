/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The structure has its members in the order of the captures on both sides, by the rules of the same ABI; device code checks that
 * each member is as large there as here. Types are those that clang prints without typedefs, so that device code needs none of
 * libc's names; they come as types of pointers, in which the place of a name can be seen.
 */
#include "compiler/closure.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "common/buffer.h"
#include "common/cleanup.h"
#include "common/mem-pool.h"
#include "compiler/clang-shim.h"
#include "compiler/device-text.h"
#include "compiler/device-variable.h"
#include "compiler/host-text.h"
#include "compiler/include-text.h"
#include "compiler/own-names.h"

#define SEEN CLOSURE_PROBE_PREFIX "seen_"
#define SIZED CLOSURE_PROBE_PREFIX "size_"
/* More than any device takes as arguments of an entry. */
#define ARGUMENTS_MAX 32764

/* ---- what clang is asked ---- */

static void put_question(struct buffer *out, unsigned closure, unsigned number, const struct captured *c)
{
	char value[48];
	const char *name = c->name;

	if (c->value) {
		snprintf(value, sizeof(value), "cgpu_value_%u_%u", closure, number);
		buffer_printf(out, "__auto_type %s = (%s); ", value, c->value);
		name = value;
	}
	buffer_printf(out, "__auto_type " CLOSURE_PROBE_PREFIX "%u_%u = (__typeof_unqual__(%s) *)&(%s); ", closure, number, name,
		      name);
	buffer_printf(out, "char (*" SIZED "%u_%u)[sizeof(%s)][_Alignof(__typeof__(%s))]; ", closure, number, name, name);
}

static void put_questions(const struct host_text *h, const struct closure *x, struct buffer *out)
{
	unsigned number = (unsigned)(x - h->closures.at);

	buffer_printf(out, "({ struct " CLOSURE_UNKNOWN " { char none; } " SEEN "%u = { 0 }; ", number);
	for (uint32_t i = 0; h->probe && i < x->n; i++)
		put_question(out, number, i, &x->captured[i]);
	buffer_printf(out, SEEN "%u; })", number);
}

bool closure_is_open(const struct host_text *h)
{
	for (uint32_t i = 0; i < h->closures.n; i++)
		if (!h->closures.at[i].type)
			return true;
	return false;
}

void closure_symbol(struct host_text *h, const struct clang_symbol *s)
{
	unsigned closure, number;
	struct captured *c;
	char *type;

	if (sscanf(s->name, SEEN "%u", &closure) == 1 && closure < h->closures.n)
		h->closures.at[closure].is_seen = true;
	if ((sscanf(s->name, CLOSURE_PROBE_PREFIX "%u_%u", &closure, &number) != 2 &&
	     sscanf(s->name, SIZED "%u_%u", &closure, &number) != 2) ||
	    closure >= h->closures.n || number >= h->closures.at[closure].n)
		return;
	c = &h->closures.at[closure].captured[number];
	if (!strncmp(s->name, SIZED, strlen(SIZED))) {
		if (sscanf(s->type, "char (*)[%" SCNu64 "][%" SCNu64 "]", &c->size, &c->alignment) != 2)
			c->size = c->alignment = 0;
		return;
	}
	type = mem_pool_strdup(h->pool, s->type);
	if (type)
		own_names_strip(type);
	c->type = type;
}

/* ---- what it has said ---- */

/*
 * Where the star stands that makes the type one of a pointer: the last one, or the last one in the innermost parentheses that
 * begin with one. NULL: it is no such type.
 */
static const char *star_of(const char *type)
{
	const char *at = strstr(type, "(*"), *star;

	if (!at) {
		star = strrchr(type, '*');
		return star;
	}
	for (;;) {
		for (at++; *at == '*' || *at == ' ' || isalpha((unsigned char)*at) || *at == '_';)
			at++;
		if (*at != '(')
			break;
	}
	for (star = at; star > type && *star != '*';)
		star--;
	return *star == '*' ? star : NULL;
}

/* `float (*)[3]` and a name: `float (name)[3]`. */
static void put_member(struct buffer *out, const char *type, const char *name)
{
	const char *star = star_of(type);

	if (star)
		buffer_printf(out, "%.*s %s%s", (int)(star - type), type, name, star + 1);
}

/* A function, whose pointer is `int (*)(int)`, is no variable. */
static bool is_function(const char *type)
{
	const char *at = strstr(type, "(*)(");

	return at != NULL;
}

static bool is_unnamed(const char *type)
{
	return strstr(type, "struct (") || strstr(type, "union (") || strstr(type, "enum (");
}

static bool is_of_host(const char *type)
{
	return strstr(type, "long double") || strstr(type, "_Complex") || strstr(type, "__float128") || strstr(type, "_BitInt");
}

static bool has_bad_type(const struct host_text *h, const struct closure *x, const struct captured *c)
{
	return is_unnamed(c->type) || is_of_host(c->type) || closure_has_local_type(h, x, c->type);
}

static const struct captured *fault_of(const struct host_text *h, const struct closure *x)
{
	for (uint32_t i = 0; i < x->n; i++) {
		const struct captured *c = &x->captured[i];

		if (!c->constant && (c->type ? c->is_of_device || !c->size || c->size > ARGUMENTS_MAX || has_bad_type(h, x, c)
					     : !c->is_implicit))
			return c;
	}
	return NULL;
}

const char *closure_complaint(const struct host_text *h, uint32_t *ret_token)
{
	for (uint32_t i = 0; i < h->closures.n; i++) {
		const struct closure *x = &h->closures.at[i];
		bool open = !x->type && x->is_seen && closure_item(h, x) < h->split.n_items;
		const struct captured *c = open ? fault_of(h, x) : NULL;

		if (!c)
			continue;
		*ret_token = c->token;
		if (!c->type)
			return "is captured by this lambda, and is no variable that the code around it knows";
		if (c->is_of_device)
			return "is captured by this lambda, and is a variable of the device: its body can use it without that";
		if (c->size > ARGUMENTS_MAX)
			return "is captured by this lambda, and so copied into the arguments of the launch, which is too much for them: "
			       "copy it to device memory (cudaMalloc, cudaMemcpy) and capture the pointer";
		if (!c->size)
			return "is captured by this lambda, and has a size that is known only when the cell runs: capture a pointer to "
			       "device memory";
		if (is_of_host(c->type))
			return "is captured by this lambda, and device code does not have its type: copy it to a variable of another type, "
			       "and capture that one";
		return "is captured by this lambda, and device code does not know its type: define it with a name, at the level of a cell";
	}
	return NULL;
}

/*
 * Names that mean the same in device code without being captured: constants, and variables of the device. *ret_variable: it is
 * one of those.
 */
static bool is_of_device(const struct host_text *h, const struct session *session, const char *name, bool *ret_variable)
{
	const struct declaration *d = session_find(session, name, strlen(name));
	const struct token_list *l = &h->split.tokens;

	for (uint32_t i = 0; i < h->split.n_items; i++)
		for (uint32_t k = 0; k < h->parts[i].n; k++)
			if (h->parts[i].declarators[k].name != TOKEN_NONE && token_is(l, h->parts[i].declarators[k].name, name)) {
				*ret_variable = h->split.items[i].world != WORLD_HOST;
				return *ret_variable || device_text_is_constant(h, session, i);
			}
	*ret_variable = d && d->kind == DECLARATION_DEVICE_VARIABLE;
	return *ret_variable || (d && d->kind == DECLARATION_VARIABLE && *d->device);
}

/* ---- its texts ---- */

static void put_text(const struct host_text *h, uint32_t first, uint32_t end, struct buffer *out)
{
	const struct token_list *l = &h->closures.tokens;

	if (end > first)
		buffer_append(out, token_text(l, first), l->at[end - 1].end - l->at[first].start);
}

/* Types that clang prints in words which device code does not have. */
static const char *const device_words[][2] = { { "_Bool", "bool" }, { "_Float16", "__half" }, { "__bf16", "__nv_bfloat16" } };

static void put_device_member(struct buffer *out, const struct captured *c)
{
	cleanup_buffer struct buffer member = BUFFER_INIT;
	const char *text;

	put_member(&member, c->type, c->name);
	text = buffer_text(&member);
	for (size_t i = 0; i < sizeof(device_words) / sizeof(*device_words); i++)
		if (!strncmp(text, device_words[i][0], strlen(device_words[i][0]))) {
			buffer_puts(out, device_words[i][1]);
			text += strlen(device_words[i][0]);
		}
	buffer_puts(out, text);
}

/* What stands between parameters and body, without CUDA's marks: operator() is const unless it says mutable. */
static void put_function(const struct host_text *h, const struct closure *x, struct buffer *out)
{
	const struct token_list *l = &h->closures.tokens;
	uint32_t i = x->behind;
	bool is_mutable = false;

	for (; token_is(l, i, "mutable") || token_is(l, i, "constexpr"); i++)
		is_mutable |= token_is(l, i, "mutable");
	if (!is_mutable)
		buffer_puts(out, " const");
	buffer_putc(out, ' ');
	put_text(h, i, x->body + 1, out);
	for (uint32_t k = 0; k < x->n; k++)
		if (x->captured[k].constant) {
			buffer_puts(out, " constexpr ");
			put_device_member(out, &x->captured[k]);
			buffer_printf(out, " = %s;", x->captured[k].constant);
		}
	buffer_append(out, l->text + l->at[x->body].end, l->at[x->end - 1].end - l->at[x->body].end);
}

static void put_checks(const struct closure *x, struct buffer *out)
{
	for (uint32_t i = 0; i < x->n; i++) {
		const struct captured *c = &x->captured[i];

		if (c->constant)
			continue;
		buffer_printf(out,
			      " static_assert(sizeof(%s::%s) == %" PRIu64 " && alignof(decltype(%s::%s)) == %" PRIu64
			      ", \"%s is captured by this lambda, and has another size in device code than on the host\");",
			      x->type, c->name, c->size, x->type, c->name, c->alignment, c->name);
	}
}

/* What the item that it stands in declares, so that the same words elsewhere are another type. */
static const char *context_of(const struct host_text *h, const struct closure *x)
{
	const struct declaration_parts *p = &h->parts[closure_item(h, x)];
	const struct item *item = &h->split.items[closure_item(h, x)];
	bool declares = (item->kind == ITEM_DECLARATION || item->kind == ITEM_FUNCTION) && p->n;
	uint32_t name = declares ? p->declarators[0].name : TOKEN_NONE;

	return name == TOKEN_NONE ? "" : mem_pool_strndup(h->pool, token_text(&h->split.tokens, name),
							  token_len(&h->split.tokens, name));
}

static void name_type(struct host_text *h, struct closure *x, const char *members, const char *function)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	const char *context = context_of(h, x);
	uint64_t hash;

	if (!context)
		return;
	buffer_printf(&text, "%s\n%s\n%s", context, members, function);
	hash = XXH3_64bits(text.data, text.len);
	buffer_clear(&text);
	buffer_printf(&text, CLOSURE_PREFIX "%s%s%010" PRIx64, context, *context ? "_" : "", hash >> 24);
	x->type = mem_pool_strdup(h->pool, buffer_text(&text));
}

/* The session's older one of this name must not come before it. */
static void mask(struct host_text *h, const struct closure *x)
{
	for (uint32_t i = 0; i < h->n_masks; i++)
		if (!strcmp(h->masks[i].space, "tag") && h->masks[i].len == strlen(x->type) &&
		    !memcmp(h->masks[i].name, x->type, h->masks[i].len))
			return;
	h->masks[h->n_masks++] = (struct session_mask){ .space = "tag", .name = x->type, .len = strlen(x->type) };
}

static void make_texts(struct host_text *h, struct closure *x)
{
	cleanup_buffer struct buffer members = BUFFER_INIT, function = BUFFER_INIT, of_template = BUFFER_INIT, text = BUFFER_INIT;

	for (uint32_t i = 0; i < x->n; i++)
		if (!x->captured[i].constant) {
			put_device_member(&members, &x->captured[i]);
			buffer_puts(&members, "; ");
		}
	device_variable_put_parameters(&h->closures.tokens, x->parameters, &function, &of_template);
	put_function(h, x, &function);
	name_type(h, x, buffer_text(&members), buffer_text(&function));
	if (!x->type)
		return;
	buffer_printf(&text, "struct %s { %s%s__device__ auto operator()", x->type, buffer_text(&members),
		      buffer_text(&of_template));
	x->head = mem_pool_strdup(h->pool, buffer_text(&text));
	x->function = mem_pool_strdup(h->pool, buffer_text(&function));
	buffer_clear(&text);
	buffer_puts(&text, " };");
	put_checks(x, &text);
	x->tail = mem_pool_strdup(h->pool, buffer_text(&text));
	mask(h, x);
}

/* The value of `const int n = 4 * 2;`, which C++ takes for a constant also where nothing is captured; NULL: it is no such one. */
static const char *constant_of(const struct host_text *h, uint32_t name, uint32_t first)
{
	const struct token_list *l = &h->closures.tokens;
	uint32_t end = name + 2;
	bool is_const = false;

	for (uint32_t i = first; i < name; i++) {
		is_const |= token_is(l, i, "const") || token_is(l, i, "constexpr");
		if (token_is(l, i, "*") || token_is(l, i, "=") || token_is(l, i, "("))
			return NULL;
	}
	if (!is_const || !token_is(l, name + 1, "="))
		return NULL;
	for (; !token_is(l, end, ",") && !token_is(l, end, ";"); end++)
		if (end >= l->n || !(l->at[end].kind == TOKEN_NUMBER || l->at[end].kind == TOKEN_CHARACTER ||
				     strchr("()+-*/%<>|&^~!=?:", *token_text(l, end))))
			return NULL;
	return mem_pool_strndup(h->pool, token_text(l, name + 2), l->at[end - 1].end - l->at[name + 2].start);
}

/* What is no variable, or none that is captured, is left out. */
static void keep_captured(struct host_text *h, const struct session *session, struct closure *x)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < x->n; i++) {
		struct captured *c = &x->captured[i];
		uint32_t first, local = c->value ? TOKEN_NONE : closure_local(h, session, x, c->token, &first);
		bool of_device = !c->value && local == TOKEN_NONE && is_of_device(h, session, c->name, &c->is_of_device);

		if (local != TOKEN_NONE && c->is_implicit && c->type)
			c->constant = constant_of(h, local, first);
		if (!c->is_implicit || (c->type && !is_function(c->type) && star_of(c->type) && !of_device &&
					(x->takes_all || c->constant)))
			x->captured[n++] = *c;
	}
	x->n = n;
}

static bool waits(const struct closure *x)
{
	for (uint32_t i = 0; i < x->n; i++)
		if (x->captured[i].type && strstr(x->captured[i].type, CLOSURE_UNKNOWN))
			return true;
	return false;
}

bool closure_resolve(struct host_text *h, const struct session *session)
{
	bool any = false;

	for (uint32_t i = 0; i < h->closures.n; i++) {
		struct closure *x = &h->closures.at[i];

		if (x->type || !x->is_seen || closure_item(h, x) == h->split.n_items || waits(x))
			continue;
		keep_captured(h, session, x);
		if (fault_of(h, x))
			continue;
		make_texts(h, x);
		any |= x->type != NULL;
	}
	return any;
}

const char *closure_host_text(const struct host_text *h, const struct closure *x)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	uint32_t n = 0;

	buffer_printf(&text, "struct %s { ", x->type);
	for (uint32_t i = 0; i < x->n; i++) {
		if (x->captured[i].constant)
			continue;
		put_member(&text, x->captured[i].type, x->captured[i].name);
		buffer_puts(&text, "; ");
		n++;
	}
	buffer_puts(&text, n ? "};" : "char none; };");
	return mem_pool_strdup(h->pool, buffer_text(&text));
}

const char *closure_device_text(const struct host_text *h, const struct closure *x)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	buffer_printf(&text, "%s%s%s", x->head, x->function, x->tail);
	return mem_pool_strdup(h->pool, buffer_text(&text));
}

static bool is_first(const struct host_text *h, const struct closure *x)
{
	for (const struct closure *before = h->closures.at; before < x; before++)
		if (before->type && !strcmp(before->type, x->type))
			return false;
	return true;
}

void closure_write_types(struct host_text *h, uint32_t i)
{
	for (uint32_t k = 0; k < h->closures.n; k++) {
		const struct closure *x = &h->closures.at[k];
		const char *text = x->type && closure_item(h, x) == i && is_first(h, x) ? closure_host_text(h, x) : NULL;

		if (text)
			buffer_printf(&h->unit.text, "\n#line 1 \"cgpu\"\n%s\n", text);
	}
}

/* The line is that of the parameters, or of the body: what NVRTC quotes begins there. */
void closure_write_device(const struct host_text *h, struct buffer *out)
{
	const struct token_list *l = &h->closures.tokens;

	for (uint32_t k = 0; k < h->closures.n; k++) {
		const struct closure *x = &h->closures.at[k];
		uint32_t from = x->parameters != TOKEN_NONE ? x->parameters : x->behind;
		struct include_place place;

		if (!x->type || closure_item(h, x) == h->split.n_items || !is_first(h, x))
			continue;
		place = include_text_place(h->includes, host_text_line(h, x->token) + l->at[from].line - l->at[x->first].line);
		place.file = place.in_cell ? h->cell_name : place.file;
		for (int part = 0; part < 3; part++)
			buffer_printf(out, "\n#line %u \"%s\"\n%s", place.line, place.file,
				      part == 0 ? x->head : part == 1 ? x->function : x->tail);
		buffer_putc(out, '\n');
	}
}

bool closure_is_named(const struct host_text *h, const char *text)
{
	for (uint32_t i = 0; i < h->closures.n; i++)
		if (h->closures.at[i].type && strstr(text, h->closures.at[i].type))
			return true;
	return false;
}

/* ---- its expression ---- */

static void put_copy(struct buffer *out, unsigned closure, const struct captured *c)
{
	if (c->value)
		buffer_printf(out, "{ __auto_type cgpu_value = (%s); __builtin_memcpy((void *)&cgpu_new_%u.%s, (const void *)&cgpu_value, "
			      "sizeof(cgpu_new_%u.%s)); } ",
			      c->value, closure, c->name, closure, c->name);
	else
		buffer_printf(out, "__builtin_memcpy((void *)&cgpu_new_%u.%s, (const void *)&(%s), sizeof(cgpu_new_%u.%s)); ", closure,
			      c->name, c->name, closure, c->name);
}

/* Padding, too, is the same each time. */
static void put_value(const struct host_text *h, const struct closure *x, struct buffer *out)
{
	unsigned number = (unsigned)(x - h->closures.at);

	buffer_printf(out, "({ struct %s cgpu_new_%u; __builtin_memset((void *)&cgpu_new_%u, 0, sizeof(cgpu_new_%u)); ", x->type,
		      number, number, number);
	for (uint32_t i = 0; i < x->n; i++)
		if (!x->captured[i].constant)
			put_copy(out, number, &x->captured[i]);
	buffer_printf(out, "cgpu_new_%u; })", number);
}

void closure_edit(struct host_text *h)
{
	const struct token_list *l = &h->split.tokens;

	for (uint32_t i = 0; i < h->closures.n; i++) {
		const struct closure *x = &h->closures.at[i];
		cleanup_buffer struct buffer text = BUFFER_INIT;

		if (x->type)
			put_value(h, x, &text);
		else
			put_questions(h, x, &text);
		edit_list_add(&h->edits, l->at[x->token].start, l->at[x->token].end,
			      mem_pool_strdup(h->pool, buffer_text(&text)));
	}
}
