/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of what this process does with the device: begun and taken through common/emulator-extension.h. */
#ifndef CGPU_EMULATOR_CU_PROFILE_H
#define CGPU_EMULATOR_CU_PROFILE_H

#include <stddef.h>

struct error;
struct gpu_fault;
struct machine_launch;

/* For the extension. */
int cu_profile_begin(void);
void *cu_profile_take(size_t *ret_len);

/* machine_launch(), counted while a profile is made. */
int cu_profile_launch(const struct machine_launch *l, struct gpu_fault *fault, struct error *err);

#endif
