/* SPDX-License-Identifier: Apache-2.0 */
/* A recursive descent over the text, with one function for each grammar symbol. It measures each
 * type as it goes, and refuses a member that does not lie inside its structure and a size that the
 * kind of type does not have: who walks over a value by its code reads inside the value only. The
 * code may come from a process that wants to be believed. */
#include "common/code/type-code.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64
#define BIT_FIELD_MAX 64

/* The end of the type that starts at p, and its size in bytes; NULL if malformed. */
static const char *type(const char *p, int depth, size_t *ret_size);

static const char *digits(const char *p, size_t *ret)
{
	char *end;

	if (!p || *p < '0' || *p > '9')
		return NULL;
	*ret = strtoul(p, &end, 10);
	return end;
}

/* Tells whether [at, at + n) lies in the first `size` bytes. */
static bool is_inside(size_t at, size_t n, size_t size)
{
	return at <= size && n <= size - at;
}

/* Grammar: "m" bit ":" width ":". *ret_bytes: from the offset to the end of the last bit. */
static const char *bits(const char *p, size_t *ret_bytes)
{
	size_t bit, width;

	p = digits(p + 1, &bit);
	p = p && *p == ':' ? digits(p + 1, &width) : NULL;
	if (!p || *p != ':' || !width || width > BIT_FIELD_MAX || bit >= BIT_FIELD_MAX)
		return NULL;
	*ret_bytes = (bit + width + 7) / 8;
	return p + 1;
}

/* Grammar: member = name "@" offset ":" ["m" bit ":" width ":"] type */
static const char *member(const char *p, int depth, size_t record_size)
{
	size_t offset, size, used = 0;
	bool is_bits;

	p = strchr(p, '@');
	p = p ? digits(p + 1, &offset) : NULL;
	if (!p || *p++ != ':')
		return NULL;
	is_bits = *p == 'm';
	if (is_bits)
		p = bits(p, &used);
	if (!p || (is_bits && !strchr("bceiuLU", *p)))
		return NULL;
	p = type(p, depth + 1, &size);
	return p && is_inside(offset, is_bits ? used : size, record_size) ? p : NULL;
}

/* Grammar: record = size "(" name ")" [ "{" [ member { "," member } ] "}" ] */
static const char *record(const char *p, int depth, size_t *ret_size)
{
	p = digits(p, ret_size);
	if (!p || *p != '(')
		return NULL;
	p = strchr(p, ')');
	if (!p)
		return NULL;
	p++;
	if (*p != '{')
		return p;
	p++;
	while (*p && *p != '}') {
		p = member(p, depth, *ret_size);
		if (!p)
			return NULL;
		if (*p == ',')
			p++;
		else if (*p != '}')
			return NULL;
	}
	return *p == '}' ? p + 1 : NULL;
}

/* A number that is one of the sizes, each a bit of `sizes`. */
static const char *scalar(const char *p, unsigned sizes, size_t *ret_size)
{
	p = digits(p, ret_size);
	return p && *ret_size < 32 && sizes >> *ret_size & 1 ? p : NULL;
}

static const char *constants(const char *p)
{
	if (!p)
		return NULL;
	p += *p == 'u';
	if (*p != '{')
		return p;
	p = strchr(p, '}');
	return p ? p + 1 : NULL;
}

static const char *array(const char *p, int depth, size_t *ret_size)
{
	size_t n, element;

	p = digits(p, &n);
	p = p ? type(p, depth + 1, &element) : NULL;
	return p && !__builtin_mul_overflow(n, element, ret_size) ? p : NULL;
}

/* The shapes with the size of an object in bytes; of an optional one that is of its element. */
static const struct {
	char shape;
	size_t size;
} shapes[] = { { 'V', 24 }, { 'S', 32 }, { 'W', 16 }, { 'T', 48 }, { 'H', 56 },
	       { 'L', 24 }, { 'F', 8 },  { 'D', 80 }, { 'O', 0 } };

/* Grammar: container = size shape "(" name ")" type */
static const char *container(const char *p, int depth, size_t *ret_size)
{
	size_t element;
	char shape;

	p = digits(p, ret_size);
	if (!p || !*p || p[1] != '(')
		return NULL;
	shape = *p;
	p = strchr(p, ')');
	p = p ? type(p + 1, depth + 1, &element) : NULL;
	for (size_t i = 0; p && i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (shapes[i].shape == shape)
			return element && (shapes[i].size ? *ret_size == shapes[i].size
							  : *ret_size > element)
				       ? p
				       : NULL;
	return NULL;
}

#define SIZE(n) (1u << (n))

static const char *type(const char *p, int depth, size_t *ret_size)
{
	size_t target;

	if (depth > DEPTH_MAX)
		return NULL;
	*ret_size = 0;
	switch (*p++) {
	case 'v':
	case 'F':
		return p;
	case 'b':
	case 'c':
		*ret_size = 1;
		return p;
	case 'i':
	case 'u':
		return scalar(p, SIZE(1) | SIZE(2) | SIZE(4) | SIZE(8) | SIZE(16), ret_size);
	case 'L':
	case 'U':
		return scalar(p, SIZE(2) | SIZE(4), ret_size);
	case 'f':
		return scalar(p, SIZE(2) | SIZE(4) | SIZE(8) | SIZE(16), ret_size);
	case 'z':
		p = scalar(p, SIZE(4) | SIZE(8) | SIZE(16), ret_size);
		*ret_size *= 2;
		return p;
	case '?':
		return digits(p, ret_size);
	case 'e':
		return constants(
			scalar(p, SIZE(1) | SIZE(2) | SIZE(4) | SIZE(8) | SIZE(16), ret_size));
	case 'p':
		p = type(p, depth + 1, &target);
		*ret_size = sizeof(void *);
		return p;
	case 'a':
	case 'x':
		return array(p, depth, ret_size);
	case 'k':
		return container(p, depth, ret_size);
	case 's':
	case 'n':
		return record(p, depth, ret_size);
	default:
		return NULL;
	}
}

const char *type_code_skip(const char *code)
{
	size_t size;

	return type(code, 0, &size);
}

bool type_code_container(const char *code, struct type_code_container *ret)
{
	char *p;

	if (*code != 'k')
		return false;
	strtoul(code + 1, &p, 10);
	ret->shape = *p;
	ret->name = p + 2;
	ret->name_len = strcspn(ret->name, ")");
	ret->element = ret->name + ret->name_len + 1;
	return true;
}

size_t type_code_size(const char *code)
{
	size_t size;

	return type(code, 0, &size) ? size : 0;
}
