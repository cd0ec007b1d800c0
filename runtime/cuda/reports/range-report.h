/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and fills of the host that run past a buffer of the device are refused with
 * cudaErrorInvalidValue, which says little and is often not looked at. So they are reported in the
 * shape of compute-sanitizer, with the function that was called, its line, and the buffer. On a
 * real GPU too.
 */
#ifndef CGPU_RUNTIME_CUDA_REPORTS_RANGE_REPORT_H
#define CGPU_RUNTIME_CUDA_REPORTS_RANGE_REPORT_H

#include <stdint.h>

/* The call at work in this thread was asked for bytes that are no part of one buffer. device.lock
 * may be held. */
void range_report_note(uint64_t address, uint64_t size);
/* The call ends: what was noted is told when it has failed, once for each line. No lock is held. */
void range_report_leave(const char *call, int error, uint32_t line);
/* A cell begins: all may be told again. */
void range_report_cell_begin(void);

#endif
