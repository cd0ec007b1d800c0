/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values, traces and profiles as text. What a cell has sent may be made up, so cgpu-presenter reads
 * it (kernel/workers/presenter-client.h), with the session's committed memory beside it. Called
 * between cells.
 */
#ifndef CGPU_KERNEL_SUPERVISOR_PRESENT_H
#define CGPU_KERNEL_SUPERVISOR_PRESENT_H

#include <stddef.h>

struct buffer;
struct error;
struct presenter_value;
struct presenter_view;
struct supervisor;

/* Appends a value. One that cannot be shown says why, in angle brackets. */
void present_value(struct supervisor *s, const struct presenter_value *v, struct buffer *out);
/* Make a view of an encoded trace or profile. The caller releases ret, also on error. */
int present_trace(struct supervisor *s, const void *bytes, size_t len, struct presenter_view *ret,
		  struct error *err);
int present_profile(struct supervisor *s, const void *bytes, size_t len, struct presenter_view *ret,
		    struct error *err);

#endif
