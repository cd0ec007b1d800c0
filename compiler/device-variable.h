/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device variables of types that C does not have: `__device__ cuda::atomic<int> n;`. Device code of later cells knows them, the
 * host has nothing of them.
 */
#ifndef CGPU_COMPILER_DEVICE_VARIABLE_H
#define CGPU_COMPILER_DEVICE_VARIABLE_H

#include <stdint.h>

#include "compiler/split.h"

struct host_text;

/* The name that such an item declares; TOKEN_NONE when it is another one. */
uint32_t device_variable_name(const struct host_text *h, uint32_t item);
/* What the device code of later cells has of the variable. From the pool; NULL: no memory. */
char *device_variable_later(const struct host_text *h, uint32_t item);

#endif
