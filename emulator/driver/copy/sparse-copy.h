/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and clears device memory that takes no memory of the host where it is zero. */
#ifndef CGPU_EMULATOR_SPARSE_COPY_H
#define CGPU_EMULATOR_SPARSE_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Copies `size` bytes from device memory at `src`, which the host has at `from`, to `dst`, which it
 * has at `to`. Parts that nobody has written yet take no memory afterwards either. False, and
 * nothing was done: the copy is small, it has not one allocation on each side, or both sides are
 * the same one.
 */
bool sparse_copy(uint64_t dst, void *to, uint64_t src, const void *from, size_t size);

/* Fills device memory with zeros, so that it takes no memory. False, and nothing was done: it is
 * small, or not one allocation. */
bool sparse_clear(uint64_t dst, void *to, size_t size);

#endif
