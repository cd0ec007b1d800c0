/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions of breakpoints. A worker stops at a breakpoint whose condition it does not know. Then
 * the compiler makes a program of it, which is computed in the call that stands, and bound to that
 * place, so that from there on the worker passes by itself where it is false.
 */
#ifndef CGPU_KERNEL_DEBUGGER_DEBUG_CONDITIONS_H
#define CGPU_KERNEL_DEBUGGER_DEBUG_CONDITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/protocol/debug-stop.h"

struct debugger;
struct session;

#define DEBUG_CONDITION_TEXT_MAX 1024

struct debug_condition_entry {
	/* Of the cell, and what the user wrote; owned. NULL: the place is free. */
	char *path, *text;
	uint32_t line;
	uint64_t serial;       /* no other has or had it */
	bool is_used;          /* a breakpoint has it */
	struct buffer program; /* empty: none was made yet */
};

/* Begins a new list of breakpoints: conditions that are not taken until the end are forgotten. */
void debug_conditions_begin(struct debugger *d);
/* Takes the condition of a line: its number, from 1; 0: there are too many. */
uint32_t debug_conditions_take(struct session *s, const char *path, uint32_t line,
			       const char *text);
void debug_conditions_end(struct debugger *d);
/* The cell with this path is compiled anew, so its programs are made anew. */
void debug_conditions_renew(struct session *s, const char *path);
/*
 * The cell at work stands at a breakpoint. Calls done(), at once or later, unless the cell goes on
 * before: whether it stays, and why that is although the condition is not true, "" if it is.
 */
void debug_conditions_decide(struct session *s,
			     void (*done)(struct session *s, bool stays, const char *why));
void debug_conditions_release(struct debugger *d);

#endif
