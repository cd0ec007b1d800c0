/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the private (copied-on-write) pages of this process in a range and drops them, so that the
 * memfd shows through. Uses PAGEMAP_SCAN on /proc/self/pagemap; where Linux (before 6.7) or the
 * sandbox has none, the whole range is dropped, which is correct but makes every page fault in
 * again.
 */
#ifndef CGPU_RUNTIME_ARENA_PRIVATE_PAGES_H
#define CGPU_RUNTIME_ARENA_PRIVATE_PAGES_H

#include <stdbool.h>
#include <stdint.h>

/* Open the pagemap of this process; call once after the fork, before containment. Harmless if it
 * fails. */
void private_pages_init(void);
void private_pages_drop(uint64_t start, uint64_t size);
/* Calls fn for the private pages of the range, with neighbours joined; not when Linux cannot tell.
 */
void private_pages_each(uint64_t start, uint64_t size,
			void (*fn)(void *data, uint64_t start, uint64_t end), void *data);
/* Also true when Linux cannot tell. */
bool private_pages_any(uint64_t start, uint64_t size);

#endif
