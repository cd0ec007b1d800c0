/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values, traces and profiles as text, and the parts of variables. What a cell has sent may be made
 * up, so cgpu-presenter reads it (kernel/workers/presenter-client.h), with the session's committed
 * memory beside it, or that of a cell that stands (cell-stop.h). While a cell runs nobody knows
 * what an address belongs to.
 */
#ifndef CGPU_KERNEL_SUPERVISOR_PRESENT_H
#define CGPU_KERNEL_SUPERVISOR_PRESENT_H

#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;
struct presenter_part;
struct presenter_range;
struct presenter_result;
struct presenter_value;
struct presenter_view;
struct supervisor;

/* Appends a value. One that cannot be shown says why, in angle brackets. */
void present_value(struct supervisor *s, const struct presenter_value *v, struct buffer *out);
/* Make a view of an encoded trace or profile. The caller releases ret, also on error. */
int present_trace(struct supervisor *s, const void *bytes, size_t len, struct presenter_view *ret,
		  struct error *err);
int present_profile(struct supervisor *s, const void *bytes, size_t len, struct presenter_view *ret,
		    struct error *err);
/* Appends what presenter_parts_take() reads: the n variables with their values, at most
 * PRESENTER_PARTS_MAX, or the parts of one. */
int present_variables(struct supervisor *s, const struct presenter_part *variables, size_t n,
		      struct buffer *ret, struct error *err);
int present_parts(struct supervisor *s, const struct presenter_part *p,
		  const struct presenter_range *which, struct buffer *ret, struct error *err);
/* Append what presenter_frames_take() reads of a cell that stands, and the local variables of one
 * of its calls as a list of parts. ERROR_STATE: no cell stands. */
int present_stack(struct supervisor *s, struct buffer *ret, struct error *err);
int present_locals(struct supervisor *s, uint32_t frame, uint32_t call, struct buffer *ret,
		   struct error *err);
/* Computes a program (common/code/expression.h) in a call. The value is borrowed from `answer`,
 * which is appended to. ERROR_STATE: no cell stands; ERROR_INPUT: why there is no value. */
int present_expression(struct supervisor *s, uint32_t frame, uint32_t call,
		       const struct buffer *program, struct buffer *answer,
		       struct presenter_result *ret, struct error *err);
/* Makes a view whose HTML is a table of the parts and whose chart is a picture in SVG. The caller
 * releases ret, also on error. */
int present_picture(struct supervisor *s, const struct presenter_part *p,
		    struct presenter_view *ret, struct error *err);

#endif
