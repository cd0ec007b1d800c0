/* SPDX-License-Identifier: Apache-2.0 */
/* A local variable of a call, as a part that front ends list. */
#ifndef CGPU_KERNEL_PRESENTER_LOCAL_VIEW_H
#define CGPU_KERNEL_PRESENTER_LOCAL_VIEW_H

#include <stdint.h>

#include <elfutils/libdw.h>

struct buffer;
struct debug_frame;

/* The variables of a call that are listed at most. */
#define LOCAL_VIEWS_MAX 200

/* Appends the variable with its value, as presenter_parts_take() reads it. cell: whose debugging
 * information knows the structures that it points to. place: see debug_value_of(). */
void local_view_put(const struct debug_frame *f, uint32_t cell, const char *name,
		    Dwarf_Die *variable, uint64_t place, struct buffer *out);

#endif
