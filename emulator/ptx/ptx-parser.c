/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The module level of PTX (PTX ISA, chapters 5 and 11): directives, variables with initialisers,
 * function heads, line tables. Bodies are ptx-parse-body.c. One token of lookahead, one pass;
 * everything kept goes to the module's pool.
 */
#include "emulator/ptx/ptx-parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"

int ptx_parser_error(struct ptx_parser *p, const char *fmt, ...)
{
	char what[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return error_set(p->err, ERROR_COMPILE, "PTX line %u: %s", p->token.line, what);
}

static int unexpected(struct ptx_parser *p, const char *wanted)
{
	if (p->token.kind == PTX_TOKEN_END)
		return ptx_parser_error(p, "the text ends where %s should be", wanted);
	return ptx_parser_error(p, "%s expected before `%.*s`", wanted,
				(int)(p->token.len > 60 ? 60 : p->token.len), p->token.text);
}

void ptx_parser_advance(struct ptx_parser *p)
{
	ptx_lexer_next(&p->lexer, &p->token);
}

bool ptx_parser_at(const struct ptx_parser *p, char c)
{
	return p->token.kind == PTX_TOKEN_PUNCTUATION && p->token.value == (unsigned char)c;
}

bool ptx_parser_at_word(const struct ptx_parser *p, const char *word)
{
	return (p->token.kind == PTX_TOKEN_DOTTED || p->token.kind == PTX_TOKEN_IDENTIFIER) &&
	       p->token.len == strlen(word) && !memcmp(p->token.text, word, p->token.len);
}

bool ptx_parser_take(struct ptx_parser *p, char c)
{
	if (!ptx_parser_at(p, c))
		return false;
	ptx_parser_advance(p);
	return true;
}

bool ptx_parser_take_word(struct ptx_parser *p, const char *word)
{
	if (!ptx_parser_at_word(p, word))
		return false;
	ptx_parser_advance(p);
	return true;
}

int ptx_parser_expect(struct ptx_parser *p, char c)
{
	char wanted[8];

	if (ptx_parser_take(p, c))
		return 0;
	snprintf(wanted, sizeof(wanted), "`%c`", c);
	return unexpected(p, wanted);
}

int ptx_parser_integer(struct ptx_parser *p, int64_t *ret)
{
	bool negative = ptx_parser_take(p, '-');

	if (p->token.kind != PTX_TOKEN_INTEGER)
		return unexpected(p, "an integer");
	*ret = (int64_t)(negative ? -p->token.value : p->token.value);
	ptx_parser_advance(p);
	return 0;
}

static int parse_u32(struct ptx_parser *p, uint32_t *ret)
{
	int64_t v = 0;

	if (ptx_parser_integer(p, &v))
		return -1;
	if (v < 0 || v > UINT32_MAX)
		return ptx_parser_error(p, "%lld is out of range", (long long)v);
	*ret = (uint32_t)v;
	return 0;
}

bool ptx_parser_type(const struct ptx_token *t, struct ptx_type *ret)
{
	static const struct {
		const char *name;
		struct ptx_type type;
	} types[] = {
		{ ".pred", { 0, PTX_CLASS_PREDICATE, false } },
		{ ".b8", { 1, PTX_CLASS_32, false } },
		{ ".u8", { 1, PTX_CLASS_32, false } },
		{ ".s8", { 1, PTX_CLASS_32, false } },
		{ ".b16", { 2, PTX_CLASS_32, false } },
		{ ".u16", { 2, PTX_CLASS_32, false } },
		{ ".s16", { 2, PTX_CLASS_32, false } },
		{ ".f16", { 2, PTX_CLASS_32, false } },
		{ ".bf16", { 2, PTX_CLASS_32, false } },
		{ ".b32", { 4, PTX_CLASS_32, false } },
		{ ".u32", { 4, PTX_CLASS_32, false } },
		{ ".s32", { 4, PTX_CLASS_32, false } },
		{ ".f32", { 4, PTX_CLASS_32, true } },
		{ ".f16x2", { 4, PTX_CLASS_32, false } },
		{ ".bf16x2", { 4, PTX_CLASS_32, false } },
		{ ".b64", { 8, PTX_CLASS_64, false } },
		{ ".u64", { 8, PTX_CLASS_64, false } },
		{ ".s64", { 8, PTX_CLASS_64, false } },
		{ ".f64", { 8, PTX_CLASS_64, true } },
	};

	if (t->kind != PTX_TOKEN_DOTTED)
		return false;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strlen(types[i].name) == t->len && !memcmp(types[i].name, t->text, t->len)) {
			*ret = types[i].type;
			return true;
		}
	return false;
}

