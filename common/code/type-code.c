/* SPDX-License-Identifier: Apache-2.0 */
/* A recursive descent over the text, with one function for each grammar symbol. */
#include "common/code/type-code.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64

static const char *skip(const char *p, int depth);

static const char *digits(const char *p, size_t *ret)
{
	char *end;

	if (*p < '0' || *p > '9')
		return NULL;
	*ret = strtoul(p, &end, 10);
	return end;
}

/* Grammar: record = size "(" name ")" [ "{" members "}" ] */
static const char *skip_record(const char *p, int depth)
{
	size_t n;

	p = digits(p, &n);
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
		p = strchr(p, ':');
		if (!p)
			return NULL;
		p++;
		if (*p == 'm') {
			p = digits(p + 1, &n);
			if (!p || *p != ':')
				return NULL;
			p = digits(p + 1, &n);
			if (!p || *p != ':')
				return NULL;
			p++;
		}
		p = skip(p, depth + 1);
		if (!p)
			return NULL;
		if (*p == ',')
			p++;
	}
	return *p == '}' ? p + 1 : NULL;
}

static const char *skip(const char *p, int depth)
{
	size_t n;

	if (!p || depth > DEPTH_MAX)
		return NULL;
	switch (*p) {
	case 'v':
	case 'b':
	case 'c':
	case 'F':
		return p + 1;
	case 'i':
	case 'u':
	case 'L':
	case 'U':
	case 'f':
	case 'z':
	case '?':
		return digits(p + 1, &n);
	case 'e':
		p = digits(p + 1, &n);
		p += p && *p == 'u';
		if (p && *p == '{') {
			p = strchr(p, '}');
			return p ? p + 1 : NULL;
		}
		return p;
	case 'p':
		return skip(p + 1, depth + 1);
	case 'a':
	case 'x':
		return skip(digits(p + 1, &n), depth + 1);
	case 's':
	case 'n':
		return skip_record(p + 1, depth);
	default:
		return NULL;
	}
}

const char *type_code_skip(const char *code)
{
	return skip(code, 0);
}

size_t type_code_size(const char *code)
{
	size_t n = 0, elem;
	const char *p = code;

	if (!type_code_skip(code))
		return 0;
	switch (*p) {
	case 'b':
	case 'c':
		return 1;
	case 'p':
		return sizeof(void *);
	case 'z':
	case 'i':
	case 'u':
	case 'L':
	case 'U':
	case 'f':
	case 'e':
	case 's':
	case 'n':
	case '?':
		digits(p + 1, &n);
		return *p == 'z' ? 2 * n : n;
	case 'a':
	case 'x':
		p = digits(p + 1, &n);
		elem = type_code_size(p);
		return __builtin_mul_overflow(n, elem, &n) ? 0 : n;
	default:
		return 0;
	}
}
