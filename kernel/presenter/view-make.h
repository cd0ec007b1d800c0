/* SPDX-License-Identifier: Apache-2.0 */
/* Makes views of what a cell's process has sent: a value, a trace, a profile, and lists of
 * variables and their parts. The bytes may be arbitrary. */
#ifndef CGPU_KERNEL_PRESENTER_VIEW_MAKE_H
#define CGPU_KERNEL_PRESENTER_VIEW_MAKE_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct error;
struct presenter_part;
struct presenter_range;
struct presenter_value;
struct presenter_view;
struct session_view;

/* A malformed value gives "<N bytes of TYPE>". */
void view_make_value(const struct presenter_value *value, struct session_view *view,
		     struct presenter_view *ret);
/* Appends a variable with its value, and the list of a part's parts, as
 * kernel/views/value-parts.h. */
void view_make_variable(const struct presenter_part *p, bool with_code, struct session_view *view,
			struct buffer *out);
void view_make_parts(const struct presenter_part *p, const struct presenter_range *which,
		     struct session_view *view, struct buffer *out);
/* The HTML is a table of its parts, the chart a picture in SVG; each may be empty. */
void view_make_picture(const struct presenter_part *p, struct session_view *view,
		       struct presenter_view *ret);
/* A trace without rows gives an empty view. */
int view_make_trace(const void *bytes, size_t len, struct presenter_view *ret, struct error *err);
/* A profile without launches has no table. */
int view_make_profile(const void *bytes, size_t len, struct session_view *view,
		      struct presenter_view *ret, struct error *err);

#endif
