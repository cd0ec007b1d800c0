/* SPDX-License-Identifier: Apache-2.0 */
/* Heap blocks that a cell has overrun, or written after free(), as warnings at its end. */
#ifndef CGPU_RUNTIME_FAULTS_DAMAGE_REPORT_H
#define CGPU_RUNTIME_FAULTS_DAMAGE_REPORT_H

struct buffer;

/* Appends the lines; none if nothing was found. Each block is told once. */
void damage_report(struct buffer *out);

#endif
