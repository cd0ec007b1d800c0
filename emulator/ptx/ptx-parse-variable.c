/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations of variables and their initialisers (PTX ISA, chapters 5.4 and 5.5). An initialiser
 * becomes the bytes of the variable; an address in it is left as a relocation, since symbols have
 * no addresses before the module is placed.
 */
#include "emulator/ptx/ptx-parser.h"

#include <stdlib.h>
#include <string.h>

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
		return ptx_parser_unexpected(p, "a symbol");
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
		return ptx_parser_unexpected(p, "a constant");
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
				return ptx_parser_unexpected(p,
							     "an alignment that is a power of two");
		} else if (ptx_parser_at_word(p, ".v2") || ptx_parser_at_word(p, ".v4")) {
			vector = (uint32_t)(p->token.text[2] - '0');
		} else if (ptx_parser_type(&p->token, &type)) {
			break;
		} else if (!ptx_parser_at_word(p, ".ptr") && !ptx_parser_at_word(p, ".managed")) {
			return ptx_parser_unexpected(p, "a type");
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
		return ptx_parser_unexpected(p, "a name");
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
