/* SPDX-License-Identifier: Apache-2.0 */
/* %doctor and --doctor: versions, what is in force, and for each problem the sentence that mends
 * it. */
#ifndef CGPU_KERNEL_SHOW_DOCTOR_H
#define CGPU_KERNEL_SHOW_DOCTOR_H

struct buffer;
struct supervisor;

/* history: where the input history is kept; NULL when there is no session. Returns the number of
 * problems. */
unsigned doctor_report(const struct supervisor *s, const char *history, struct buffer *out);

#endif
