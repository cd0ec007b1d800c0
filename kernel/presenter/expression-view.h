/* SPDX-License-Identifier: Apache-2.0 */
/* The value of an expression in a call that stands. */
#ifndef CGPU_KERNEL_PRESENTER_EXPRESSION_VIEW_H
#define CGPU_KERNEL_PRESENTER_EXPRESSION_VIEW_H

#include <stddef.h>
#include <stdint.h>

struct buffer;
struct fault_record;
struct session_view;

/* A call, by its numbers in kernel/views/presenter-frame.h, and a program of
 * common/code/expression.h. */
struct expression_question {
	uint32_t frame, call;
	const void *program;
	size_t len;
};

/* Appends the value, or why there is none, as presenter_result_take() reads it. */
void expression_view_put(const struct fault_record *f, const struct expression_question *q,
			 struct session_view *view, struct buffer *out);

#endif
