/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes that exit, call and return. All of these end with w->event set. */
#ifndef CGPU_EMULATOR_WARP_CALL_H
#define CGPU_EMULATOR_WARP_CALL_H

#include "emulator/warp/warp.h"

/* Lanes of the running fragment exit. */
const struct op *warp_exit(struct warp *w, uint32_t mask);
const struct op *warp_call(struct warp *w, const struct op *o, struct ptx_function *callee);
const struct op *warp_return(struct warp *w, const struct op *o);

#endif
