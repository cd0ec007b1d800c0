/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of %doctor: features that are in force and those that are not. */
#ifndef CGPU_KERNEL_SUPERVISOR_DOCTOR_ROWS_H
#define CGPU_KERNEL_SUPERVISOR_DOCTOR_ROWS_H

#include <stddef.h>

struct doctor_row;
struct supervisor;

/* The rows; allocated at the first request. */
struct doctor_rows {
	struct doctor_row *rows;
	char (*details)[600];
	size_t n;
};

/* Makes the rows anew and returns their number; ret is valid until the next call. */
size_t doctor_rows_make(struct doctor_rows *d, const struct supervisor *s,
			const struct doctor_row **ret);
void doctor_rows_release(struct doctor_rows *d);

#endif
