/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory that a cell of %%memcheck has allocated and that nobody can free any more, as
 * compute-sanitizer lists it at the end of a program. What a variable or a block of the session
 * still points to is no leak: a later cell may use it.
 */
#ifndef CGPU_RUNTIME_FAULTS_LEAK_REPORT_H
#define CGPU_RUNTIME_FAULTS_LEAK_REPORT_H

#include <stdint.h>

struct buffer;

/* Appends lines; nothing when there is no leak. The cell has ended. */
void leak_report(uint32_t cell, struct buffer *out);

#endif
