/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of launches. */
#ifndef CGPU_EMULATOR_CU_LAUNCH_H
#define CGPU_EMULATOR_CU_LAUNCH_H

#include "emulator/driver/device/gpu.h"

/* From either way in which a program gives them to the bytes that the entry reads, at its offsets.
 */
CUresult cu_launch_pack(CUfunction f, void **params, void **extra, char *packed);

#endif
