/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lambdas of cells are types with names of ours (compiler/closure.h, compiler/device-variable.h), which stand in the names of
 * instances of templates: apply<struct cgpu_closure_f_0123456789>. Shown, this is apply<lambda f>. Those of C++ cells have the
 * names that clang gives them, apply<cgpu_cell_3_1()::{lambda(int)#1}>, shown as apply<lambda>.
 */
#ifndef CGPU_COMMON_LAMBDA_NAME_H
#define CGPU_COMMON_LAMBDA_NAME_H

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Behind it: the lambda's own name. */
#define LAMBDA_PREFIX "cgpu_lambda_"
/* Behind it: what the item that it stands in declares and `_`, or nothing; then LAMBDA_DIGITS that tell its type. */
#define CLOSURE_PREFIX "cgpu_closure_"
#define LAMBDA_DIGITS 10

/* Behind "{lambda(int)#1}" at p; NULL: it is something else. */
static inline const char *lambda_name_behind(const char *p)
{
	const char *end = strncmp(p, "{lambda(", 8) ? NULL : strchr(p, '}');

	return end ? end + 1 : NULL;
}

/* Behind "cgpu_cell_3_1()::", what statements at file scope are in, at p; NULL: it is something else. */
static inline const char *lambda_name_behind_cell(const char *p)
{
	static const char cell[] = "cgpu_cell_";

	if (strncmp(p, cell, sizeof(cell) - 1))
		return NULL;
	p += sizeof(cell) - 1;
	p += strspn(p, "0123456789_");
	return strncmp(p, "()::", 4) ? NULL : p + 4;
}

/* In place: the text becomes shorter. A mangled name, in which a number stands in front, stays. */
static inline void lambda_name_show(char *text)
{
	char *to = text, *from = text;

	while (from && *from) {
		bool is_closure = !strncmp(from, CLOSURE_PREFIX, sizeof(CLOSURE_PREFIX) - 1);
		size_t prefix = is_closure ? sizeof(CLOSURE_PREFIX) - 1 : sizeof(LAMBDA_PREFIX) - 1, name = 0;
		const char *lambda = lambda_name_behind(from), *in_cell = lambda_name_behind_cell(from);

		if (lambda) {
			memcpy(to, "lambda", 6);
			to += 6;
		}
		if (lambda || in_cell) {
			from += (lambda ? lambda : in_cell) - from;
			continue;
		}
		if ((!is_closure && strncmp(from, LAMBDA_PREFIX, prefix)) ||
		    (from > text && (isalnum((unsigned char)from[-1]) || from[-1] == '_'))) {
			*to++ = *from++;
			continue;
		}
		from += prefix;
		while (isalnum((unsigned char)from[name]) || from[name] == '_')
			name++;
		if (to - text >= 7 && !memcmp(to - 7, "struct ", 7))
			to -= 7;
		memcpy(to, "lambda ", 7);
		to += 7;
		memmove(to, from, name);
		to += is_closure ? (name > LAMBDA_DIGITS ? name - LAMBDA_DIGITS : 0) : name;
		/* The separator: `_` behind the name, or the blank. */
		to -= is_closure || !name;
		from += name;
	}
	if (to)
		*to = '\0';
}

#endif
