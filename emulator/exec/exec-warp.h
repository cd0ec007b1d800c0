/* SPDX-License-Identifier: Apache-2.0 */
/* Operations between lanes that wait for others. */
#ifndef CGPU_EMULATOR_EXEC_WARP_H
#define CGPU_EMULATOR_EXEC_WARP_H

struct warp;

/* Look at parked joint operations again after lanes exited. */
void exec_warp_check_joint(struct warp *w);

#endif
