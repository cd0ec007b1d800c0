/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One execute_request on its way. kernel/requests/execute.c moves it from state to state; magics
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

struct request;
struct setup_cell;

enum cell_state {
	CELL_QUEUED,
	CELL_MAGICS, /* one after another; one may be running */
	CELL_COMPILING,
	CELL_RUNNING,
	CELL_EXPRESSIONS, /* between the cell's own code and its user_expressions */
};

/* What is compiled and run for a cell, one after another. Magics are run before, in CELL_MAGICS. */
enum cell_step {
	STEP_OWN,        /* the cell's own code */
	STEP_SETTINGS,   /* before that, in a new worker: what %cd and %env have left */
	STEP_RESTART,    /* the same: a cell with %%on_restart, again */
	STEP_DROP,       /* %reset: nothing, but names are dropped at its end */
	STEP_EXPRESSION, /* behind the own code: a user_expression */
};

struct cell {
	struct cell *next;  /* in the queue */
	int64_t arrived_us; /* since 1970 */
	struct request *request;
	enum cell_state state;
	uint32_t number;
	char name[24]; /* "In[3]" */

	/* As asked for. */
	json_t *code; /* borrowed from the request */
	bool silent, store, allow_stdin, stop_on_error;
	json_t *expressions; /* borrowed; name -> text */
	const char *id; /* of the notebook's cell; "" when the front end does not say; borrowed */

	struct magic_script script;
	size_t next_magic;
	bool awaiting;    /* the next magic waits for a worker that has the session */
	bool waited;      /* it has, perhaps in vain: then the magic says so */
	bool tried_again; /* the next magic lost its worker once */
	/* Ends the magic that is running, for an interrupt. */
	void (*cancel)(void *data);
	void *cancel_data;

	struct buffer unit;  /* encoded, from compiling to the end of the run */
	struct buffer shown; /* the OUTPUT_RESULT record */
	enum cell_step step;
	void *expression;             /* STEP_EXPRESSION: iterator of `expressions` */
	struct setup_cell *restarted; /* STEP_RESTART */
	struct buffer dropping;       /* STEP_DROP: the names */
	struct run_options options;   /* of the own code */
	bool on_restart;              /* %%on_restart */
	bool timed;                   /* %time */
	struct look look;             /* %%ptx and its like: the cell is compiled and shown */
	bool announced;               /* busy and execute_input are sent */
	uint64_t state_before;        /* supervisor_state() before its first commit */
	bool noted;                   /* %undo knows of it */
	struct buffer behind;         /* C code that magics put behind the cell's own */
	uint64_t compile_start_ns, compile_ns;

	/* The outcome. */
	bool asks_who_has; /* it lacks names, and the compiler is asked about them before its end */
	bool interrupted;
	bool failed;
	json_t *ename, *evalue, *traceback;
	json_t *payload, *values;
	char started[WIRE_DATE_MAX];
};

/* NULL when memory is out. The request is the cell's from then on. */
struct cell *cell_new(struct request *request);
/* Ends the request. */
void cell_free(struct cell *c);

/* Text is cut into lines for the traceback; what is not UTF-8 in it is replaced. The first failure
 * counts. */
void cell_fail(struct cell *c, const char *ename, const char *evalue, const char *traceback);
/* More lines for a cell that has failed, at the end of its traceback. */
void cell_fail_more(struct cell *c, const char *lines);
/* With a traceback made of the two. */
void cell_fail_plain(struct cell *c, const char *ename, const char *evalue);

/* {status, ename, evalue, traceback} or {status: ok} with what belongs to an execute_reply. */
json_t *cell_reply(const struct cell *c, uint32_t count);
json_t *cell_error(const struct cell *c);

/* The request of the cell at work; NULL when idle. */
const struct request *cell_at_work(const struct session *s);

#endif
