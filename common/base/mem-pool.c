/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of 16 KiB, larger ones for larger requests; a large request leaves the current block in
 * use. */
#include "common/base/mem-pool.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE (16 * 1024)
#define ARRAY_FIRST 16

struct mem_pool_block {
	struct mem_pool_block *next;
	size_t size;
	_Alignas(max_align_t) char data[];
};

void mem_pool_init(struct mem_pool *p)
{
	*p = (struct mem_pool)MEM_POOL_INIT;
}

void mem_pool_release(struct mem_pool *p)
{
	struct mem_pool_block *b = p->first;

	while (b) {
		struct mem_pool_block *next = b->next;

		free(b);
		b = next;
	}
	mem_pool_init(p);
}

static struct mem_pool_block *block_new(struct mem_pool *p, size_t size)
{
	struct mem_pool_block *b = calloc(1, sizeof(*b) + size);

	if (!b)
		return NULL;
	b->size = size;
	p->total += sizeof(*b) + size;
	return b;
}

void *mem_pool_alloc(struct mem_pool *p, size_t size)
{
	const size_t align = _Alignof(max_align_t);
	struct mem_pool_block *b = p->first;
	void *at;

	if (size > (size_t)-1 / 2)
		return NULL;
	size = (size + align - 1) / align * align;
	if (b && b->size - p->used >= size) {
		at = b->data + p->used;
		p->used += size;
		return at;
	}
	if (b && size > BLOCK_SIZE / 4) {
		struct mem_pool_block *own = block_new(p, size);

		if (!own)
			return NULL;
		own->next = b->next;
		b->next = own;
		return own->data;
	}
	b = block_new(p, size > BLOCK_SIZE ? size : BLOCK_SIZE);
	if (!b)
		return NULL;
	b->next = p->first;
	p->first = b;
	p->used = size;
	return b->data;
}

void *mem_pool_array(struct mem_pool *p, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return NULL;
	return mem_pool_alloc(p, bytes);
}

char *mem_pool_strndup(struct mem_pool *p, const char *text, size_t len)
{
	char *copy = mem_pool_alloc(p, len + 1);

	if (copy)
		memcpy(copy, text, len);
	return copy;
}

char *mem_pool_strdup(struct mem_pool *p, const char *text)
{
	return mem_pool_strndup(p, text, strlen(text));
}

void *mem_pool_grow(struct mem_pool *p, void *array, uint32_t n, uint32_t *cap, size_t size)
{
	uint32_t more = 2 * *cap + ARRAY_FIRST;
	void *grown;

	if (n < *cap)
		return array;
	grown = more > n ? mem_pool_array(p, more, size) : NULL;
	if (!grown)
		return NULL;
	if (n)
		memcpy(grown, array, n * size);
	*cap = more;
	return grown;
}
