/* SPDX-License-Identifier: Apache-2.0 */
/* The caches in which operations of a worker find the buffer that they touched last. */
#ifndef CGPU_EMULATOR_WORKER_CACHES_H
#define CGPU_EMULATOR_WORKER_CACHES_H

struct memory_cache;
struct ptx_program;
struct machine_worker;

/* Forget all of them when the driver has changed its buffers. */
void worker_check_generation(struct machine_worker *k);
/* Those of a function that is called; NULL: out of memory. */
struct memory_cache *worker_caches(struct machine_worker *k, struct ptx_program *p);

#endif