void *ptx_parser_push(struct ptx_parser *p, struct ptx_table *t, size_t size)
{
	char *at;

	if (t->count == t->cap) {
		size_t cap = t->cap ? t->cap * 2 : 64;
		void *items = realloc(t->items, cap * size);

		if (!items) {
			error_set(p->err, ERROR_MEMORY, "out of memory while parsing PTX");
			return NULL;
		}
		t->items = items;
		t->cap = cap;
	}
	at = (char *)t->items + t->count++ * size;
	memset(at, 0, size);
	return at;
}

void *ptx_parser_keep(struct ptx_parser *p, const struct ptx_table *t, size_t size)
{
	void *copy = mem_pool_array(&p->m->pool, t->count ? t->count : 1, size);

	if (!copy)
		error_set(p->err, ERROR_MEMORY, "out of memory while parsing PTX");
	else if (t->count)
		memcpy(copy, t->items, t->count * size);
	return copy;
}

char *ptx_parser_text(struct ptx_parser *p, const struct ptx_token *t)
{
	char *text = mem_pool_strndup(&p->m->pool, t->text, t->len);

	if (!text)
		error_set(p->err, ERROR_MEMORY, "out of memory while parsing PTX");
	return text;
}

bool ptx_space_of(const struct ptx_token *t, enum ptx_space *ret)
{
	static const struct {
		const char *name;
		enum ptx_space space;
	} spaces[] = {
		{ ".global", PTX_SPACE_GLOBAL }, { ".const", PTX_SPACE_CONST },
		{ ".shared", PTX_SPACE_SHARED }, { ".local", PTX_SPACE_LOCAL },
		{ ".param", PTX_SPACE_PARAM },
	};

	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
		if (t->kind == PTX_TOKEN_DOTTED && strlen(spaces[i].name) == t->len &&
		    !memcmp(spaces[i].name, t->text, t->len)) {
			*ret = spaces[i].space;
			return true;
		}
	return false;
}

/* The bytes of an initialiser while it is read. */
struct initialiser {
	struct ptx_type type;
	struct ptx_table bytes, relocations;
};

static int put_bytes(struct ptx_parser *p, struct initialiser *in, uint64_t value)
{
	for (unsigned i = 0; i < in->type.size; i++) {
		unsigned char *b = ptx_parser_push(p, &in->bytes, 1);

		if (!b)
			return -1;
		*b = (unsigned char)(value >> (8 * i));
	}
	return 0;
}

/* name | generic(name) | mask(name), then an optional offset */
static int parse_address_value(struct ptx_parser *p, struct initialiser *in)
{
	struct ptx_relocation *r;
	bool wrapped = ptx_parser_take_word(p, "generic") && ptx_parser_take(p, '(');
	int64_t addend = 0;

	if (p->token.kind != PTX_TOKEN_IDENTIFIER)
		return unexpected(p, "a symbol");
	if (in->type.size < 4)
		return ptx_parser_error(p, "an address needs an element of 4 or 8 bytes");
	r = ptx_parser_push(p, &in->relocations, sizeof(*r));
	if (!r)
		return -1;
	r->symbol = ptx_parser_text(p, &p->token);
	if (!r->symbol)
		return -1;
	ptx_parser_advance(p);
	if (wrapped && ptx_parser_expect(p, ')'))
		return -1;
	if (ptx_parser_take(p, '+')) {
		if (ptx_parser_integer(p, &addend))
			return -1;
	} else if (ptx_parser_at(p, '-') && ptx_parser_integer(p, &addend)) {
		return -1;
	}
	r->addend = addend;
	r->offset = in->bytes.count;
	r->size = in->type.size;
	return put_bytes(p, in, 0);
}

