/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of the emulated driver: the primary ones and those of cuCtxCreate(). Those of one device
 * share all it has. */
#ifndef CGPU_EMULATOR_CU_CONTEXT_H
#define CGPU_EMULATOR_CU_CONTEXT_H

#include <stdbool.h>

#include "emulator/driver/device/gpu.h"

/* The calling thread's current context, NULL for none or one that was destroyed meanwhile. */
CUcontext context_current(void);
/* The device of the current context, 0 without one. */
int context_device(void);
bool context_valid(CUcontext c);
/* The primary context of a device; NULL while nobody holds it. */
CUcontext context_primary(int device);
int context_device_of(CUcontext c);

#endif
