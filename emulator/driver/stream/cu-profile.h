/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of what this process does with the device: begun and taken through
 * common/cuda/emulator-extension.h. */
#ifndef CGPU_EMULATOR_CU_PROFILE_H
#define CGPU_EMULATOR_CU_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "common/protocol/launch-profile.h"

struct error;
struct gpu_fault;
struct machine_launch;
struct machine_stats;

/* For the extension. */
void cu_profile_hide(void *stream);
int cu_profile_begin(void);
void *cu_profile_take(size_t *ret_len);

/* machine_launch(), counted while a profile is made. */
int cu_profile_launch(const struct machine_launch *l, struct gpu_fault *fault,
		      struct machine_stats *stats, struct error *err);

/*
 * Work of the queue that is at work in this thread: the time before it, 0 when no profile is made;
 * then, behind it, what it was.
 */
uint64_t cu_profile_start(void);
void cu_profile_note(uint64_t start, enum profile_span_kind kind, const char *name, uint64_t bytes);

#endif