static int parse_scalar(struct ptx_parser *p, struct initialiser *in)
{
	bool negative;
	struct ptx_token t;

	if (p->token.kind == PTX_TOKEN_IDENTIFIER)
		return parse_address_value(p, in);
	negative = ptx_parser_take(p, '-');
	t = p->token;
	if (t.kind == PTX_TOKEN_FLOAT) {
		double d;
		float f;

		if (!t.single && in->type.size == 4) {
			memcpy(&d, &t.value, 8);
			f = (float)d;
			t.value = 0;
			memcpy(&t.value, &f, 4);
		}
		if (negative)
			t.value ^= 1ull << (8 * in->type.size - 1);
	} else if (t.kind == PTX_TOKEN_INTEGER) {
		if (negative)
			t.value = -t.value;
		if (in->type.is_float) {
			double d = (double)(int64_t)t.value;
			float f = (float)d;

			t.value = 0;
			memcpy(&t.value, in->type.size == 4 ? (void *)&f : (void *)&d,
			       in->type.size);
		}
	} else {
		return unexpected(p, "a constant");
	}
	ptx_parser_advance(p);
	return put_bytes(p, in, t.value);
}

/* value | '{' value, ... '}' nested to any depth the array has; inner lists are padded to their row
 */
static int parse_values(struct ptx_parser *p, struct initialiser *in, const uint64_t *dims,
			unsigned rank)
{
	uint64_t row = in->type.size;
	size_t start = in->bytes.count;

	if (!ptx_parser_take(p, '{'))
		return parse_scalar(p, in);
	for (unsigned i = 0; i < rank; i++)
		row *= dims[i] ? dims[i] : 1;
	while (!ptx_parser_at(p, '}')) {
		if (parse_values(p, in, rank ? dims + 1 : dims, rank ? rank - 1 : 0))
			return -1;
		if (!ptx_parser_take(p, ','))
			break;
	}
	if (ptx_parser_expect(p, '}'))
		return -1;
	while (rank && dims[0] && in->bytes.count - start < row)
		if (!ptx_parser_push(p, &in->bytes, 1))
			return -1;
	return 0;
}

static int parse_initialiser(struct ptx_parser *p, struct ptx_variable *v, struct ptx_type type,
			     uint64_t *dims, unsigned rank)
{
	struct initialiser in = { .type = type };
	int rc = -1;

	if (type.size == 0) {
		ptx_parser_error(p, "a predicate cannot be initialised");
		goto out;
	}
	if (parse_values(p, &in, dims, rank))
		goto out;
	v->init = ptx_parser_keep(p, &in.bytes, 1);
	v->init_size = in.bytes.count;
	v->relocations = ptx_parser_keep(p, &in.relocations, sizeof(struct ptx_relocation));
	v->relocation_count = in.relocations.count;
	rc = v->init && v->relocations ? 0 : -1;
out:
	free(in.bytes.items);
	free(in.relocations.items);
	return rc;
}

#define RANK_MAX 8

static int parse_dimensions(struct ptx_parser *p, uint64_t *dims, unsigned *rank)
{
	while (ptx_parser_take(p, '[')) {
		int64_t n = 0;

		if (*rank == RANK_MAX)
			return ptx_parser_error(p, "an array of more than %d dimensions", RANK_MAX);
		if (!ptx_parser_at(p, ']') && ptx_parser_integer(p, &n))
			return -1;
		if (n < 0 || n > (int64_t)1 << 40)
			return ptx_parser_error(p, "array size %lld", (long long)n);
		dims[(*rank)++] = (uint64_t)n;
		if (ptx_parser_expect(p, ']'))
			return -1;
	}
	return 0;
}

