/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that device code calls but no module defines (emulator/ptx/syscalls.def). */
#ifndef CGPU_EMULATOR_SYSCALL_H
#define CGPU_EMULATOR_SYSCALL_H

struct op;
struct warp;

/* Call one by name for the running lanes. The next operation; NULL when it faulted. */
const struct op *syscall_run(struct warp *w, const struct op *o, const char *name);

#endif
