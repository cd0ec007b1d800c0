/* SPDX-License-Identifier: Apache-2.0 */
/* What %%trace shows of a cell: a table of what it asked of the device, and the timeline of
 * streams. */
#ifndef CGPU_KERNEL_REPORTS_TRACE_VIEW_H
#define CGPU_KERNEL_REPORTS_TRACE_VIEW_H

struct cell;
struct cell_end;
struct session;

/* The cell has ended, well or not. */
void trace_view_show(struct session *s, const struct cell *c, const struct cell_end *end);

#endif
