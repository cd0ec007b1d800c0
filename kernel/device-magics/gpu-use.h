/* SPDX-License-Identifier: Apache-2.0 */
/* %gpu use: which device cells use. It is session state, as cudaSetDevice() in a cell makes it. */
#ifndef CGPU_KERNEL_DEVICE_MAGICS_GPU_USE_H
#define CGPU_KERNEL_DEVICE_MAGICS_GPU_USE_H

struct cell;
struct error;
struct magic_call;
struct session;

/* which: a number, `emulated` or `native`. */
int gpu_use(struct session *s, struct cell *c, const struct magic_call *call, const char *which,
	    struct error *err);

#endif
