/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readable names of lambdas: apply<cgpu_cell_3_1()::{lambda(int)#1}>, as clang has it, becomes
 * apply<lambda>.
 */
#ifndef CGPU_COMMON_CUDA_LAMBDA_NAME_H
#define CGPU_COMMON_CUDA_LAMBDA_NAME_H

#include <string.h>

/* Returns the position behind "{lambda(int)#1}" at p; NULL: there is none. */
static inline const char *lambda_name_behind(const char *p)
{
	const char *end = strncmp(p, "{lambda(", 8) ? NULL : strchr(p, '}');

	return end ? end + 1 : NULL;
}

/* Returns the position behind "cgpu_cell_3_1()::" at p, the function of a cell's statements at file
 * scope; NULL: there is none. */
static inline const char *lambda_name_behind_cell(const char *p)
{
	static const char cell[] = "cgpu_cell_";

	if (strncmp(p, cell, sizeof(cell) - 1))
		return NULL;
	p += sizeof(cell) - 1;
	p += strspn(p, "0123456789_");
	return strncmp(p, "()::", 4) ? NULL : p + 4;
}

/* Replaces lambdas in the text, which becomes shorter. A mangled name is unchanged. */
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
