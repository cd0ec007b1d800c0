/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread of device code that stands at a breakpoint: which one, its calls, and where its
 * variables lie. The emulated driver fills it, and cgpu-presenter reads it from the memory of the
 * worker, where all addresses in it are.
 *
 * The image is an ELF file with the sections of debugging information of the thread's module.
 * Addresses of code in them are those of device_stop_frame. A variable has an address by its
 * DW_AT_address_class: DEVICE_CLASS_LOCAL counts from device_stop_frame.local of its call,
 * DEVICE_CLASS_SHARED from the bytes of the window of shared memory.
 */
#ifndef CGPU_COMMON_CUDA_DEVICE_STOP_H
#define CGPU_COMMON_CUDA_DEVICE_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/code/debug-command.h"

#define DEVICE_STOP_FRAMES 32
#define DEVICE_STOP_LANES 32

/* Values of DW_AT_address_class in device code, of "PTX Writer's Guide to Interoperability",
 * CUDA-specific DWARF definitions. */
#define DEVICE_CLASS_LOCAL 6
#define DEVICE_CLASS_SHARED 8

/* A call of the thread, or one that was inlined there. */
struct device_stop_frame {
	char function[128]; /* its symbol */
	char file[160];     /* as line information names it: "In[3]"; "" unknown */
	uint32_t line;
	uint64_t address; /* in the image: of the instruction that is next, or of the call */
	uint64_t local;   /* of its local memory, for the thread that stands */
};

/* Addresses of the device that stand for memory of the thread's block, or of its own. */
enum device_window { DEVICE_WINDOW_SHARED, DEVICE_WINDOW_LOCAL, DEVICE_WINDOWS };

struct device_stop_window {
	uint64_t address, size;
	uint64_t bytes; /* where they are */
};

struct device_stop {
	char kernel[128]; /* its symbol */
	uint32_t grid[3], block_size[3];
	uint32_t block[3], thread[3];
	uint32_t lane;        /* of the thread, in its warp */
	uint32_t lanes;       /* bits of those that are at the same place */
	uint64_t lane_stride; /* bytes from the local memory of a lane to that of the next one */
	struct device_stop_window windows[DEVICE_WINDOWS];
	uint64_t image, image_size; /* 0: there is no debugging information */
	uint32_t n_frames;
	struct device_stop_frame frames[DEVICE_STOP_FRAMES]; /* innermost first */
};

/* A line of a text that device code is made of, as line information names it. */
struct device_breakpoint {
	char file[32];
	uint32_t line;
};

/*
 * Who debugs device code. One thread of a launch is followed: the one that is named, or the first
 * that comes to a breakpoint. Only that one stops, until it has ended.
 */
struct device_debugger {
	uint32_t n;
	struct device_breakpoint at[DEBUG_BREAKPOINTS_MAX];
	bool has_thread; /* block and thread name the one that is followed */
	uint32_t block[3], thread[3];
	bool steps_in; /* a launch stops at the first line of a cell that the thread comes to */
	/*
	 * The thread stands. Returns how it goes on; the debugger may be changed meanwhile. Called
	 * from the thread that runs the launch, one call at a time.
	 */
	enum debug_command (*stopped)(enum debug_reason reason, const struct device_stop *s);
};

#endif
