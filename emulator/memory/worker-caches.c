/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caches of the kernel are a part of the worker; those of a function come when it is first
 * called. All are forgotten together, when the driver has changed its buffers.
 */
#include "emulator/memory/worker-caches.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/warp/warp.h"

void worker_check_generation(struct machine_worker *k)
{
	const struct machine_memory *m = k->launch->spec->memory;
	uint64_t now =
		m && m->generation ? atomic_load_explicit(m->generation, memory_order_acquire) : 0;

	if (now == k->generation)
		return;
	k->generation = now;
	memset(k->recent, 0, sizeof(k->recent));
	if (k->caches)
		memset(k->caches, 0, k->launch->program->cache_count * sizeof(*k->caches));
	for (uint32_t i = 0; i < k->other_count; i++)
		memset(k->others[i].caches, 0,
		       k->others[i].program->cache_count * sizeof(*k->others[i].caches));
}

struct memory_cache *worker_caches(struct machine_worker *k, struct ptx_program *p)
{
	struct program_caches *grown;
	struct memory_cache *caches;

	for (uint32_t i = 0; i < k->other_count; i++)
		if (k->others[i].program == p)
			return k->others[i].caches;
	grown = realloc(k->others, (k->other_count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	k->others = grown;
	caches = calloc(p->cache_count + 1, sizeof(*caches));
	if (!caches)
		return NULL;
	k->others[k->other_count++] = (struct program_caches){ p, caches };
	return caches;
}
