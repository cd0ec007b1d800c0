/* SPDX-License-Identifier: Apache-2.0 */
/* Warps that somebody looks at (emulator/warp/observer.h). */
#ifndef CGPU_EMULATOR_OBSERVER_RUN_H
#define CGPU_EMULATOR_OBSERVER_RUN_H

#include "emulator/warp/warp.h"

/* The loop of warp_run() while somebody looks on. */
watched_run observer_run;

#endif
