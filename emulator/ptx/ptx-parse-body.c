/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Function bodies of PTX: declarations, labels, instructions, nested scopes. Registers and body
 * variables are found by scope here; labels after the body, since they may be used before they
 * stand; module symbols when decoding.
 */
#include "emulator/ptx/ptx-parser.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "emulator/ptx/ptx-lines.h"

static int parse_operand(struct ptx_parser *p, struct ptx_operand *o);

/* "%rd12" of `.reg .b64 %rd<40>` */
static bool find_in_ranges(struct ptx_parser *p, const struct ptx_token *t, uint32_t *ret)
{
	const struct ptx_range *r = p->ranges.items;
	uint32_t digits = 0;
	uint64_t number = 0, scale = 1;

	while (digits < t->len && t->text[t->len - 1 - digits] >= '0' &&
	       t->text[t->len - 1 - digits] <= '9') {
		if (scale > 1000000000)
			return false;
		number += scale * (uint64_t)(t->text[t->len - 1 - digits] - '0');
		scale *= 10;
		digits++;
	}
	for (size_t i = p->ranges.count; digits && i-- > 0;)
		/* The prefix itself may end in digits: every split is tried by length. */
		if (r[i].len + digits == t->len && !memcmp(r[i].prefix, t->text, r[i].len) &&
		    number < r[i].count) {
			*ret = r[i].first + (uint32_t)number;
			return true;
		}
	return false;
}

static const struct ptx_name *find_name(struct ptx_parser *p, const struct ptx_token *t)
{
	const struct ptx_name *n = p->names.items;

	for (size_t i = p->names.count; i-- > 0;)
		if (n[i].len == t->len && !memcmp(n[i].text, t->text, t->len))
			return &n[i];
	return NULL;
}

static int add_register(struct ptx_parser *p, struct ptx_type type, uint32_t *ret)
{
	struct ptx_register *r = ptx_parser_push(p, &p->registers, sizeof(*r));

	if (!r)
		return -1;
	r->class = type.class;
	r->bits = type.size ? (uint8_t)(type.size * 8) : 1;
	*ret = (uint32_t)p->registers.count - 1;
	return 0;
}

/* .reg .b32 %r<40>, %tmp; */
static int parse_registers(struct ptx_parser *p)
{
	struct ptx_type type;

	if (!ptx_parser_type(&p->token, &type))
		return ptx_parser_error(p, "registers of type `%.*s` are not supported",
					(int)p->token.len, p->token.text);
	ptx_parser_advance(p);
	do {
		struct ptx_token name = p->token;
		uint32_t index;
		int64_t count = 1;

		if (name.kind != PTX_TOKEN_IDENTIFIER)
			return ptx_parser_error(p, "a register name expected");
		ptx_parser_advance(p);
		if (ptx_parser_take(p, '<')) {
			struct ptx_range *r = ptx_parser_push(p, &p->ranges, sizeof(*r));

			if (!r || ptx_parser_integer(p, &count) || ptx_parser_expect(p, '>'))
				return -1;
			if (count < 0 || count > 1 << 24)
				return ptx_parser_error(p, "%lld registers", (long long)count);
			*r = (struct ptx_range){ name.text, name.len, (uint32_t)count,
						 (uint32_t)p->registers.count };
			for (int64_t i = 0; i < count; i++)
				if (add_register(p, type, &index))
					return -1;
		} else {
			struct ptx_name *n = ptx_parser_push(p, &p->names, sizeof(*n));

			if (!n || add_register(p, type, &index))
				return -1;
			*n = (struct ptx_name){ name.text, name.len, index, false };
		}
	} while (ptx_parser_take(p, ','));
	return ptx_parser_expect(p, ';');
}

/* .local, .param or .shared in a body */
static int parse_body_variable(struct ptx_parser *p, struct ptx_function *f, enum ptx_space space)
{
	do {
		struct ptx_variable v = { 0 };
		struct ptx_body_variable *b;
		struct ptx_name *n;
		uint32_t *area = space == PTX_SPACE_LOCAL ? &p->local_bytes : &f->body->param_area;

		if (ptx_parse_variable(p, space, &v))
			return -1;
		b = ptx_parser_push(p, &p->variables, sizeof(*b));
		n = ptx_parser_push(p, &p->names, sizeof(*n));
		if (!b || !n)
			return -1;
		if (v.size > 1 << 26)
			return ptx_parser_error(p, "`%s` has %llu bytes", v.name,
						(unsigned long long)v.size);
		*b = (struct ptx_body_variable){
			.name = v.name, .space = space, .size = (uint32_t)v.size, .align = v.align
		};
		*n = (struct ptx_name){ v.name, (uint32_t)strlen(v.name),
					(uint32_t)p->variables.count - 1, true };
		if (space == PTX_SPACE_SHARED) {
			b->shared = ptx_module_add_variable(p, &v);
			if (!b->shared)
				return -1;
			continue;
		}
		b->offset = (*area + v.align - 1) / v.align * v.align;
		*area = b->offset + b->size;
		if (*area > 1 << 26)
			return ptx_parser_error(p, "more than 64 MiB of %s variables",
						space == PTX_SPACE_LOCAL ? ".local" : ".param");
	} while (ptx_parser_take(p, ','));
	return ptx_parser_expect(p, ';');
}

