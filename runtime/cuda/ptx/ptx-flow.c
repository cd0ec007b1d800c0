/* SPDX-License-Identifier: Apache-2.0 */
/* One pass for the headers, which jumps over bodies, and one for each body that is asked for. */
#include "runtime/cuda/ptx/ptx-flow.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/cuda/ptx-lexer.h"

struct reader {
	struct ptx_lexer lexer;
	struct ptx_token token;
};

static void advance(struct reader *r)
{
	ptx_lexer_next(&r->lexer, &r->token);
}

static bool at(const struct reader *r, char c)
{
	return r->token.kind == PTX_TOKEN_PUNCTUATION && r->token.value == (unsigned char)c;
}

static bool at_end(const struct reader *r)
{
	return r->token.kind == PTX_TOKEN_END || r->token.kind == PTX_TOKEN_BAD;
}

static struct ptx_slice slice(const struct ptx_token *t)
{
	return (struct ptx_slice){ t->text, t->len };
}

bool ptx_slice_is(struct ptx_slice s, const char *text)
{
	return s.len == strlen(text) && !memcmp(s.text, text, s.len);
}

static bool at_word(const struct reader *r, const char *word)
{
	return r->token.kind == PTX_TOKEN_DOTTED && ptx_slice_is(slice(&r->token), word);
}

static struct ptx_slice without_dot(const struct ptx_token *t)
{
	return (struct ptx_slice){ t->text + 1, t->len - 1 };
}

uint32_t ptx_flow_type_bits(struct ptx_slice word)
{
	uint32_t i = 0, bits = 0, times = 0;

	while (i < word.len && i < 2 && strchr("bfsut", word.text[i]))
		i++;
	if (!i || i == word.len)
		return 0;
	for (; i < word.len && word.text[i] >= '0' && word.text[i] <= '9'; i++)
		bits = bits * 10 + (uint32_t)(word.text[i] - '0');
	if (i < word.len && word.text[i] == 'x')
		for (i++; i < word.len && word.text[i] >= '0' && word.text[i] <= '9'; i++)
			times = times * 10 + (uint32_t)(word.text[i] - '0');
	return i < word.len ? 0 : times ? bits * times : bits;
}

bool ptx_flow_type_is_float(struct ptx_slice word)
{
	return (word.len > 1 && word.text[0] == 'f' && word.text[1] >= '0' &&
		word.text[1] <= '9') ||
	       (word.len > 2 && !memcmp(word.text, "bf", 2)) ||
	       (word.len > 2 && !memcmp(word.text, "tf", 2)) ||
	       (word.len > 2 && word.text[0] == 'e' && word.text[1] >= '0' && word.text[1] <= '9');
}

void ptx_flow_init(struct ptx_flow *f, const char *text, size_t len)
{
	*f = (struct ptx_flow){ .text = text, .end = text + len };
}

void ptx_flow_release(struct ptx_flow *f)
{
	free(f->functions);
	free(f->parameters);
	*f = (struct ptx_flow){ 0 };
}

/* Past the bracket that closes the one at which it is. */
static bool skip_group(struct reader *r, char open, char close)
{
	unsigned depth = 0;

	do {
		if (at_end(r))
			return false;
		depth += at(r, open);
		depth -= at(r, close);
		advance(r);
	} while (depth);
	return true;
}

/* One of `( .param .align 8 .b8 name[24], ... )` from behind the bracket or comma to the next one.
 */
static int read_parameter(struct ptx_flow *f, struct reader *r)
{
	struct ptx_flow_parameter p = { .size = 0 };
	uint32_t bytes = 0;
	uint64_t count = 1;

	for (; !at(r, ',') && !at(r, ')'); advance(r)) {
		if (at_end(r))
			return PTX_FLOW_NOT_UNDERSTOOD;
		if (r->token.kind == PTX_TOKEN_IDENTIFIER) {
			p.name = slice(&r->token);
		} else if (r->token.kind == PTX_TOKEN_DOTTED && !bytes) {
			bytes = ptx_flow_type_bits(without_dot(&r->token)) / 8;
		} else if (at(r, '[')) {
			advance(r);
			/* An array without a size takes what the caller has. */
			count = r->token.kind == PTX_TOKEN_INTEGER ? r->token.value : 0;
			if (r->token.kind != PTX_TOKEN_INTEGER && !at(r, ']'))
				return PTX_FLOW_NOT_UNDERSTOOD;
		}
	}
	if (!p.name.len || count > UINT32_MAX / 16)
		return PTX_FLOW_NOT_UNDERSTOOD;
	p.size = bytes * (uint32_t)count;
	if (!ARRAY_ROOM(f->parameters, f->n_parameters, &f->parameters_cap))
		return -1;
	f->parameters[f->n_parameters++] = p;
	return 0;
}

