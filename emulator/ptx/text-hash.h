/* SPDX-License-Identifier: Apache-2.0 */
/* The hash of a text: FNV-1a in 64 bits. Several texts are hashed one after the other. */
#ifndef CGPU_EMULATOR_TEXT_HASH_H
#define CGPU_EMULATOR_TEXT_HASH_H

#include <stdint.h>

#define TEXT_HASH_START 0xcbf29ce484222325ull

static inline uint64_t text_hash(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	return hash;
}

#endif