static int parse_elements(struct ptx_parser *p, struct ptx_operand *o, char close)
{
	struct ptx_operand elements[64];
	unsigned count = 0;

	while (!ptx_parser_at(p, close)) {
		if (count == sizeof(elements) / sizeof(elements[0]))
			return ptx_parser_error(p, "too many operands in a list");
		if (parse_operand(p, &elements[count++]))
			return -1;
		if (!ptx_parser_take(p, ','))
			break;
	}
	if (ptx_parser_expect(p, close))
		return -1;
	o->count = (uint16_t)count;
	o->elements = mem_pool_array(&p->m->pool, count ? count : 1, sizeof(elements[0]));
	if (!o->elements)
		return error_set(p->err, ERROR_MEMORY, "out of memory while parsing PTX");
	memcpy(o->elements, elements, count * sizeof(elements[0]));
	return 0;
}

static int parse_word_operand(struct ptx_parser *p, struct ptx_operand *o)
{
	struct ptx_token t = p->token;
	const struct ptx_name *n;
	int64_t offset = 0;

	ptx_parser_advance(p);
	if (t.len == 1 && t.text[0] == '_') {
		o->kind = PTX_OPERAND_SINK;
		return 0;
	}
	n = find_name(p, &t);
	if (n) {
		o->kind = n->is_variable ? PTX_OPERAND_VARIABLE : PTX_OPERAND_REGISTER;
		o->index = n->index;
	} else if (find_in_ranges(p, &t, &o->index)) {
		o->kind = PTX_OPERAND_REGISTER;
	} else if (t.text[0] == '%') {
		o->kind = PTX_OPERAND_SPECIAL;
		if (p->token.kind == PTX_TOKEN_DOTTED) {
			t.len = (uint32_t)(p->token.text + p->token.len - t.text);
			ptx_parser_advance(p);
		}
		o->name = ptx_parser_text(p, &t);
		if (!o->name)
			return -1;
	} else {
		o->kind = PTX_OPERAND_SYMBOL;
		o->name = ptx_parser_text(p, &t);
		if (!o->name)
			return -1;
	}
	if (ptx_parser_take(p, '+')) {
		if (ptx_parser_integer(p, &offset))
			return -1;
	} else if (ptx_parser_at(p, '-') && o->kind != PTX_OPERAND_SPECIAL &&
		   ptx_parser_integer(p, &offset)) {
		return -1;
	}
	o->value = (uint64_t)offset;
	return 0;
}

static int parse_number_operand(struct ptx_parser *p, struct ptx_operand *o)
{
	bool negative = ptx_parser_take(p, '-');

	if (p->token.kind == PTX_TOKEN_INTEGER) {
		o->kind = PTX_OPERAND_INTEGER;
		o->value = negative ? -p->token.value : p->token.value;
	} else if (p->token.kind == PTX_TOKEN_FLOAT) {
		o->kind = PTX_OPERAND_FLOAT;
		o->single = p->token.single;
		o->value = p->token.value;
		if (negative)
			o->value ^= 1ull << (o->single ? 31 : 63);
	} else if (p->token.kind == PTX_TOKEN_END) {
		return ptx_parser_error(p, "the text ends inside an instruction");
	} else {
		return ptx_parser_error(p, "an operand expected before `%.*s`", (int)p->token.len,
					p->token.text);
	}
	ptx_parser_advance(p);
	return 0;
}

/* operand: register, constant, symbol + offset, %special.x, [address], {vector}, (list), !p, a|b, _
 */
