/* SPDX-License-Identifier: Apache-2.0 */
/* The Damerau-Levenshtein distance, in three rows of its table: a swap of two neighbours counts
 * once. */
#include "common/text/near-name.h"

#include <string.h>

#define LONGEST 63

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

size_t near_name_edits(const char *a, const char *b)
{
	size_t rows[3][LONGEST + 1], m = strlen(a), n = strlen(b);

	if (m >= LONGEST || n >= LONGEST)
		return LONGEST;
	for (size_t i = 0; i <= m; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			row[j] = i ? min3(above[j] + 1, row[j - 1] + 1,
					  above[j - 1] + (a[i - 1] != b[j - 1]))
				   : j;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    second[j - 2] + 1 < row[j])
				row[j] = second[j - 2] + 1;
		}
	}
	return rows[m % 3][n];
}

size_t near_name_limit(const char *name)
{
	return strlen(name) / 3;
}
