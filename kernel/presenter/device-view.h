/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a thread of device code that stands, and the variables of one of them. */
#ifndef CGPU_KERNEL_PRESENTER_DEVICE_VIEW_H
#define CGPU_KERNEL_PRESENTER_DEVICE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include <elfutils/libdw.h>

struct buffer;
struct debug_frame;
struct session_view;

/* Has the view read memory as the thread sees it, that of its block and its own. stop 0: there is
 * none. */
void device_view_open(struct session_view *view, uint64_t stop);
/* stop: address of a struct device_stop (common/cuda/device-stop.h) in the worker. Appends the
 * calls, as presenter_frames_take() reads them. */
void device_view_calls(uint64_t stop, struct session_view *view, struct buffer *out);
/* Visits the variables that a call has for the thread that stands, innermost block first, as long
 * as fn returns true. A call that is not there has none. */
void device_view_each_local(uint64_t stop, uint32_t frame, struct session_view *view,
			    bool (*fn)(void *data, const struct debug_frame *f, const char *name,
				       Dwarf_Die *variable),
			    void *data);
/* Returns where "threadIdx.x" and its kin are, which no call declares; 0: the name is another. */
uint64_t device_view_built_in(uint64_t stop, const char *name);
/*
 * Appends the variables of a call, as presenter_parts_take() reads them, but for the end of the
 * list. whose: enum presenter_device_call. A call that is not there has none.
 */
void device_view_locals(uint64_t stop, uint32_t frame, uint32_t whose, struct session_view *view,
			struct buffer *out);

#endif
