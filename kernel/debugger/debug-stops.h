/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells that stop. While the debugger is on, cells are compiled for it, so that they stop at each
 * line and their variables are in memory.
 */
#ifndef CGPU_KERNEL_DEBUGGER_DEBUG_STOPS_H
#define CGPU_KERNEL_DEBUGGER_DEBUG_STOPS_H

#include <stdbool.h>
#include <stdint.h>

struct debug_call;
struct error;
struct session;

/* Tells whether the next cell is to be compiled and run for the debugger. */
bool debug_stops_wanted(const struct session *s);
/* Before such a cell is run: its text, as the front end has sent it. */
void debug_stops_before_run(struct session *s, uint32_t number, const char *text);
/* The cell at work stands, or does not any more: tells the front ends. */
void debug_stops_on_stopped(struct session *s, bool stands);

int debug_stops_continue(struct debug_call *c, struct error *err);
int debug_stops_next(struct debug_call *c, struct error *err);
int debug_stops_step_in(struct debug_call *c, struct error *err);
int debug_stops_step_out(struct debug_call *c, struct error *err);
int debug_stops_pause(struct debug_call *c, struct error *err);

#endif
