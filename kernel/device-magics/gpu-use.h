/* SPDX-License-Identifier: Apache-2.0 */
/* %gpu use: chooses the device of cells. The choice is session state, like that of cudaSetDevice()
 * in a cell. */
#ifndef CGPU_KERNEL_DEVICE_MAGICS_GPU_USE_H
#define CGPU_KERNEL_DEVICE_MAGICS_GPU_USE_H

struct cell;
struct error;
struct magic_call;
struct session;

/* which is a number, `emulated` or `native`. */
int gpu_use(struct session *s, struct cell *c, const struct magic_call *call, const char *which,
	    struct error *err);

#endif
