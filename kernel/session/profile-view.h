/* SPDX-License-Identifier: Apache-2.0 */
/* What %%profile shows of a cell: a table beside the source for each entry, and a timeline of streams. */
#ifndef CGPU_KERNEL_SESSION_PROFILE_VIEW_H
#define CGPU_KERNEL_SESSION_PROFILE_VIEW_H

#include <jansson.h>

#include "common/launch-profile.h"

struct buffer;
struct cell;
struct cell_end;
struct session;

/* The cell has ended well. */
void profile_view_show(struct session *s, const struct cell *c, const struct cell_end *end);

/* A Vega-Lite specification. */
json_t *profile_timeline(const struct launch_profile *p);
void profile_timeline_text(const struct launch_profile *p, struct buffer *out);

#endif
