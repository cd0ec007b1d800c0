/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cudaGraphSetConditional() for a driver whose own handles of conditions are others than the
 * session's, which are addresses: the declaration in PTX becomes a function that stores to the
 * address, and calls go to that one.
 */
#ifndef CGPU_RUNTIME_CUDA_PTX_PTX_CONDITION_H
#define CGPU_RUNTIME_CUDA_PTX_PTX_CONDITION_H

#include <stdbool.h>

struct buffer;

/* The text for such a driver is appended; false: there is nothing to do. */
bool ptx_condition_rewrite(const char *ptx, struct buffer *out);

#endif
