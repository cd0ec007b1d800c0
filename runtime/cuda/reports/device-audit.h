/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger beside what the driver has given out, at the end of each cell. What was taken by a way
 * that is not known here is told in a line, and counts from then on.
 */
#ifndef CGPU_RUNTIME_CUDA_REPORTS_DEVICE_AUDIT_H
#define CGPU_RUNTIME_CUDA_REPORTS_DEVICE_AUDIT_H

struct buffer;

void device_audit(struct buffer *warnings);

#endif
