/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice about managed memory. Each piece of advice holds for a range, the latest one where several
 * do. All under device.lock.
 */
#ifndef CGPU_RUNTIME_CUDA_SESSION_ADVICE_H
#define CGPU_RUNTIME_CUDA_SESSION_ADVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/cuda/session/session.h"

/* Advice that it hides goes. False: META is full. */
bool advice_keep(const struct session_advice *a);
/* The memory is freed. */
void advice_forget(uint64_t address, uint64_t size);
/* The location that holds for all of the range [at, end); cudaMemLocationTypeInvalid: there is
 * none. ordinal: of ADVICE_ACCESSED_BY. */
struct cudaMemLocation advice_location(enum session_advice_about about, int ordinal, uint64_t at,
				       uint64_t end);

#endif
