/* SPDX-License-Identifier: Apache-2.0 */
/* Advice about managed memory, see cudart-advice.c. */
#ifndef CGPU_RUNTIME_CUDA_CUDART_ADVICE_H
#define CGPU_RUNTIME_CUDA_CUDART_ADVICE_H

#include <stdint.h>

/* The memory is freed; under device.lock. */
void advice_forget(uint64_t address, uint64_t size);

#endif
