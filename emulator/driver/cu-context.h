/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of the emulated driver: the primary one and those of cuCtxCreate(). They share the one device. */
#ifndef CGPU_EMULATOR_CU_CONTEXT_H
#define CGPU_EMULATOR_CU_CONTEXT_H

#include <stdbool.h>

#include "emulator/driver/gpu.h"

/* The calling thread's current context, NULL for none or one that was destroyed meanwhile. */
CUcontext context_current(void);
/* The device of the current context, 0 without one. */
int context_device(void);

#endif
