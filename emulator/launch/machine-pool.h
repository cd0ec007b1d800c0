/* SPDX-License-Identifier: Apache-2.0 */
/* Host threads that help the launching thread. Made at the first use in a process, also after a
 * fork. */
#ifndef CGPU_EMULATOR_MACHINE_POOL_H
#define CGPU_EMULATOR_MACHINE_POOL_H

/* CPUs that this process may use. */
unsigned machine_pool_default(void);

/*
 * Run work(data) on the calling thread and on up to threads - 1 helpers at the same time; returns
 * when all have. When the helpers are busy with another launch, or cannot be made, the calling
 * thread does it alone.
 */
void machine_pool_run(unsigned threads, void (*work)(void *data), void *data);

#endif