static int parse_operand(struct ptx_parser *p, struct ptx_operand *o)
{
	memset(o, 0, sizeof(*o));
	if (ptx_parser_take(p, '!')) {
		if (parse_operand(p, o))
			return -1;
		o->negated = true;
		return 0;
	}
	if (ptx_parser_take(p, '[')) {
		o->kind = PTX_OPERAND_ADDRESS;
		return parse_elements(p, o, ']');
	}
	if (ptx_parser_take(p, '{')) {
		o->kind = PTX_OPERAND_VECTOR;
		return parse_elements(p, o, '}');
	}
	if (ptx_parser_take(p, '(')) {
		o->kind = PTX_OPERAND_LIST;
		return parse_elements(p, o, ')');
	}
	if (p->token.kind != PTX_TOKEN_IDENTIFIER)
		return parse_number_operand(p, o);
	if (parse_word_operand(p, o))
		return -1;
	if (ptx_parser_take(p, '|')) {
		struct ptx_operand *pair = mem_pool_array(&p->m->pool, 2, sizeof(*pair));

		if (!pair)
			return error_set(p->err, ERROR_MEMORY, "out of memory while parsing PTX");
		pair[0] = *o;
		if (parse_operand(p, &pair[1]))
			return -1;
		*o = (struct ptx_operand){ .kind = PTX_OPERAND_PAIR, .count = 2, .elements = pair };
	}
	return 0;
}

static int parse_guard(struct ptx_parser *p, struct ptx_instruction *in)
{
	struct ptx_operand o;

	in->guard = PTX_NONE;
	if (!ptx_parser_take(p, '@'))
		return 0;
	in->guard_negated = ptx_parser_take(p, '!');
	if (parse_operand(p, &o))
		return -1;
	if (o.kind != PTX_OPERAND_REGISTER)
		return ptx_parser_error(p, "a guard must be a predicate register");
	in->guard = o.index;
	return 0;
}

static int parse_instruction(struct ptx_parser *p)
{
	struct ptx_instruction in = { .loc = p->loc, .scope = p->scope, .line = p->token.line };
	struct ptx_instruction *to;
	struct ptx_table operands = { 0 };
	const char *end;
	int rc = -1;

	if (parse_guard(p, &in))
		return -1;
	if (p->token.kind != PTX_TOKEN_IDENTIFIER)
		return ptx_parser_error(p, "an instruction expected before `%.*s`",
					(int)p->token.len, p->token.text);
	in.text = p->token.text;
	do {
		end = p->token.text + p->token.len;
		ptx_parser_advance(p);
	} while (p->token.kind == PTX_TOKEN_DOTTED);
	in.form_len = (uint16_t)(end - in.text > 200 ? 200 : end - in.text);
	while (!ptx_parser_at(p, ';')) {
		struct ptx_operand *o = ptx_parser_push(p, &operands, sizeof(*o));

		if (!o || parse_operand(p, o))
			goto out;
		if (!ptx_parser_take(p, ','))
			break;
	}
	in.text_len = (uint16_t)(p->token.text - in.text > 150 ? 150 : p->token.text - in.text);
	in.operand_count = (uint8_t)operands.count;
	in.operands = ptx_parser_keep(p, &operands, sizeof(struct ptx_operand));
	to = ptx_parser_push(p, &p->instructions, sizeof(*to));
	if (!in.operands || !to)
		goto out;
	*to = in;
	rc = ptx_parser_expect(p, ';');
out:
	free(operands.items);
	return rc;
}

static int skip_to_semicolon(struct ptx_parser *p)
{
	while (!ptx_parser_take(p, ';')) {
		if (p->token.kind == PTX_TOKEN_END)
			return ptx_parser_error(p, "the text ends inside a function");
		ptx_parser_advance(p);
	}
	return 0;
}

static int parse_directive(struct ptx_parser *p, struct ptx_function *f)
{
	enum ptx_space space;

	if (ptx_parser_take_word(p, ".loc"))
		return ptx_lines_parse(p);
	if (ptx_parser_take_word(p, ".reg"))
		return parse_registers(p);
	if (ptx_space_of(&p->token, &space)) {
		ptx_parser_advance(p);
		return parse_body_variable(p, f, space);
	}
	if (ptx_parser_at_word(p, ".pragma") || ptx_parser_at_word(p, ".callprototype") ||
	    ptx_parser_at_word(p, ".calltargets"))
		return skip_to_semicolon(p);
	return ptx_parser_error(p, "unknown directive `%.*s` in a function", (int)p->token.len,
				p->token.text);
}

/* name: .branchtargets label, ...; */
static int parse_target_list(struct ptx_parser *p, const char *name)
{
	struct ptx_target_list *list = ptx_parser_push(p, &p->target_lists, sizeof(*list));
	struct ptx_table labels = { 0 };
	int rc = -1;

	if (!list)
		return -1;
	do {
		const char **label = ptx_parser_push(p, &labels, sizeof(*label));

		if (!label)
			goto out;
		*label = ptx_parser_text(p, &p->token);
		if (!*label)
			goto out;
		ptx_parser_advance(p);
	} while (ptx_parser_take(p, ','));
	list->name = name;
	list->labels = ptx_parser_keep(p, &labels, sizeof(const char *));
	list->count = (uint32_t)labels.count;
	rc = list->labels ? ptx_parser_expect(p, ';') : -1;
out:
	free(labels.items);
	return rc;
}

