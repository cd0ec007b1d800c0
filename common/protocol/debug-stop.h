/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the control area by which a cell stops at a breakpoint and goes on.
 *
 *	kernel                                worker
 *	breakpoints, then WORKER_RUN    ->    runs to one of them
 *	    <-  WORKER_STOPPED                stands still, its calls in the fault record
 *	reads its memory, asks for owners of addresses (fault-questions.h)
 *	debug_stop_resume()             ->    takes the breakpoints anew, and the command
 *
 * 1. The kernel writes the breakpoints only while no cell runs or while the cell stands.
 * 2. It reads nothing here but the number of stops; all else is a worker's word.
 */
#ifndef CGPU_COMMON_PROTOCOL_DEBUG_STOP_H
#define CGPU_COMMON_PROTOCOL_DEBUG_STOP_H

#include <stdatomic.h>
#include <stdint.h>

#include "common/code/debug-command.h"

struct address_description;
struct worker_control;

/* Cells stop where a process can step through its own instructions. */
#if defined(__x86_64__)
#define DEBUG_STOPS 1
#else
#define DEBUG_STOPS 0
#endif

#define DEBUG_CONDITIONS_MAX 32
#define DEBUG_CONDITION_SIZE 2048 /* bytes of the longest that a worker can look at itself */

/* A line of a cell, by the cell's number of execution. */
struct debug_breakpoint {
	uint32_t cell, line;
	uint32_t condition; /* 1: the first of the conditions; 0: it has none */
};

/* The cell passes by when one is not true (common/code/bound-expression.h). Length 0: the kernel
 * looks at it while the cell stands. The lengths lie together, since they are written for each
 * cell. */
struct debug_stop_conditions {
	uint32_t len[DEBUG_CONDITIONS_MAX];
	uint8_t bytes[DEBUG_CONDITIONS_MAX][DEBUG_CONDITION_SIZE];
};

/* A thread of a launch. */
struct debug_thread {
	uint32_t is_named; /* 0: the first that comes to a breakpoint */
	uint32_t block[3], thread[3];
};

struct debug_stop {
	uint32_t n;
	struct debug_breakpoint at[DEBUG_BREAKPOINTS_MAX];
	struct debug_stop_conditions conditions;
	struct debug_thread thread; /* that stops in device code */
	uint32_t command;           /* enum debug_command */
	/* A worker that stands at a fault is looked at by a user, so it waits for as long as it
	 * takes. */
	uint32_t holds_faults;
	/* The kernel sets 1, then sends SIGTRAP to the thread that runs cells: the cell stops at
	 * the next line of a cell that it comes to. */
	_Atomic uint32_t pause;
	/* Written by the kernel: how often it has sent that signal, which may come when the wish
	 * has been taken already. */
	_Atomic uint32_t pauses;
	_Atomic uint32_t stops; /* written by the worker: how often it has stopped */
	_Atomic uint32_t
		resumed; /* written by the kernel: the number of the last stop that is over */
};

/* The kernel's side: lets the worker go on. */
void debug_stop_resume(struct worker_control *c, enum debug_command command);

/* The worker's side, behind its WORKER_STOPPED: answers questions until the kernel lets it go on,
 * and returns how. Safe in signal handlers. */
enum debug_command debug_stop_await(struct worker_control *c,
				    void (*describe)(uint64_t address,
						     struct address_description *ret));

#endif
