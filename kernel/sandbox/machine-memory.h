/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that this machine has for a session, in bytes. */
#ifndef CGPU_KERNEL_SANDBOX_MACHINE_MEMORY_H
#define CGPU_KERNEL_SANDBOX_MACHINE_MEMORY_H

#include <stdint.h>

/* Returns the memory of this machine, or the limit of this process's control group if that is
 * less. */
uint64_t machine_memory_total(void);
/* Returns the part of it that is available at the moment. */
uint64_t machine_memory_available(void);
/* Returns the limit of a session for which nobody has chosen one. */
uint64_t machine_memory_default_limit(void);

#endif