static int parse_label(struct ptx_parser *p)
{
	struct ptx_label *l;
	char *name = ptx_parser_text(p, &p->token);

	ptx_parser_advance(p);
	if (!name || ptx_parser_expect(p, ':'))
		return -1;
	if (ptx_parser_take_word(p, ".branchtargets"))
		return parse_target_list(p, name);
	l = ptx_parser_push(p, &p->labels, sizeof(*l));
	if (!l)
		return -1;
	*l = (struct ptx_label){ name, p->scope, (uint32_t)p->instructions.count };
	return 0;
}

static int parse_block(struct ptx_parser *p, struct ptx_function *f);

/* `name:` is a label; anything else that starts with a word is an instruction. */
static int parse_statement(struct ptx_parser *p, struct ptx_function *f)
{
	if (ptx_parser_at(p, '{'))
		return parse_block(p, f);
	if (p->token.kind == PTX_TOKEN_DOTTED)
		return parse_directive(p, f);
	if (p->token.kind == PTX_TOKEN_IDENTIFIER) {
		const char *c = p->lexer.at;

		while (c < p->lexer.end && (*c == ' ' || *c == '\t'))
			c++;
		if (c < p->lexer.end && *c == ':')
			return parse_label(p);
	}
	if (ptx_parser_take(p, ';'))
		return 0;
	return parse_instruction(p);
}

static int parse_block(struct ptx_parser *p, struct ptx_function *f)
{
	size_t names = p->names.count, ranges = p->ranges.count;
	uint32_t outer = p->scope;
	uint32_t *parent = ptx_parser_push(p, &p->scopes, sizeof(*parent));

	if (!parent || ptx_parser_expect(p, '{'))
		return -1;
	*parent = outer;
	p->scope = (uint32_t)p->scopes.count - 1;
	while (!ptx_parser_at(p, '}')) {
		if (p->token.kind == PTX_TOKEN_END)
			return ptx_parser_error(p, "the text ends inside a function");
		if (parse_statement(p, f))
			return -1;
	}
	ptx_parser_advance(p);
	p->names.count = names;
	p->ranges.count = ranges;
	p->scope = outer;
	return 0;
}

static int by_label_name(const void *a, const void *b)
{
	return strcmp(((const struct ptx_label *)a)->name, ((const struct ptx_label *)b)->name);
}

int ptx_parse_body(struct ptx_parser *p, struct ptx_function *f)
{
	struct ptx_body *b = f->body;
	size_t locations = p->m->location_count;

	p->instructions.count = p->registers.count = p->labels.count = p->scopes.count =
		p->ranges.count = 0;
	p->target_lists.count = 0;
	p->scope = PTX_NONE;
	p->loc = PTX_NONE;
	p->local_bytes = 0;
	if (parse_block(p, f))
		return -1;
	if (p->labels.count)
		qsort(p->labels.items, p->labels.count, sizeof(struct ptx_label), by_label_name);
	b->instructions = ptx_parser_keep(p, &p->instructions, sizeof(struct ptx_instruction));
	b->instruction_count = (uint32_t)p->instructions.count;
	b->opening = p->m->location_count > locations ? (uint32_t)locations : PTX_NONE;
	b->registers = ptx_parser_keep(p, &p->registers, sizeof(struct ptx_register));
	b->register_count = (uint32_t)p->registers.count;
	b->variables = ptx_parser_keep(p, &p->variables, sizeof(struct ptx_body_variable));
	b->variable_count = (uint32_t)p->variables.count;
	b->labels = ptx_parser_keep(p, &p->labels, sizeof(struct ptx_label));
	b->label_count = (uint32_t)p->labels.count;
	b->target_lists = ptx_parser_keep(p, &p->target_lists, sizeof(struct ptx_target_list));
	b->target_list_count = (uint32_t)p->target_lists.count;
	b->scope_parent = ptx_parser_keep(p, &p->scopes, sizeof(uint32_t));
	b->scope_count = (uint32_t)p->scopes.count;
	b->local_bytes = (p->local_bytes + 15) / 16 * 16;
	if (!b->instructions || !b->registers || !b->variables || !b->labels || !b->scope_parent ||
	    !b->target_lists)
		return -1;
	return 0;
}
