/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a cell's report says of the device: the error that has ended it, in which CUDA kernel and
 * line, or memory that was refused.
 */
#ifndef CGPU_RUNTIME_CUDA_REPORTS_DEVICE_FAULT_H
#define CGPU_RUNTIME_CUDA_REPORTS_DEVICE_FAULT_H

#include <stddef.h>

#include <cuda.h>

struct buffer;
struct fault_record;

/* The first error that ends the device. */
void device_fault_note(CUresult code);
/* "CudaIllegalAddress" of 700. */
void device_fault_ename(CUresult code, char *ret, size_t size);

/* The text for device_fault_cause() of runtime/cuda/device.h. Async-signal-safe. */
const char *device_fault_told(void);

/* For a cell that ends so. */
void device_fault_fill(CUresult code, struct fault_record *f);
void device_fault_fill_refusal(struct fault_record *f);

#endif
