/* SPDX-License-Identifier: Apache-2.0 */
/* The output of %%profile: a table beside the source for each entry, and a timeline of streams. */
#ifndef CGPU_KERNEL_REPORTS_PROFILE_VIEW_H
#define CGPU_KERNEL_REPORTS_PROFILE_VIEW_H

#include <stdbool.h>

#include <jansson.h>

#include "common/protocol/launch-profile.h"

struct buffer;
struct cell;
struct cell_end;
struct error;
struct session;

/* Shows the profile of a cell that has ended well. */
void profile_view_show(struct session *s, const struct cell *c, const struct cell_end *end);

/* Makes a Vega-Lite specification of the timeline; device is the name of the device whose times
 * they are. */
json_t *profile_timeline(const struct launch_profile *p, const char *device);
void profile_timeline_text(const struct launch_profile *p, const char *device, struct buffer *out);
/* Shows the timeline as a display of the cell; the spans, at least one, are sorted. as_lines: text
 * is added for front ends without charts. */
int profile_timeline_show(struct session *s, const struct cell *c, struct launch_profile *p,
			  const char *device, bool as_lines, struct error *err);

#endif
