/* SPDX-License-Identifier: Apache-2.0 */
/* The table of hooks: giving the session to a worker, and the reactions of the parts when workers
 * come and go. */
#ifndef CGPU_KERNEL_SUPERVISOR_ATTACH_H
#define CGPU_KERNEL_SUPERVISOR_ATTACH_H

#include "kernel/core/supervisor-hooks.h"

extern const struct supervisor_hooks attach_hooks;

#endif
