/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that device code calls but no module defines: printf and the device's runtime. */
#ifndef CGPU_EMULATOR_PTX_SYSCALL_H
#define CGPU_EMULATOR_PTX_SYSCALL_H

#include <stdbool.h>

/* The machine has a function of this name. */
bool ptx_syscall_known(const char *name);

#endif
