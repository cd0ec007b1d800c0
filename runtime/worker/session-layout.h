/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A number that changes when the tables in META change their shape: a snapshot from disk may come
 * from another build of cgpu, and only a worker with the same tables can take it over.
 */
#ifndef CGPU_RUNTIME_WORKER_SESSION_LAYOUT_H
#define CGPU_RUNTIME_WORKER_SESSION_LAYOUT_H

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

uint64_t session_layout(void);

#endif
