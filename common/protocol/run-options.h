/* SPDX-License-Identifier: Apache-2.0 */
/* The way in which a cell runs, which its magics choose; the worker gets it with the cell. */
#ifndef CGPU_COMMON_PROTOCOL_RUN_OPTIONS_H
#define CGPU_COMMON_PROTOCOL_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct record;

/* With all zero a cell runs as usual. */
struct run_options {
	/* %%memcheck: each memory access is checked, and nothing of the cell is kept. */
	bool checked;
	/* %%nosnapshot: large blocks that the cell overwrites are not copied first; if it fails
	 * they are named. */
	bool unsaved;
	/* %%expect: nothing of the cell is kept, though it ends well. Known to the kernel process
	 * alone. */
	bool discarded;
	bool profiled; /* %%profile: its device operations are counted */
	bool traced;   /* %%trace: its device operations are recorded */
	bool debugged; /* it stops at breakpoints (common/protocol/debug-stop.h) */
	/* EMULATOR_CHECK_RACES: its launches are checked; for a GPU the kernel uses a checker. */
	uint32_t device_checks;
};

void run_options_put(const struct run_options *o, struct buffer *out);
struct run_options run_options_take(struct record *r);

#endif
