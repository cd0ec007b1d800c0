/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Macros that hold CUDA's marks: `#define HD __host__ __device__`, `#define KERNEL(name) __global__ void name(float *p)`.
 * What they define is told apart by its marks, so they are expanded before a cell is split; all other macros are clang's and
 * NVRTC's.
 */
#ifndef CGPU_COMPILER_DEVICE_MACROS_H
#define CGPU_COMPILER_DEVICE_MACROS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct macro_text;
struct mem_pool;
struct name_source;
struct token_list;

/*
 * The cell with their uses outside of brackets expanded, in the pool: each use is one line, and all lines keep their numbers.
 * The text itself when there is none. NULL: ERROR_MEMORY.
 */
const char *device_macros_expand(const char *text, const struct name_source *names, struct mem_pool *pool, struct error *err);

/* The macro that the word is at token `before`, if it has marks: of conditional definitions the one that has. */
bool device_macros_find(const struct token_list *l, uint32_t before, const struct name_source *names, const char *word,
			size_t len, struct macro_text *ret);

#endif
