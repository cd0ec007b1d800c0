/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a cell that stands, and the local variables of one of them. */
#ifndef CGPU_KERNEL_PRESENTER_STACK_VIEW_H
#define CGPU_KERNEL_PRESENTER_STACK_VIEW_H

#include <stdint.h>

struct buffer;
struct fault_record;
struct session_view;

/* Appends the calls, as presenter_frames_take() reads them. */
void stack_view_calls(const struct fault_record *f, struct session_view *view, struct buffer *out);
/*
 * Appends the variables that the text of a call can name, but for those of the session, as
 * presenter_parts_take() reads them: innermost block first, so that of two of one name the first is
 * the one that is meant. A call that is not there has none.
 */
void stack_view_locals(const struct fault_record *f, uint32_t frame, uint32_t call,
		       struct session_view *view, struct buffer *out);

#endif