static int read_parameters(struct ptx_flow *f, struct reader *r, uint32_t *ret_first,
			   uint32_t *ret_n)
{
	*ret_first = (uint32_t)f->n_parameters;
	do {
		int failed;

		advance(r);
		if (at(r, ')'))
			break;
		failed = read_parameter(f, r);
		if (failed)
			return failed;
	} while (at(r, ','));
	*ret_n = (uint32_t)f->n_parameters - *ret_first;
	advance(r);
	return 0;
}

/* From behind `.entry` or `.func` to behind the body, or the `;` of a declaration. */
static int read_function(struct ptx_flow *f, struct reader *r, bool is_entry)
{
	struct ptx_flow_function x = { .is_entry = is_entry };
	int failed = 0;

	while (!x.name.len && !failed) {
		if (at_end(r))
			return PTX_FLOW_NOT_UNDERSTOOD;
		if (at_word(r, ".attribute")) {
			advance(r);
			if (!skip_group(r, '(', ')'))
				return PTX_FLOW_NOT_UNDERSTOOD;
		} else if (at(r, '(')) {
			failed = read_parameters(f, r, &x.first_return, &x.n_returns);
		} else {
			if (r->token.kind == PTX_TOKEN_IDENTIFIER)
				x.name = slice(&r->token);
			advance(r);
		}
	}
	if (!failed && at(r, '('))
		failed = read_parameters(f, r, &x.first_parameter, &x.n_parameters);
	while (!failed && !at(r, '{') && !at(r, ';') && !at_end(r))
		advance(r);
	if (failed || at_end(r))
		return failed ? failed : PTX_FLOW_NOT_UNDERSTOOD;
	if (at(r, '{')) {
		x.body = r->lexer.at;
		x.line = r->lexer.line;
		if (!skip_group(r, '{', '}'))
			return PTX_FLOW_NOT_UNDERSTOOD;
	} else {
		advance(r);
	}
	if (!ARRAY_ROOM(f->functions, f->n_functions, &f->functions_cap))
		return -1;
	f->functions[f->n_functions++] = x;
	return 0;
}

int ptx_flow_functions(struct ptx_flow *f)
{
	struct reader r;
	int failed = 0;

	ptx_lexer_init(&r.lexer, f->text, (size_t)(f->end - f->text));
	advance(&r);
	while (!failed && r.token.kind != PTX_TOKEN_END) {
		bool is_entry = at_word(&r, ".entry");

		if (r.token.kind == PTX_TOKEN_BAD)
			return PTX_FLOW_NOT_UNDERSTOOD;
		if (is_entry || at_word(&r, ".func")) {
			advance(&r);
			failed = read_function(f, &r, is_entry);
		} else {
			advance(&r);
		}
	}
	return failed;
}

const struct ptx_flow_function *ptx_flow_function(const struct ptx_flow *f, struct ptx_slice name)
{
	const struct ptx_flow_function *found = NULL;

	for (size_t i = 0; i < f->n_functions; i++) {
		const struct ptx_flow_function *x = &f->functions[i];

		if (x->name.len == name.len && !memcmp(x->name.text, name.text, name.len) &&
		    (!found || x->body))
			found = x;
	}
	return found;
}

/* ---- bodies ---- */

/* `.reg .b64 %rd<5>;`, `.param .b64 p;`, `.local .align 8 .b8 depot[16];`, `.loc 1 2 3`, `.pragma
 * "...";` */
