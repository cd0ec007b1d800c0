/* SPDX-License-Identifier: Apache-2.0 */
/* MurmurHash2 of Austin Appleby, 32 bits: the hash by which front ends name cells. */
#ifndef CGPU_KERNEL_DEBUGGER_MURMUR2_H
#define CGPU_KERNEL_DEBUGGER_MURMUR2_H

#include <stddef.h>
#include <stdint.h>

uint32_t murmur2(const void *bytes, size_t len, uint32_t seed);

#endif
