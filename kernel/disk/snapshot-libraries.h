/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The libraries that a snapshot was made with beside those of today. Units find them again by name;
 * what points into a library from the user's own data cannot be found again, and is named.
 */
#ifndef CGPU_KERNEL_DISK_SNAPSHOT_LIBRARIES_H
#define CGPU_KERNEL_DISK_SNAPSHOT_LIBRARIES_H

#include <stdint.h>

#include "kernel/workers/libraries.h"

struct buffer;
struct error;
struct snapshot_job;

/* Of the active worker: session_layout(), and the list as WORKER_LIBRARIES_ARE has it. Between
 * cells. */
int snapshot_libraries_ask(struct supervisor *s, uint64_t *ret_layout, struct buffer *ret,
			   struct error *err);
/* The session of the snapshot is in force: appends lines about what is not valid in it. */
int snapshot_libraries_compare(struct supervisor *s, const struct snapshot_job *loaded,
			       struct buffer *report, struct error *err);
/* For the next two: what the zygote was told to load, into a snapshot and out of one; see
 * libraries_load(). */
void snapshot_libraries_note(const struct supervisor *s, struct buffer *out);
int snapshot_libraries_load(struct supervisor *s, const struct snapshot_job *loaded,
			    libraries_loaded *fn, void *data, struct error *err);

#endif