int ptx_parse_variable(struct ptx_parser *p, enum ptx_space space, struct ptx_variable *v)
{
	struct ptx_type type;
	uint64_t dims[RANK_MAX], elements = 1;
	unsigned rank = 0;
	uint32_t vector = 1, align = 0;

	v->space = space;
	for (;; ptx_parser_advance(p)) {
		if (ptx_parser_take_word(p, ".attribute")) {
			if (ptx_parser_expect(p, '('))
				return -1;
			while (!ptx_parser_at(p, ')') && p->token.kind != PTX_TOKEN_END) {
				v->managed |= ptx_parser_at_word(p, ".managed");
				ptx_parser_advance(p);
			}
		} else if (ptx_parser_take_word(p, ".align")) {
			align = (uint32_t)p->token.value;
			if (p->token.kind != PTX_TOKEN_INTEGER || !align || (align & (align - 1)))
				return unexpected(p, "an alignment that is a power of two");
		} else if (ptx_parser_at_word(p, ".v2") || ptx_parser_at_word(p, ".v4")) {
			vector = (uint32_t)(p->token.text[2] - '0');
		} else if (ptx_parser_type(&p->token, &type)) {
			break;
		} else if (!ptx_parser_at_word(p, ".ptr") && !ptx_parser_at_word(p, ".managed")) {
			return unexpected(p, "a type");
		}
	}
	ptx_parser_advance(p);
	/* `.param .u64 .ptr .global .align 4 name` */
	while (p->token.kind == PTX_TOKEN_DOTTED) {
		bool takes_number = ptx_parser_at_word(p, ".align");

		ptx_parser_advance(p);
		if (takes_number)
			ptx_parser_advance(p);
	}
	if (p->token.kind != PTX_TOKEN_IDENTIFIER)
		return unexpected(p, "a name");
	v->name = ptx_parser_text(p, &p->token);
	if (!v->name)
		return -1;
	ptx_parser_advance(p);
	if (parse_dimensions(p, dims, &rank))
		return -1;
	if (ptx_parser_take(p, '=') && parse_initialiser(p, v, type, dims, rank))
		return -1;
	for (unsigned i = 0; i < rank; i++) {
		if (i == 0 && dims[0] == 0 && v->init_size)
			dims[0] = v->init_size / type.size;
		if (__builtin_mul_overflow(elements, dims[i], &elements) ||
		    elements > (uint64_t)1 << 40)
			return ptx_parser_error(p, "`%s` is too large", v->name);
	}
	v->size = elements * type.size * vector;
	v->align = align ? align : type.size * vector;
	if (!v->align)
		v->align = 1;
	if (v->init_size > v->size)
		return ptx_parser_error(p, "too many values for `%s`", v->name);
	return 0;
}

/* Words before a definition. */
struct linkage {
	bool is_extern, visible;
};

static int parse_module_variable(struct ptx_parser *p, enum ptx_space space, struct linkage linkage)
{
	do {
		struct ptx_variable v = { .is_extern = linkage.is_extern,
					  .visible = linkage.visible };

		if (ptx_parse_variable(p, space, &v) || !ptx_module_add_variable(p, &v))
			return -1;
	} while (ptx_parser_take(p, ','));
	return ptx_parser_expect(p, ';');
}

/* '(' .param declarations ')' : appended to p->variables; the packed offsets are those of a kernel
 * launch */
static int parse_params(struct ptx_parser *p, uint32_t *ret_count, uint32_t *ret_size)
{
	uint32_t offset = 0;

	*ret_count = 0;
	if (ptx_parser_expect(p, '('))
		return -1;
	while (!ptx_parser_at(p, ')')) {
		struct ptx_variable v = { 0 };
		struct ptx_body_variable *b;

		if (!ptx_parser_take_word(p, ".param") && !ptx_parser_take_word(p, ".reg"))
			return unexpected(p, "`.param`");
		if (ptx_parse_variable(p, PTX_SPACE_PARAM, &v))
			return -1;
		if (v.size > 65536)
			return ptx_parser_error(p, "parameter `%s` has %llu bytes", v.name,
						(unsigned long long)v.size);
		offset = (offset + v.align - 1) / v.align * v.align;
		b = ptx_parser_push(p, &p->variables, sizeof(*b));
		if (!b)
			return -1;
		*b = (struct ptx_body_variable){ .name = v.name,
						 .space = PTX_SPACE_PARAM,
						 .size = (uint32_t)v.size,
						 .align = v.align,
						 .offset = offset };
		offset += (uint32_t)v.size;
		++*ret_count;
		if (!ptx_parser_take(p, ','))
			break;
	}
	*ret_size = offset;
	return ptx_parser_expect(p, ')');
}

