/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the libraries that a snapshot was made with to those of this session. Units find their
 * libraries again by name; pointers into a library in the user's own data cannot be corrected, and
 * are reported.
 */
#ifndef CGPU_KERNEL_DISK_SNAPSHOT_LIBRARIES_H
#define CGPU_KERNEL_DISK_SNAPSHOT_LIBRARIES_H

#include <stdint.h>

#include "kernel/workers/libraries.h"

struct buffer;
struct error;
struct snapshot_job;

/* Asks the active worker, between cells, for session_layout() and the list of libraries as
 * WORKER_LIBRARIES_ARE has it. */
int snapshot_libraries_ask(struct supervisor *s, uint64_t *ret_layout, struct buffer *ret,
			   struct error *err);
/* Appends lines about invalid pointers to the report, when the session of the snapshot is in
 * force. */
int snapshot_libraries_compare(struct supervisor *s, const struct snapshot_job *loaded,
			       struct buffer *report, struct error *err);
/* snapshot_libraries_note() records in a snapshot what the zygote was told to load, and
 * snapshot_libraries_load() loads it again; see libraries_load(). */
void snapshot_libraries_note(const struct supervisor *s, struct buffer *out);
int snapshot_libraries_load(struct supervisor *s, const struct snapshot_job *loaded,
			    libraries_loaded *fn, void *data, struct error *err);

#endif
