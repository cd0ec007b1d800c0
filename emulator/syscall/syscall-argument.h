/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments and results of functions that no module defines: they lie in the parameter area of the
 * calling frame, one set a lane. */
#ifndef CGPU_EMULATOR_SYSCALL_ARGUMENT_H
#define CGPU_EMULATOR_SYSCALL_ARGUMENT_H

#include "emulator/warp/warp.h"

/* An argument of at most 8 bytes. */
uint64_t syscall_argument(const struct warp *w, const struct ptx_call *c, uint32_t lane,
			  uint32_t i);
/* The bytes of an argument that is larger than 8 bytes. */
const void *syscall_argument_bytes(const struct warp *w, const struct ptx_call *c, uint32_t lane,
				   uint32_t i);
void syscall_result(const struct warp *w, const struct ptx_call *c, uint32_t lane, uint64_t v);

#endif