static int read_directive(struct reader *r, const struct ptx_flow_visitor *v, void *data)
{
	enum ptx_flow_space space = at_word(r, ".reg")     ? PTX_FLOW_REG
				    : at_word(r, ".param") ? PTX_FLOW_PARAM
							   : PTX_FLOW_MEMORY;
	bool declares = space != PTX_FLOW_MEMORY || at_word(r, ".local") || at_word(r, ".shared") ||
			at_word(r, ".global") || at_word(r, ".const");
	bool by_line = at_word(r, ".loc") || at_word(r, ".file");
	uint32_t line = r->token.line;

	while (!at_end(r) && !(by_line ? r->token.line != line : at(r, ';'))) {
		int failed = 0;

		if (declares && r->token.kind == PTX_TOKEN_IDENTIFIER)
			failed = v->declare(data, space, slice(&r->token));
		if (failed)
			return failed;
		if (at(r, '{') || at(r, '[')) {
			if (!skip_group(r, at(r, '{') ? '{' : '[', at(r, '{') ? '}' : ']'))
				return PTX_FLOW_NOT_UNDERSTOOD;
			continue;
		}
		advance(r);
	}
	if (at_end(r))
		return PTX_FLOW_NOT_UNDERSTOOD;
	if (!by_line)
		advance(r);
	return 0;
}

/* One operand, up to the comma or semicolon that ends it. */
static bool read_operand(struct reader *r, struct ptx_flow_operand *o)
{
	unsigned depth = 0;
	bool negative = false;

	o->n = 0;
	o->address = at(r, '[');
	o->list = at(r, '(');
	o->has_number = false;
	o->number = 0;
	for (; depth || (!at(r, ',') && !at(r, ';')); advance(r)) {
		if (at_end(r) || at(r, ';'))
			return false;
		depth += at(r, '[') || at(r, '(') || at(r, '{');
		depth -= at(r, ']') || at(r, ')') || at(r, '}');
		if (r->token.kind == PTX_TOKEN_IDENTIFIER) {
			if (o->n == PTX_FLOW_NAMES)
				return false;
			o->names[o->n++] = slice(&r->token);
		} else if (r->token.kind == PTX_TOKEN_INTEGER) {
			o->has_number = true;
			o->number = negative ? -r->token.value : r->token.value;
		}
		negative = at(r, '-');
	}
	return true;
}

static int read_instruction(struct reader *r, const struct ptx_flow_visitor *v, void *data)
{
	struct ptx_flow_instruction i;

	i.n_modifiers = i.n = 0;
	i.opcode = slice(&r->token);
	advance(r);
	for (; r->token.kind == PTX_TOKEN_DOTTED; advance(r)) {
		if (i.n_modifiers == PTX_FLOW_MODIFIERS)
			return PTX_FLOW_NOT_UNDERSTOOD;
		i.modifiers[i.n_modifiers++] = without_dot(&r->token);
	}
	while (!at(r, ';')) {
		if (at_end(r) || i.n == PTX_FLOW_OPERANDS || !read_operand(r, &i.operands[i.n]))
			return PTX_FLOW_NOT_UNDERSTOOD;
		i.n++;
		if (at(r, ','))
			advance(r);
	}
	advance(r);
	return v->instruction(data, &i);
}

/* A name that may be a label or the opcode of an instruction. */
static int read_named(struct reader *r, const struct ptx_flow_visitor *v, void *data)
{
	struct reader ahead = *r;

	advance(&ahead);
	if (!at(&ahead, ':'))
		return read_instruction(r, v, data);
	advance(&ahead);
	*r = ahead;
	return 0;
}

int ptx_flow_body(const struct ptx_flow *f, const struct ptx_flow_function *function,
		  const struct ptx_flow_visitor *v, void *data)
{
	struct reader r;
	unsigned depth = 1;
	int failed = 0;

	ptx_lexer_init(&r.lexer, function->body, (size_t)(f->end - function->body));
	r.lexer.line = function->line;
	advance(&r);
	while (!failed && depth) {
		if (at_end(&r))
			return PTX_FLOW_NOT_UNDERSTOOD;
		if (at(&r, '{') || at(&r, '}')) {
			depth += at(&r, '{') ? 1u : -1u;
			advance(&r);
		} else if (r.token.kind == PTX_TOKEN_DOTTED) {
			failed = read_directive(&r, v, data);
		} else if (r.token.kind == PTX_TOKEN_IDENTIFIER) {
			failed = read_named(&r, v, data);
		} else {
			/* The guard of an instruction: what it is made of has no part in where that
			 * writes. */
			bool guard = at(&r, '@');

			if (!guard && !at(&r, ';'))
				return PTX_FLOW_NOT_UNDERSTOOD;
			advance(&r);
			if (guard && at(&r, '!'))
				advance(&r);
			if (guard)
				advance(&r);
		}
	}
	return failed;
}
