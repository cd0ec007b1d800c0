/* SPDX-License-Identifier: Apache-2.0 */
/* Displays what cgpu-presenter has made of a trace or a profile. */
#ifndef CGPU_KERNEL_REPORTS_VIEW_DISPLAY_H
#define CGPU_KERNEL_REPORTS_VIEW_DISPLAY_H

struct cell;
struct error;
struct presenter_view;
struct session;

/* Shows the table as text and HTML, and the timeline as text and as a Vega-Lite chart, as displays
 * of the cell, behind its output; the front end chooses the form. What is empty is not shown. */
int view_display(struct session *s, const struct cell *c, const struct presenter_view *view,
		 struct error *err);

#endif
