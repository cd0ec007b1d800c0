/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory this machine has for a session, in bytes. */
#ifndef CGPU_KERNEL_SANDBOX_MACHINE_MEMORY_H
#define CGPU_KERNEL_SANDBOX_MACHINE_MEMORY_H

#include <stdint.h>

/* What this machine has, or the control group of this process if that is less; bytes. */
uint64_t machine_memory_total(void);
/* Of that, what could be had at the moment. */
uint64_t machine_memory_available(void);
/* The limit of a session for which nobody has chosen one. */
uint64_t machine_memory_default_limit(void);

#endif
