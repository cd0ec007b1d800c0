/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a cell declares as geo::scale the compilers get as one name, geo__N__scale (compiler/namespace-text.h). Wherever a name is
 * shown it is written as the user has it.
 */
#ifndef CGPU_COMMON_NAMESPACE_INFIX_H
#define CGPU_COMMON_NAMESPACE_INFIX_H

#include <string.h>

#define NAMESPACE_INFIX "__N__"

/* In place: the text becomes shorter. */
static inline void namespace_infix_show(char *text)
{
	const size_t n = sizeof(NAMESPACE_INFIX) - 1;
	char *to = text ? strstr(text, NAMESPACE_INFIX) : NULL, *from = to;

	while (from && *from) {
		if (!strncmp(from, NAMESPACE_INFIX, n)) {
			*to++ = ':';
			*to++ = ':';
			from += n;
		} else {
			*to++ = *from++;
		}
	}
	if (to)
		*to = '\0';
}

#endif
