/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell that stops at breakpoints (common/protocol/debug-stop.h). The breakpoints are there while
 * the cell runs, and nowhere while it is committed.
 */
#ifndef CGPU_RUNTIME_DEBUGGER_CELL_STOP_H
#define CGPU_RUNTIME_DEBUGGER_CELL_STOP_H

struct device_debugger;
struct error;

/* Once, in the worker. */
void cell_stop_init(void);
/* Before a cell's code runs, when it is loaded: sets the breakpoints of the control area.
 * ERROR_UNSUPPORTED: not on this processor. */
int cell_stop_begin(struct error *err);
/* Behind it, however it ended: all code is as it was compiled. */
void cell_stop_end(void);
/* Returns the breakpoints as the emulated driver takes them (common/cuda/device-stop.h): none while
 * no cell is debugged. */
const struct device_debugger *cell_stop_device(void);
/* In a child that the cell has forked: it does not stop, since nobody would let it go on. */
void cell_stop_leave(void);
/* Around a commit in the middle of a cell. */
void cell_stop_suspend(void);
void cell_stop_resume(void);

#endif
