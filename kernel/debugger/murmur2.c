/* SPDX-License-Identifier: Apache-2.0 */
/* Words are taken as little-endian, whatever the machine is. */
#include "kernel/debugger/murmur2.h"

#define FACTOR 0x5bd1e995u

uint32_t murmur2(const void *bytes, size_t len, uint32_t seed)
{
	const unsigned char *p = bytes;
	uint32_t h = seed ^ (uint32_t)len;

	for (; len >= 4; len -= 4, p += 4) {
		uint32_t word =
			p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;

		word *= FACTOR;
		word ^= word >> 24;
		h = h * FACTOR ^ word * FACTOR;
	}
	for (size_t i = len; i-- > 0;)
		h ^= (uint32_t)p[i] << 8 * i;
	if (len)
		h *= FACTOR;
	h ^= h >> 13;
	h *= FACTOR;
	return h ^ h >> 15;
}
