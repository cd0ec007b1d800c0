/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One execute_request in progress. kernel/requests/execute.c moves it from state to state; magics
 * see it while they run.
 */
#ifndef CGPU_KERNEL_SESSION_CELL_H
#define CGPU_KERNEL_SESSION_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "common/base/buffer.h"
#include "common/protocol/run-options.h"
#include "kernel/protocol/wire.h"
#include "kernel/session/look.h"
#include "kernel/session/magic.h"

struct compiled_unit;
struct delivery;
struct request;
struct setup_cell;
struct step;

enum cell_state {
	CELL_QUEUED,
	CELL_MAGICS, /* one after another; one may be running */
	CELL_COMPILING,
	CELL_RUNNING,
	CELL_EXPRESSIONS, /* between the cell's own code and its user_expressions */
};

struct cell {
	struct cell *next;  /* in the queue of its subshell */
	int64_t arrived_us; /* since 1970 */
	struct request *request;
	enum cell_state state;
	uint32_t number;
	char name[24]; /* "In[3]" */

	/* The request. */
	json_t *code; /* borrowed from the request */
	bool silent, store, allow_stdin, stop_on_error;
	json_t *expressions; /* borrowed; name -> text */
	/* The front end's id of the notebook's cell; "" when there is none; borrowed. */
	const char *id;

	/* What a front end has sent to a comm: it is run in place of code, and the request is no
	 * execute_request. NULL: this is a cell. */
	struct delivery *delivery;

	struct magic_script script;
	size_t next_magic;
	bool awaiting;    /* the next magic waits for a worker that has the session */
	bool waited;      /* it has waited, perhaps in vain; then the magic reports that */
	bool tried_again; /* the next magic lost its worker once */
	/* Ends the magic that is running, for an interrupt. */
	void (*cancel)(void *data);
	void *cancel_data;

	struct compiled_unit *unit; /* NULL: what is at work was not compiled yet */
	struct buffer shown;        /* the OUTPUT_RESULT record */
	struct buffer set_aside;    /* lines: what a %redo would bring back of it */
	/* What is compiled or run, kernel/requests/step.h; NULL before the first step. */
	const struct step *step;
	void *expression;             /* step_expression: iterator of `expressions` */
	struct setup_cell *restarted; /* of step_restart */
	struct buffer dropping;       /* step_drop: the names */
	struct run_options options;   /* for the own code */
	bool on_restart;              /* %%on_restart */
	bool timed;                   /* %time */
	struct buffer expected;       /* %%expect: the text of its value; empty: any */
	struct look look;             /* for %%ptx and its like, which show the compiled cell */
	bool announced;               /* busy and execute_input are sent */
	uint64_t state_before;        /* supervisor_state() before its first commit */
	bool noted;                   /* %undo has a step for it */
	struct buffer behind;         /* C code that magics add after the cell's own */
	uint64_t compile_start_ns, compile_ns;

	/* The outcome. */
	/* Names are missing, and the compiler is asked which package has them before the cell
	 * ends. */
	bool asks_who_has;
	bool interrupted;
	uint64_t over_ms; /* interrupted, since it has passed this limit; 0: it has not */
	bool failed;
	json_t *ename, *evalue, *traceback;
	json_t *payload, *values;
	char started[WIRE_DATE_MAX];
};

/* Creates a cell, which takes the request over; NULL when memory is out. */
struct cell *cell_new(struct request *request);
/* Frees the cell and ends its request. */
void cell_free(struct cell *c);

/* Marks the cell as failed. The texts are cut into lines for the traceback, and bytes that are not
 * UTF-8 are replaced. Only the first failure counts. */
void cell_fail(struct cell *c, const char *ename, const char *evalue, const char *traceback);
/* Appends lines to the traceback of a cell that has failed. */
void cell_fail_more(struct cell *c, const char *lines);
/* Marks the cell as failed, with a traceback made of the two texts. */
void cell_fail_plain(struct cell *c, const char *ename, const char *evalue);

/* The same for a cell that was interrupted. */
void cell_fail_interrupted(struct cell *c, const char *evalue);
/* Returns the name of the error of a cell that was interrupted, and appends why to `ret`. */
const char *cell_interruption(const struct cell *c, struct buffer *ret);

/* Makes {status, ename, evalue, traceback}, or {status: ok} with the other fields of an
 * execute_reply. */
json_t *cell_reply(const struct cell *c, uint32_t count);
json_t *cell_error(const struct cell *c);

/* Returns the request of the cell at work; NULL when idle. */
const struct request *cell_at_work(const struct session *s);

#endif
