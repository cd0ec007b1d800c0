/* SPDX-License-Identifier: Apache-2.0 */
/* The capacity doubles, so that n additions cost O(n). */
#include "common/base/array.h"

#include <stdlib.h>

#define ARRAY_FIRST 16

void *array_grow(void *array, size_t n, size_t *cap, size_t size)
{
	size_t more = *cap ? 2 * *cap : ARRAY_FIRST;
	void *grown;

	if (n < *cap)
		return array;
	grown = realloc(array, more * size);
	if (grown)
		*cap = more;
	return grown;
}
