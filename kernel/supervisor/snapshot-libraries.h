/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The libraries that a snapshot was made with beside those of today. Units find them again by name; what points into a
 * library from the user's own data cannot be found again, and is named.
 */
#ifndef CGPU_KERNEL_SUPERVISOR_SNAPSHOT_LIBRARIES_H
#define CGPU_KERNEL_SUPERVISOR_SNAPSHOT_LIBRARIES_H

#include <stdint.h>

struct buffer;
struct error;
struct snapshot_job;
struct supervisor;

/* Of the active worker: session_layout(), and the list as WORKER_LIBRARIES_ARE has it. Between cells. */
int snapshot_libraries_ask(struct supervisor *s, uint64_t *ret_layout, struct buffer *ret, struct error *err);
/* -1: this cgpu cannot use the loaded snapshot. Appends lines about what will not be valid to the report. */
int snapshot_libraries_check(struct supervisor *s, const struct snapshot_job *loaded, struct buffer *report,
			     struct error *err);

#endif
