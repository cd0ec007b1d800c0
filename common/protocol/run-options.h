/* SPDX-License-Identifier: Apache-2.0 */
/* How a cell runs, beside what it does: from the magics of a cell to its worker, which gets it with
 * the cell. */
#ifndef CGPU_COMMON_PROTOCOL_RUN_OPTIONS_H
#define CGPU_COMMON_PROTOCOL_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct record;

/* Zeros: as cells mostly do. */
struct run_options {
	bool checked;  /* %%memcheck: each access to memory is checked, and nothing of the cell is
			  kept */
	bool in_place; /* %%nosnapshot: large blocks that it overwrites are not copied first; if it
			  fails they are named */
	bool profiled; /* %%profile: what it does with the device is counted */
	bool traced;   /* %%trace: what it asks of the device is noted */
	uint32_t device_checks; /* EMULATOR_CHECK_RACES: its launches are checked, those on a GPU in
				   a checker of the kernel */
};

void run_options_put(const struct run_options *o, struct buffer *out);
struct run_options run_options_take(struct record *r);

#endif
