/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pool for objects that are freed together: a cell's items, a PTX module. An allocation advances
 * a pointer, and the release frees all at once. Memory is zeroed and aligned for any type.
 */
#ifndef CGPU_COMMON_BASE_MEM_POOL_H
#define CGPU_COMMON_BASE_MEM_POOL_H

#include <stddef.h>
#include <stdint.h>

struct mem_pool_block;

struct mem_pool {
	struct mem_pool_block *first; /* newest block; the only one with room */
	size_t used;                  /* bytes used in `first` */
	size_t total;                 /* bytes taken from malloc, for reports */
};

#define MEM_POOL_INIT { NULL, 0, 0 }

void mem_pool_init(struct mem_pool *p);
void mem_pool_release(struct mem_pool *p);

/* Allocates; NULL when memory is out. */
void *mem_pool_alloc(struct mem_pool *p, size_t size);
/* Allocates count * size bytes with an overflow check. */
void *mem_pool_array(struct mem_pool *p, size_t count, size_t size);
char *mem_pool_strndup(struct mem_pool *p, const char *text, size_t len);
char *mem_pool_strdup(struct mem_pool *p, const char *text);

/*
 * Returns the array of n elements with room for one more; NULL when memory is out, and then nothing
 * has changed. Its old memory is freed with the pool.
 */
void *mem_pool_grow(struct mem_pool *p, void *array, uint32_t n, uint32_t *cap, size_t size);

/* Makes room for one more element behind the first n of `array`, which may move. True on
 * success. */
#define MEM_POOL_ROOM(pool, array, n, cap)                                                         \
	({                                                                                         \
		void *grown_array_ = mem_pool_grow((pool), (array), (n), (cap), sizeof(*(array))); \
		if (grown_array_)                                                                  \
			(array) = grown_array_;                                                    \
		grown_array_ != NULL;                                                              \
	})

#endif
