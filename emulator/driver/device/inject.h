/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures on request, so that tests meet every error path without waiting for a broken machine.
 * The language is in common/cuda/emulator-extension.h.
 */
#ifndef CGPU_EMULATOR_INJECT_H
#define CGPU_EMULATOR_INJECT_H

#include <stdbool.h>
#include <stdint.h>

#define INJECT_HANG (-1)

/* Parts of the driver that can be made slow. */
enum inject_place { INJECT_INIT, INJECT_CONTEXT, INJECT_PLACES };

/* Add what spec says. -1 when it is malformed; what stood before the bad item counts. */
int inject_add(const char *spec);

/* The code that this call of `name` has to fail with (INJECT_HANG for a launch that never ends), 0
 * for none. */
int inject_take(const char *name);

/* Take the time that "init=slow:MS" or "context=slow:MS" asks for. */
void inject_slow(enum inject_place place);
/* Bytes of each device that others have. */
uint64_t inject_held(void);
/* The version that cuDriverGetVersion() says. */
int inject_driver_version(int otherwise);
/* The device has fallen off the bus. */
bool inject_lost(void);

#endif
