/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell that stands at a breakpoint, at the end of a step, or at its fault, while its user looks
 * at it. The cell is still RUNNING; it is resumed, interrupted, or its worker dies.
 */
#ifndef CGPU_KERNEL_CELL_RUN_CELL_STOP_H
#define CGPU_KERNEL_CELL_RUN_CELL_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/debug-stop.h"

struct error;
struct record;
struct supervisor;
struct worker;

/* Of the supervisor. */
struct cell_stop {
	struct debug_breakpoint at[DEBUG_BREAKPOINTS_MAX];
	uint32_t n;
	struct debug_stop_conditions conditions;
	struct debug_thread thread; /* that stops in device code */
	bool stops_at_faults;
	bool holds_faults; /* the same, for the cell at work, as its worker was told */
	bool is_stopped;
	enum debug_reason reason;
	uint32_t condition; /* of the breakpoint, by the worker's word; 0: none */
	uint64_t number;    /* counts stops and their ends */
};

/* Sets the breakpoints of all cells. They count when the next cell begins, or when the one that
 * stands goes on. The conditions that they name are set one by one, behind them. */
void cell_stop_set(struct supervisor *s, const struct debug_breakpoint *at, size_t n);
/* Sets a condition, from 1: len 0, or more than a worker takes: the worker stops whatever it is. */
void cell_stop_set_condition(struct supervisor *s, uint32_t condition, const void *bytes,
			     size_t len);
/* Before WORKER_RUN: tells the worker. */
void cell_stop_begin(struct supervisor *s, struct worker *w);
/* WORKER_STOPPED of the cell at work. */
int cell_stop_on_stopped(struct supervisor *s, struct worker *w, struct record *r,
			 struct error *err);
/* The worker stands at a fault, whose report is made: true: cell_run_fail() comes when the user has
 * looked at it. */
bool cell_stop_at_fault(struct supervisor *s, struct worker *w);
/* Reads the memory of the worker that stands. 0; -1: it is not there. */
int cell_stop_read(const struct supervisor *s, uint64_t address, void *ret, size_t len);
/* The cell goes on; a fault ends it. Nothing happens when none stands. */
void cell_stop_resume(struct supervisor *s, enum debug_command command);
/* The cell stops at the next line that it comes to. ERROR_STATE: no cell runs for the debugger, or
 * it stands already. */
int cell_stop_pause(struct supervisor *s, struct error *err);
/* The cell does not stand any more, since it has ended, or is being interrupted. */
void cell_stop_end(struct supervisor *s);

#endif
