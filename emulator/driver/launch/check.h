/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches are checked for races and wrong synchronisation, and what is found is printed. All are
 * checked, as long as it is cheap: each kernel is watched for its first operations in a cell
 * (in a program: of all its launches together), and only errors are told. When a cell asks for it,
 * its launches are watched whole, warnings are told too, and a summary ends the cell. A race is
 * told once for each pair of source lines of a kernel in a cell. CGPU_RACECHECK=all is the same for
 * a whole program, =off ends it.
 */
#ifndef CGPU_EMULATOR_DRIVER_CHECK_H
#define CGPU_EMULATOR_DRIVER_CHECK_H

#include <stdint.h>

#include "emulator/warp/machine.h"

struct race;
struct sync;

/* The checks of one launch. */
struct check {
	struct race *race; /* NULL: not checked */
	struct sync *sync;
	struct observer *observers[3]; /* and a debugger (cu-debug.h) */
};

/* Before machine_launch(): gives l its observers. */
void check_launch_begin(struct check *c, struct machine_launch *l);
/* After it, also when it faulted: prints what was found. */
void check_launch_end(struct check *c, struct machine_launch *l, uint64_t operations);

/* A cell begins; what: EMULATOR_CHECK_RACES or 0. */
void check_cell_begin(uint32_t what);
/* It ends: the summary, when it had asked for checks. */
void check_cell_end(void);

#endif
