/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs one cell, from supervisor_run() to on_cell_end. Events come from the worker pool.
 */
#ifndef CGPU_KERNEL_CELL_RUN_CELL_RUN_H
#define CGPU_KERNEL_CELL_RUN_CELL_RUN_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct ipc_message;
struct buffer;
struct compiled_unit;
struct run_options;
struct supervisor;
struct worker;

/* Starts a cell; for dropped see supervisor_run(). */
void cell_run_start(struct supervisor *s, struct compiled_unit *unit, const struct buffer *dropped,
		    const struct run_options *options);
void cell_run_release(struct supervisor *s);

/*
 * Ends the cell at work without success. Fill s->run.report first. The worker is ended, its host
 * and device memory is rolled back, and on_cell_end is called when the next worker holds the
 * session.
 */
void cell_run_fail(struct supervisor *s);
/* Rolls the interrupted cell back, as cell_run_fail() does, and sets aside what it has done so far;
 * the worker stands still. */
void cell_run_set_aside(struct supervisor *s, struct worker *w);
/* Commits what the cell has done so far and ends it; the worker stands still. -1: nothing was
 * committed. */
int cell_run_keep(struct supervisor *s, struct worker *w);

/* Commits the state of the worker, which stands still and is QUIET afterwards. -1: nothing was
 * committed. */
int cell_run_commit(struct supervisor *s, struct worker *w, struct error *err);
void cell_run_tell_committed(struct supervisor *s, struct worker *w);

/* Lets a cell that waits begin, if nothing else is in its way. */
void cell_run_go_on(struct supervisor *s);
/* The active worker holds the session. */
void cell_run_on_session(struct supervisor *s);
void cell_run_on_message(struct supervisor *s, struct worker *w, struct ipc_message *m);
/* A worker that held the session is dead. was_active: the process died by itself. */
void cell_run_on_death(struct supervisor *s, struct worker *w, bool was_active);
/* Ends the cell that waits for the session with an error, because the session cannot be had. */
void cell_run_refuse(struct supervisor *s, const char *ename, const char *evalue, const char *more);
/* No worker can be had at the moment. */
void cell_run_on_no_worker(struct supervisor *s);

#endif
