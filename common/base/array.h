/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays that grow by one element at a time: pointer, number and capacity are members of the
 * owner's struct. The memory is from malloc(), so the owner releases it with free().
 */
#ifndef CGPU_COMMON_BASE_ARRAY_H
#define CGPU_COMMON_BASE_ARRAY_H

#include <stddef.h>

/* Returns the array of n elements with room for one more; NULL when memory is out, and then nothing
 * has changed. */
void *array_grow(void *array, size_t n, size_t *cap, size_t size);

/* Makes room for one more element behind the first n of `array`, which may move. True on
 * success. */
#define ARRAY_ROOM(array, n, cap)                                                                  \
	({                                                                                         \
		void *grown_array_ = array_grow((array), (n), (cap), sizeof(*(array)));            \
		if (grown_array_)                                                                  \
			(array) = grown_array_;                                                    \
		grown_array_ != NULL;                                                              \
	})

#endif
