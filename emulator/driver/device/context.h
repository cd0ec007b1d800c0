/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of the emulated driver: the primary ones and those of cuCtxCreate(). Those of one device
 * share all it has. */
#ifndef CGPU_EMULATOR_CONTEXT_H
#define CGPU_EMULATOR_CONTEXT_H

#include <stdbool.h>

#include "emulator/driver/device/gpu.h"

struct CUctx_st {
	bool alive;
	int device;
	unsigned references; /* of a primary context */
	unsigned flags;
	CUfunc_cache cache;
};

/* The calling thread's current context, NULL for none or one that was destroyed meanwhile. */
CUcontext context_current(void);
/* The device of the current context, 0 without one. */
int context_device(void);
bool context_valid(CUcontext c);
/* The primary context of a device; NULL while nobody holds it. */
CUcontext context_primary(int device);
int context_device_of(CUcontext c);
/* Its slot, in use or not. */
CUcontext context_primary_slot(int device);
/* One user of the primary context more or less; INVALID_CONTEXT: it has none. */
void context_retain(int device);
CUresult context_release(int device);
/* One of its own, which is current then. */
CUresult context_new(int device, unsigned flags, CUcontext *ret);
/* INVALID_CONTEXT: it is none of these. */
CUresult context_destroy(CUcontext c);
/* The stack of the calling thread. */
CUresult context_push(CUcontext c);
CUresult context_pop(CUcontext *ret);
/* c, which may be NULL, is current instead of what was. */
CUresult context_set(CUcontext c);

#endif
