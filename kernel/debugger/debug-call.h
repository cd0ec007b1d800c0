/* SPDX-License-Identifier: Apache-2.0 */
/* One command of a debug_request at work, and what the debugger keeps between them. */
#ifndef CGPU_KERNEL_DEBUGGER_DEBUG_CALL_H
#define CGPU_KERNEL_DEBUGGER_DEBUG_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "kernel/debugger/debug-conditions.h"
#include "kernel/debugger/debug-references.h"
#include "kernel/debugger/debug-stack.h"

struct error;
struct request;
struct session;

#define DEBUG_CELLS_MAX 256

/* The name of the filter of setExceptionBreakpoints for cells that fail. */
#define DEBUG_FILTER_FAULT "fault"

/* A line with a breakpoint. */
struct debug_line {
	uint32_t line;
	char *condition; /* owned; NULL: it has none */
};

/* A text of a cell, by the path that front ends know it by. */
struct debug_cell {
	char *path, *text;        /* owned; the text may be NULL: it is not kept */
	uint32_t number;          /* of the last cell with this text that was run; 0: none was */
	struct debug_line *lines; /* with a breakpoint, owned */
	size_t n_lines;
};

struct debugger {
	bool is_started;
	/* JupyterLab shows a value only where the type is int, float, bool or str. */
	bool is_for_jupyterlab;
	json_int_t seq; /* of the last message */
	struct debug_references references;
	/* The last list of variables, of the state and the worker of the references; owned, NULL:
	 * none. Front ends ask for each message of a cell. */
	json_t *list;
	bool list_is_whole; /* no cell ran when it was made, so it has what is on the device */
	struct debug_cell cells[DEBUG_CELLS_MAX];
	struct debug_condition_entry conditions[DEBUG_CONDITIONS_MAX];
	uint64_t last_condition; /* the serial of it */
	bool is_told;            /* front ends were told that the cell stands */
	size_t next_cell;        /* the oldest without breakpoints is replaced */
	struct debug_stack stack;
};

struct debug_call {
	struct session *session;
	struct debugger *debugger;
	struct request *request;
	const char *command;     /* borrowed from the request, like the arguments */
	const json_t *arguments; /* may be anything, or NULL */
	bool is_kept;            /* debug_call_keep() */
	json_t *body;            /* set by the handler, also on error; owned by the call */
	const char *event;       /* is published behind the reply; NULL: none */
	/* Is called behind the reply of a command that succeeded; NULL: nothing is. */
	void (*behind)(struct session *s, int argument);
	int behind_argument;
	/* On error: the one word that the protocol has for it; NULL: the error is the message. */
	const char *word;
};

/* Makes a copy of the call for a handler that answers later, by debug_call_end(). NULL: out of
 * memory. */
struct debug_call *debug_call_keep(struct debug_call *c, struct error *err);
/* Replies, with an error if err has one, and frees the call. */
void debug_call_end(struct debug_call *kept, const struct error *err);
/* Replies: what a handler has left in the call, or an error; NULL: there is none. */
void debug_call_reply(struct debug_call *c, const struct error *err);

/* Return an argument, "" or -1 when it is missing or of another type. */
const char *debug_call_text(const struct debug_call *c, const char *key);
json_int_t debug_call_number(const struct debug_call *c, const char *key);

#endif
