/* SPDX-License-Identifier: Apache-2.0 */
/* How the session is given to a worker, and what the parts do when workers come and go. */
#ifndef CGPU_KERNEL_SUPERVISOR_ATTACH_H
#define CGPU_KERNEL_SUPERVISOR_ATTACH_H

#include "kernel/core/supervisor-hooks.h"

extern const struct supervisor_hooks attach_hooks;

#endif
