/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns the calls of a fault record into a readable list: calls in cells with their lines, inlined
 * ones too; calls in libraries folded into one line; repeated ones once.
 */
#ifndef CGPU_KERNEL_PRESENTER_FAULT_FRAMES_H
#define CGPU_KERNEL_PRESENTER_FAULT_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/presenter/fault-values.h"

struct buffer;
struct fault_frame;
struct fault_record;
struct session_unit;
struct session_view;

#define FAULT_CALLS_MAX 8 /* inlined into each other at one instruction */

/* One call in a cell. */
struct fault_call {
	const struct session_unit *unit; /* NULL: in a library */
	char function[160];
	uint32_t line; /* 0: not known */
	/* In place of a line of the cell: a file, or another cell; NULL: not known. */
	const char *file;
	uint32_t file_line;
	bool is_of_user; /* the line is in a cell or in a user's file */
	bool top_level;  /* it is the statements of the cell itself */
	bool has_scene;  /* its variables can be read */
	struct fault_scene scene;
	Dwarf_Die entry; /* of the function, if has_scene */
};

/* Writes the calls at frame i, innermost first, and returns how many were stored, at least 1. */
unsigned fault_frames_calls(const struct fault_record *f, uint32_t i, struct session_view *view,
			    struct fault_call *ret);
/* Finds the innermost call in a cell; false when there is none. */
bool fault_frames_innermost(const struct fault_record *f, struct session_view *view,
			    struct fault_call *ret);

/* Finds the call in the cell's text for a frame; false when its line is not known. */
bool fault_frames_site(const struct fault_frame *frame, struct session_view *view,
		       struct fault_call *ret);

/* Appends a place such as "In[3], line 7, in average()". */
void fault_frames_put_place(const struct fault_call *c, const char *parameters, struct buffer *out);
/* Appends all calls with source lines; `values` stand under the innermost call in a cell. */
void fault_frames_put(const struct fault_record *f, struct session_view *view, const char *values,
		      struct buffer *out);

#endif
