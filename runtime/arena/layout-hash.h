/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A number for the shape of tables in META, made of the sizes of their structs. Each part of the
 * worker that has such tables adds its own (runtime/worker/session-layout.h).
 */
#ifndef CGPU_RUNTIME_ARENA_LAYOUT_HASH_H
#define CGPU_RUNTIME_ARENA_LAYOUT_HASH_H

#include <stddef.h>
#include <stdint.h>

/* One step a size (FNV-1a), from `hash` on; 0 begins. */
static inline uint64_t layout_hash(uint64_t hash, const uint64_t *sizes, size_t n)
{
	if (!hash)
		hash = 0xcbf29ce484222325u;
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ sizes[i]) * 0x100000001b3u;
	return hash;
}

#endif
