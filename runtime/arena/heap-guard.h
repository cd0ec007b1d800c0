/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns in memory that a cell has no right to write: behind a block, in the bytes of its slot or
 * last page that nobody asked for, and in the first bytes of a slot that is free. What has changed
 * tells of an overrun or of a use after free(). They cost no memory, so a block that fills its slot
 * has none behind it.
 */
#ifndef CGPU_RUNTIME_ARENA_HEAP_GUARD_H
#define CGPU_RUNTIME_ARENA_HEAP_GUARD_H

#include <stddef.h>
#include <stdint.h>

#define HEAP_GUARD_MAX 16u /* bytes of a pattern */

/* Writes the pattern behind a block of `size` bytes that has room for more. */
void heap_guard_set(void *block, size_t size, size_t room);
/* Returns 1 + the offset of the first byte behind the block that has changed; 0: none has. */
size_t heap_guard_overrun(const void *block, size_t size, size_t room);

/* Writes the pattern of a slot that is free. */
void heap_guard_poison(void *slot, size_t room);
/* Returns 1 + the offset of the first byte of it that has changed; 0: none has. */
size_t heap_guard_spoilt(const void *slot, size_t room);

#endif
