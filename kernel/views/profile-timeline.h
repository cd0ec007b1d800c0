/* SPDX-License-Identifier: Apache-2.0 */
/* What streams did over time, as a chart and as lines. */
#ifndef CGPU_KERNEL_VIEWS_PROFILE_TIMELINE_H
#define CGPU_KERNEL_VIEWS_PROFILE_TIMELINE_H

#include <jansson.h>

#include "common/protocol/launch-profile.h"

struct buffer;

/* Sorts the spans by their begin, as the functions below want them. */
void profile_timeline_sort(struct launch_profile *p);
/* Makes a Vega-Lite specification of the spans; device is the name of the device whose times they
 * are. NULL: out of memory. */
json_t *profile_timeline(const struct launch_profile *p, const char *device);
void profile_timeline_text(const struct launch_profile *p, const char *device, struct buffer *out);

#endif
