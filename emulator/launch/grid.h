/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of one grid, run by host threads. */
#ifndef CGPU_EMULATOR_GRID_H
#define CGPU_EMULATOR_GRID_H

struct launch;

/* Run all of them by `threads` host threads at most. l says afterwards how it went: fault, failed.
 */
void grid_run(struct launch *l, unsigned threads);

#endif
