/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dynamic parallelism: launches and copies that device code asks for. They run when the grid that
 * asked has ended, in the order they were asked for, each with all of its own first: device code
 * cannot wait for one, so none can tell. What it asks of the tail stream comes last.
 */
#ifndef CGPU_EMULATOR_MACHINE_DEVICE_LAUNCH_H
#define CGPU_EMULATOR_MACHINE_DEVICE_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

struct op;
struct ptx_function;
struct warp;

enum device_launch_kind { DEVICE_LAUNCH_KERNEL, DEVICE_LAUNCH_COPY, DEVICE_LAUNCH_FILL };

struct device_launch {
	struct device_launch *next;
	enum device_launch_kind kind;
	bool asked; /* for DEVICE_LAUNCH_KERNEL: its parameters are complete */
	bool last;
	struct ptx_function *kernel;
	uint32_t shape[7];       /* grid, block, dynamic shared memory */
	uint64_t to, from, size; /* to: of DEVICE_LAUNCH_KERNEL the parameters; from: of
				    DEVICE_LAUNCH_FILL the byte */
};

/* The functions of the device's runtime that device code calls. */
const struct op *device_launch_parameters(struct warp *w, const struct op *o);
const struct op *device_launch_begin(struct warp *w, const struct op *o);
const struct op *device_launch_copy(struct warp *w, const struct op *o);
const struct op *device_launch_fill(struct warp *w, const struct op *o);
const struct op *device_launch_new_handle(struct warp *w, const struct op *o);
const struct op *device_launch_succeed(struct warp *w, const struct op *o);
const struct op *device_launch_malloc(struct warp *w, const struct op *o);
const struct op *device_launch_free(struct warp *w, const struct op *o);

#endif
