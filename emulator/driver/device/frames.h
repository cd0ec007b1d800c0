/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How allocations lie in the physical memory of a device. It is given out in frames of 2 MiB, the
 * smallest piece that can be mapped. What is smaller shares a frame with its like, first fit, and a
 * frame is free again when the last of them is gone: so small pieces scatter memory, as they do on
 * hardware. What is larger has frames of its own, and since each of them can be mapped anywhere, it
 * needs nothing but their number.
 */
#ifndef CGPU_EMULATOR_FRAMES_H
#define CGPU_EMULATOR_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/driver/device/gpu.h"

#define FRAME_SIZE GPU_GRANULARITY
#define FRAME_UNIT 4096u
#define FRAME_UNITS (FRAME_SIZE / FRAME_UNIT)

struct frame;

struct frames {
	struct frame **shared; /* those that small pieces share, the oldest first */
	size_t n, cap;
	uint64_t taken; /* bytes of all frames that are not free */
};

/* The place of an allocation; all 0: it has none. */
struct frame_place {
	struct frame *frame; /* NULL: it has frames of its own */
	unsigned first, units;
	uint64_t bytes; /* of its own frames */
};

/* room: bytes of frames that may still be taken. False: it does not fit, or the host is out of
 * memory. */
bool frames_take(struct frames *f, uint64_t size, uint64_t room, struct frame_place *ret);
void frames_give(struct frames *f, const struct frame_place *p);

#endif