static int parse_triple(struct ptx_parser *p, uint32_t v[3])
{
	v[0] = v[1] = v[2] = 1;
	for (int i = 0; i < 3; i++) {
		if (parse_u32(p, &v[i]))
			return -1;
		if (!ptx_parser_take(p, ','))
			break;
	}
	return 0;
}

static int parse_function_directives(struct ptx_parser *p, struct ptx_function *f)
{
	uint32_t ignored[3];

	while (p->token.kind == PTX_TOKEN_DOTTED) {
		if (ptx_parser_take_word(p, ".maxntid")) {
			if (parse_triple(p, f->max_threads))
				return -1;
		} else if (ptx_parser_take_word(p, ".reqntid")) {
			if (parse_triple(p, f->required_threads))
				return -1;
		} else if (ptx_parser_take_word(p, ".minnctapersm")) {
			if (parse_u32(p, &f->min_ctas))
				return -1;
		} else if (ptx_parser_take_word(p, ".pragma")) {
			while (!ptx_parser_take(p, ';') && p->token.kind != PTX_TOKEN_END)
				ptx_parser_advance(p);
		} else {
			/* .maxnreg, .noreturn, cluster shapes: no effect here */
			ptx_parser_advance(p);
			if (p->token.kind == PTX_TOKEN_INTEGER && parse_triple(p, ignored))
				return -1;
		}
	}
	return 0;
}

static int keep_params(struct ptx_parser *p, struct ptx_function *f, uint32_t first, uint32_t count)
{
	const struct ptx_body_variable *v = p->variables.items;
	struct ptx_param *params = mem_pool_array(&p->m->pool, count ? count : 1, sizeof(*params));

	if (!params)
		return error_set(p->err, ERROR_MEMORY, "out of memory while parsing PTX");
	for (uint32_t i = 0; i < count; i++)
		params[i] = (struct ptx_param){ v[first + i].name, v[first + i].offset,
						v[first + i].size, v[first + i].align };
	f->params = params;
	f->param_count = count;
	return 0;
}

/* Names of formal and return parameters become visible in the body; the area holds formals, then
 * returns. */
static int declare_params(struct ptx_parser *p, uint32_t returns, uint32_t formals,
			  uint32_t formal_size)
{
	struct ptx_body_variable *v = p->variables.items;
	struct ptx_table ordered = { 0 };
	uint32_t base = (formal_size + 15) / 16 * 16;
	int rc = -1;

	for (uint32_t i = 0; i < formals + returns; i++) {
		struct ptx_body_variable *to = ptx_parser_push(p, &ordered, sizeof(*to));
		struct ptx_name *n = ptx_parser_push(p, &p->names, sizeof(*n));

		if (!to || !n)
			goto out;
		*to = i < formals ? v[returns + i] : v[i - formals];
		if (i >= formals)
			to->offset += base;
		*n = (struct ptx_name){ to->name, (uint32_t)strlen(to->name), i, true };
	}
	if (ordered.count)
		memcpy(v, ordered.items, ordered.count * sizeof(*v));
	rc = 0;
out:
	free(ordered.items);
	return rc;
}

