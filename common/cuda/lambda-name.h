/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lambdas have names that clang gives them, apply<cgpu_cell_3_1()::{lambda(int)#1}>. Shown, this is
 * apply<lambda>.
 */
#ifndef CGPU_COMMON_CUDA_LAMBDA_NAME_H
#define CGPU_COMMON_CUDA_LAMBDA_NAME_H

#include <string.h>

/* Behind "{lambda(int)#1}" at p; NULL: it is something else. */
static inline const char *lambda_name_behind(const char *p)
{
	const char *end = strncmp(p, "{lambda(", 8) ? NULL : strchr(p, '}');

	return end ? end + 1 : NULL;
}

/* Behind "cgpu_cell_3_1()::", what statements at file scope are in, at p; NULL: it is something
 * else. */
static inline const char *lambda_name_behind_cell(const char *p)
{
	static const char cell[] = "cgpu_cell_";

	if (strncmp(p, cell, sizeof(cell) - 1))
		return NULL;
	p += sizeof(cell) - 1;
	p += strspn(p, "0123456789_");
	return strncmp(p, "()::", 4) ? NULL : p + 4;
}

/* In place: the text becomes shorter. A mangled name stays. */
static inline void lambda_name_show(char *text)
{
	char *to = text, *from = text;

	while (from && *from) {
		const char *lambda = lambda_name_behind(from),
			   *in_cell = lambda_name_behind_cell(from);

		if (lambda) {
			memcpy(to, "lambda", 6);
			to += 6;
		}
		if (lambda || in_cell)
			from += (lambda ? lambda : in_cell) - from;
		else
			*to++ = *from++;
	}
	if (to)
		*to = '\0';
}

#endif
