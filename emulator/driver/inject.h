/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures on request, so that tests meet every error path without waiting for a broken machine. The language is in
 * common/emulator-extension.h.
 */
#ifndef CGPU_EMULATOR_INJECT_H
#define CGPU_EMULATOR_INJECT_H

#define INJECT_HANG (-1)

/* Add what spec says. -1 when it is malformed; what stood before the bad item counts. */
int inject_add(const char *spec);

/* The code that this call of `name` has to fail with (INJECT_HANG for a launch that never ends), 0 for none. */
int inject_take(const char *name);

/* Take the time that "init=slow:MS" asks for. */
void inject_slow_init(void);

#endif
