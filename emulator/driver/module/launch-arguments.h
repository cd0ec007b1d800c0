/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of launches. */
#ifndef CGPU_EMULATOR_LAUNCH_ARGUMENTS_H
#define CGPU_EMULATOR_LAUNCH_ARGUMENTS_H

#include "emulator/driver/device/gpu.h"

/* From either way in which a program gives them to the bytes that the kernel reads, at its offsets.
 */
CUresult launch_arguments_pack(CUfunction f, void **params, void **extra, char *packed);

#endif
