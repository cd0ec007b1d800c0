/* SPDX-License-Identifier: Apache-2.0 */
/* The output of %%profile: a table beside the source for each kernel, and a timeline of streams. */
#ifndef CGPU_KERNEL_REPORTS_PROFILE_VIEW_H
#define CGPU_KERNEL_REPORTS_PROFILE_VIEW_H

struct cell;
struct cell_end;
struct session;

/* Shows the profile of a cell that has ended well. */
void profile_view_show(struct session *s, const struct cell *c, const struct cell_end *end);

#endif