static int parse_function(struct ptx_parser *p, bool is_entry)
{
	struct ptx_function *f;
	uint32_t returns = 0, formals = 0, return_size = 0, formal_size = 0;
	char *name;

	p->variables.count = p->names.count = 0;
	if (ptx_parser_at(p, '(') && parse_params(p, &returns, &return_size))
		return -1;
	if (p->token.kind != PTX_TOKEN_IDENTIFIER)
		return unexpected(p, "a function name");
	name = ptx_parser_text(p, &p->token);
	if (!name)
		return -1;
	ptx_parser_advance(p);
	if (ptx_parser_at(p, '(') && parse_params(p, &formals, &formal_size))
		return -1;
	f = ptx_module_add_function(p, name);
	if (!f)
		return -1;
	f->is_entry = is_entry;
	if (parse_function_directives(p, f))
		return -1;
	if (ptx_parser_take(p, ';'))
		return keep_params(p, f, returns, formals);
	if (f->has_body)
		return ptx_parser_error(p, "`%s` is defined twice", f->name);
	if (keep_params(p, f, returns, formals) || declare_params(p, returns, formals, formal_size))
		return -1;
	f->param_size = formal_size;
	f->body = mem_pool_alloc(&p->m->pool, sizeof(*f->body));
	if (!f->body)
		return error_set(p->err, ERROR_MEMORY, "out of memory while parsing PTX");
	f->body->formal_count = formals;
	f->body->return_count = returns;
	f->body->param_area = (formal_size + 15) / 16 * 16 + (return_size + 15) / 16 * 16;
	if (ptx_parse_body(p, f))
		return error_wrap(p->err, "function `%s`", f->name);
	f->has_body = true;
	return 0;
}

/* What NVRTC of CUDA 13 writes; the next CUDA begins with another number in front. */
#define NEWEST_VERSION 99

static int parse_version(struct ptx_parser *p)
{
	double v;

	if (p->token.kind == PTX_TOKEN_FLOAT && !p->token.single) {
		memcpy(&v, &p->token.value, sizeof(v));
		p->m->version = (unsigned)(v * 10 + 0.5);
	} else if (p->token.kind == PTX_TOKEN_INTEGER) {
		p->m->version = (unsigned)p->token.value * 10;
	} else {
		return unexpected(p, "a version");
	}
	if (p->m->version > NEWEST_VERSION)
		return error_set(
			p->err, ERROR_UNSUPPORTED,
			"this is PTX %u.%u; the emulated device knows versions up to %u.%u",
			p->m->version / 10, p->m->version % 10, NEWEST_VERSION / 10,
			NEWEST_VERSION % 10);
	ptx_parser_advance(p);
	return 0;
}

static void parse_target(struct ptx_parser *p)
{
	do {
		if (p->token.len > 3 && !memcmp(p->token.text, "sm_", 3))
			p->m->target = (unsigned)strtoul(p->token.text + 3, NULL, 10);
		ptx_parser_advance(p);
	} while (ptx_parser_take(p, ','));
}

/* .file N "name" [, time, size] */
static int parse_file(struct ptx_parser *p)
{
	struct ptx_table t = { p->m->files, p->m->file_count, p->m->file_cap };
	struct ptx_file *f;
	uint32_t number = 0;
	int64_t ignored;

	if (parse_u32(p, &number))
		return -1;
	if (p->token.kind != PTX_TOKEN_STRING)
		return unexpected(p, "a file name");
	f = ptx_parser_push(p, &t, sizeof(*f));
	p->m->files = t.items;
	p->m->file_count = t.count;
	p->m->file_cap = t.cap;
	if (!f)
		return -1;
	f->number = number;
	f->name = ptx_parser_text(p, &p->token);
	ptx_parser_advance(p);
	while (ptx_parser_take(p, ','))
		if (ptx_parser_integer(p, &ignored))
			return -1;
	return f->name ? 0 : -1;
}

static int add_string(struct ptx_parser *p, char *label, const struct ptx_table *bytes)
{
	struct ptx_module *m = p->m;
	struct ptx_table t = { m->strings, m->string_count, m->string_cap };
	struct ptx_string_label *s;
	char *text = mem_pool_strndup(&m->pool, bytes->items ? bytes->items : "", bytes->count);

	s = ptx_parser_push(p, &t, sizeof(*s));
	m->strings = t.items;
	m->string_count = t.count;
	m->string_cap = t.cap;
	if (!s || !text)
		return error_set(p->err, ERROR_MEMORY, "out of memory while parsing PTX");
	s->name = label;
	s->text = text;
	return 0;
}

/* .section .debug_str { label: .b8 95,90,0 ... }: kept for .loc function names; other sections are
 * skipped. */
