/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dynamic parallelism: launches and copies that device code asks for. They run when the grid that
 * asked has ended, in the order they were asked for, each with all of its own first: device code
 * cannot wait for one, so none can tell. What it asks of the tail stream comes last.
 */
#ifndef CGPU_EMULATOR_MACHINE_DEVICE_LAUNCH_H
#define CGPU_EMULATOR_MACHINE_DEVICE_LAUNCH_H

#include <stdbool.h>

struct error;
struct gpu_fault;
struct launch;
struct op;
struct warp;

/* As machine_launch(): what l's threads have asked for, none of it when `ended` is false. The list
 * is empty then. */
int device_launch_run(struct launch *l, bool ended, struct gpu_fault *fault, struct error *err);

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
