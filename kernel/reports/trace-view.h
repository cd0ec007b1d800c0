/* SPDX-License-Identifier: Apache-2.0 */
/* The output of %%trace: a table of the cell's device operations, and the timeline of streams. */
#ifndef CGPU_KERNEL_REPORTS_TRACE_VIEW_H
#define CGPU_KERNEL_REPORTS_TRACE_VIEW_H

struct cell;
struct cell_end;
struct session;

/* Shows the trace of a cell that has ended, well or not. */
void trace_view_show(struct session *s, const struct cell *c, const struct cell_end *end);

#endif
