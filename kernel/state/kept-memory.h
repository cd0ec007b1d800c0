/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for copies of what cells overwrite: journals, what undo keeps, shadow copies. It is large,
 * used for a moment and wanted again. What is given back here is kept for the next who asks, and
 * marked so that Linux takes it when it is short of memory (MADV_FREE): to take a page from Linux
 * costs more than to copy it, on a virtual machine whose host wants free pages back ten times as
 * much.
 *
 * Any thread may call; one store a process.
 */
#ifndef CGPU_KERNEL_STATE_KEPT_MEMORY_H
#define CGPU_KERNEL_STATE_KEPT_MEMORY_H

#include <stddef.h>

struct error;

/* At least this much is worth keeping; less goes back at once. */
#define KEPT_MEMORY_MIN ((size_t)1024 * 1024)

/* Whole pages, content undefined; size is a multiple of the page size and not 0. NULL: no memory.
 */
void *kept_memory_take(size_t size, struct error *err);
/* Whole pages of what was taken; a part is enough. NULL is accepted. */
void kept_memory_give(void *p, size_t size);

/* Bytes kept at the moment; they count as free. */
size_t kept_memory_bytes(void);
/* All of it goes back to Linux. */
void kept_memory_drop(void);

#endif
