/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of memory for copies of pages that cells overwrite: journals, pre-images for undo, shadow
 * copies. Such memory is large, used for a moment and wanted again. Released blocks are kept for
 * the next request and marked MADV_FREE, so that Linux takes them when it is short of memory. To
 * take a page from Linux costs more than to copy it, on a virtual machine whose host reclaims free
 * pages ten times as much.
 *
 * Any thread may call; there is one cache in the process.
 */
#ifndef CGPU_KERNEL_STATE_KEPT_MEMORY_H
#define CGPU_KERNEL_STATE_KEPT_MEMORY_H

#include <stddef.h>

struct error;

/* Smaller blocks are not worth keeping and are unmapped at once. */
#define KEPT_MEMORY_MIN ((size_t)1024 * 1024)

/* Returns whole pages with undefined content; size is a multiple of the page size and not 0. NULL:
 * no memory. */
void *kept_memory_take(size_t size, struct error *err);
/* Gives back whole pages of a block, or of a part of one. NULL is accepted. */
void kept_memory_give(void *p, size_t size);

/* Returns the bytes in the cache; they count as free memory. */
size_t kept_memory_bytes(void);
/* Returns all cached memory to Linux. */
void kept_memory_drop(void);

#endif