static int parse_section(struct ptx_parser *p)
{
	bool strings = ptx_parser_at_word(p, ".debug_str");
	struct ptx_table bytes = { 0 };
	char *label = NULL;
	int rc = -1;

	ptx_parser_advance(p);
	if (ptx_parser_expect(p, '{'))
		return -1;
	while (!ptx_parser_at(p, '}')) {
		if (p->token.kind == PTX_TOKEN_END) {
			unexpected(p, "`}`");
			goto out;
		}
		if (strings && p->token.kind == PTX_TOKEN_IDENTIFIER) {
			if (label && add_string(p, label, &bytes))
				goto out;
			bytes.count = 0;
			label = ptx_parser_text(p, &p->token);
			if (!label)
				goto out;
		} else if (strings && p->token.kind == PTX_TOKEN_INTEGER && p->token.value) {
			char *c = ptx_parser_push(p, &bytes, 1);

			if (!c)
				goto out;
			*c = (char)p->token.value;
		}
		ptx_parser_advance(p);
	}
	rc = label ? add_string(p, label, &bytes) : 0;
	ptx_parser_advance(p);
out:
	free(bytes.items);
	return rc;
}

static int skip_statement(struct ptx_parser *p)
{
	while (!ptx_parser_take(p, ';')) {
		if (p->token.kind == PTX_TOKEN_END)
			return unexpected(p, "`;`");
		ptx_parser_advance(p);
	}
	return 0;
}

static int parse_item(struct ptx_parser *p, struct linkage linkage)
{
	enum ptx_space space;
	int64_t ignored;

	if (ptx_space_of(&p->token, &space)) {
		ptx_parser_advance(p);
		if (ptx_parser_at_word(p, ".texref") || ptx_parser_at_word(p, ".surfref") ||
		    ptx_parser_at_word(p, ".samplerref"))
			return skip_statement(p);
		return parse_module_variable(p, space, linkage);
	}
	if (ptx_parser_take_word(p, ".entry"))
		return parse_function(p, true);
	if (ptx_parser_take_word(p, ".func"))
		return parse_function(p, false);
	if (ptx_parser_take_word(p, ".version"))
		return parse_version(p);
	if (ptx_parser_take_word(p, ".target")) {
		parse_target(p);
		return 0;
	}
	if (ptx_parser_take_word(p, ".address_size"))
		return ptx_parser_integer(p, &ignored);
	if (ptx_parser_take_word(p, ".file"))
		return parse_file(p);
	if (ptx_parser_take_word(p, ".loc"))
		return ptx_parse_loc(p);
	if (ptx_parser_take_word(p, ".section"))
		return parse_section(p);
	if (ptx_parser_at_word(p, ".pragma") || ptx_parser_at_word(p, ".alias") ||
	    ptx_parser_at_word(p, ".tex"))
		return skip_statement(p);
	return unexpected(p, "a directive");
}

int ptx_parse_module(struct ptx_module *m, const char *text, size_t len, struct error *err)
{
	struct ptx_parser p = { .m = m, .err = err, .loc = PTX_NONE };
	int rc = 0;

	ptx_lexer_init(&p.lexer, text, len);
	ptx_parser_advance(&p);
	while (!rc && p.token.kind != PTX_TOKEN_END) {
		struct linkage linkage = { 0 };

		for (;; ptx_parser_advance(&p)) {
			if (ptx_parser_at_word(&p, ".extern"))
				linkage.is_extern = true;
			else if (ptx_parser_at_word(&p, ".visible") ||
				 ptx_parser_at_word(&p, ".weak") ||
				 ptx_parser_at_word(&p, ".common"))
				linkage.visible = true;
			else
				break;
		}
		rc = ptx_parser_take(&p, ';') ? 0 : parse_item(&p, linkage);
	}
	if (!rc && !m->version)
		rc = ptx_parser_error(&p, "no .version directive: this is not PTX");
	struct ptx_table *tables[] = {
		&p.instructions, &p.registers, &p.variables, &p.labels,
		&p.scopes,       &p.names,     &p.ranges,    &p.target_lists
	};
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		free(tables[i]->items);
	return rc;
}
