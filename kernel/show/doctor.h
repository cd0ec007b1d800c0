/* SPDX-License-Identifier: Apache-2.0 */
/* %doctor and --doctor: versions, features in force, and for each problem a sentence that says how
 * to fix it. */
#ifndef CGPU_KERNEL_SHOW_DOCTOR_H
#define CGPU_KERNEL_SHOW_DOCTOR_H

struct buffer;
struct doctor_row;
struct supervisor;

/* Appends the report and returns the number of problems. history: the row about the input history;
 * NULL when there is no session. */
unsigned doctor_report(const struct supervisor *s, const struct doctor_row *history,
		       struct buffer *out);

#endif
