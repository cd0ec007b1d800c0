/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The module level of PTX (PTX ISA, chapters 5 and 11): directives, module variables, function
 * heads, files and strings of the line tables. Bodies are ptx-parse-body.c.
 */
#include "emulator/ptx/ptx-parser.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "emulator/ptx/ptx-lines.h"

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
			return ptx_parser_unexpected(p, "`.param`");
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
		if (ptx_parser_u32(p, &v[i]))
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
			if (ptx_parser_u32(p, &f->min_blocks))
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

static int parse_function(struct ptx_parser *p, bool is_kernel)
{
	struct ptx_function *f;
	uint32_t returns = 0, formals = 0, return_size = 0, formal_size = 0;
	char *name;

	p->variables.count = p->names.count = 0;
	if (ptx_parser_at(p, '(') && parse_params(p, &returns, &return_size))
		return -1;
	if (p->token.kind != PTX_TOKEN_IDENTIFIER)
		return ptx_parser_unexpected(p, "a function name");
	name = ptx_parser_text(p, &p->token);
	if (!name)
		return -1;
	ptx_parser_advance(p);
	if (ptx_parser_at(p, '(') && parse_params(p, &formals, &formal_size))
		return -1;
	f = ptx_module_add_function(p, name);
	if (!f)
		return -1;
	f->is_kernel = is_kernel;
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

/* NVRTC of CUDA 13 writes 9.x; the next CUDA begins with another number in front. */
#define NEWEST_VERSION 99

static int parse_version(struct ptx_parser *p)
{
	double v;

	if (p->token.kind == PTX_TOKEN_FLOAT && !p->token.single) {
		memcpy(&v, &p->token.value, sizeof(v));
		/* A number that is none, or too large for an integer, is too new as well. */
		v = v * 10 + 0.5;
		p->m->version = v >= 0 && v <= NEWEST_VERSION ? (unsigned)v : NEWEST_VERSION + 1;
	} else if (p->token.kind == PTX_TOKEN_INTEGER) {
		p->m->version = (unsigned)p->token.value * 10;
	} else {
		return ptx_parser_unexpected(p, "a version");
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
		if (p->token.len == 5 && !memcmp(p->token.text, "debug", 5))
			p->m->debug = p->m->plain = true;
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

	if (ptx_parser_u32(p, &number))
		return -1;
	if (p->token.kind != PTX_TOKEN_STRING)
		return ptx_parser_unexpected(p, "a file name");
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

static int keep_section(struct ptx_parser *p, const char *name, const char *text, size_t len)
{
	struct ptx_module *m = p->m;
	struct ptx_table t = { m->sections, m->section_count, m->section_cap };
	struct ptx_section *s = ptx_parser_push(p, &t, sizeof(*s));

	m->sections = t.items;
	m->section_count = t.count;
	m->section_cap = t.cap;
	if (!s)
		return -1;
	*s = (struct ptx_section){ name, text, len };
	return 0;
}

/*
 * .section .debug_str { label: .b8 95,90,0 ... }: kept for .loc function names. Of all sections the
 * text is remembered: a debugger makes bytes of it, when there is one.
 */
static int parse_section(struct ptx_parser *p)
{
	bool strings = ptx_parser_at_word(p, ".debug_str");
	char *name = ptx_parser_text(p, &p->token);
	struct ptx_table bytes = { 0 };
	char *label = NULL;
	const char *text;
	int rc = -1;

	ptx_parser_advance(p);
	if (!name || ptx_parser_expect(p, '{'))
		return -1;
	text = p->token.text;
	while (!ptx_parser_at(p, '}')) {
		if (p->token.kind == PTX_TOKEN_END) {
			ptx_parser_unexpected(p, "`}`");
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
	if (!rc)
		rc = keep_section(p, name, text, (size_t)(p->token.text - text));
	ptx_parser_advance(p);
out:
	free(bytes.items);
	return rc;
}

static int skip_statement(struct ptx_parser *p)
{
	while (!ptx_parser_take(p, ';')) {
		if (p->token.kind == PTX_TOKEN_END)
			return ptx_parser_unexpected(p, "`;`");
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
		return ptx_lines_parse(p);
	if (ptx_parser_take_word(p, ".section"))
		return parse_section(p);
	if (ptx_parser_at_word(p, ".pragma") || ptx_parser_at_word(p, ".alias") ||
	    ptx_parser_at_word(p, ".tex"))
		return skip_statement(p);
	return ptx_parser_unexpected(p, "a directive");
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
