/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays that grow by one element at a time: pointer, number and capacity lie in the struct that
 * owns them. The memory is of malloc(), so the owner ends it with free().
 */
#ifndef CGPU_COMMON_BASE_ARRAY_H
#define CGPU_COMMON_BASE_ARRAY_H

#include <stddef.h>

/* The array of n elements with room for one more; NULL when memory is out: then nothing has
 * changed. */
void *array_grow(void *array, size_t n, size_t *cap, size_t size);

/* Room for one more element behind the first n of `array`, which may move: whether there is. */
#define ARRAY_ROOM(array, n, cap)                                                                  \
	({                                                                                         \
		void *grown_array_ = array_grow((array), (n), (cap), sizeof(*(array)));            \
		if (grown_array_)                                                                  \
			(array) = grown_array_;                                                    \
		grown_array_ != NULL;                                                              \
	})

#endif
