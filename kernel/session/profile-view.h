/* SPDX-License-Identifier: Apache-2.0 */
/* What %%profile shows of a cell: a table beside the source for each entry. */
#ifndef CGPU_KERNEL_SESSION_PROFILE_VIEW_H
#define CGPU_KERNEL_SESSION_PROFILE_VIEW_H

struct cell;
struct cell_end;
struct session;

/* The cell has ended well. */
void profile_view_show(struct session *s, const struct cell *c, const struct cell_end *end);

#endif
