/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One cell from supervisor_run() to on_cell_end. Events come from the worker pool.
 */
#ifndef CGPU_KERNEL_CELL_RUN_CELL_RUN_H
#define CGPU_KERNEL_CELL_RUN_CELL_RUN_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct ipc_message;
struct buffer;
struct run_options;
struct supervisor;
struct worker;

/* dropped: see supervisor_run(). */
void cell_run_start(struct supervisor *s, const void *encoded, size_t len,
		    const struct buffer *dropped, const struct run_options *options);
void cell_run_release(struct supervisor *s);

/*
 * The cell at work ends without success. Fill s->run.report first. The worker is ended, its host
 * and device memory rolled back, and on_cell_end called when the next worker holds the session.
 */
void cell_run_fail(struct supervisor *s);
/* Commit what the cell has done so far and end it; the worker stands still. -1: nothing was
 * committed. */
int cell_run_keep(struct supervisor *s, struct worker *w);

/* Commit what the worker holds; it stands still, and is QUIET afterwards. -1: nothing was
 * committed. */
int cell_run_commit(struct supervisor *s, struct worker *w, struct error *err);
void cell_run_tell_committed(struct supervisor *s, struct worker *w);

/* A cell that waits may begin, if nothing else is in its way. */
void cell_run_go_on(struct supervisor *s);
/* The active worker holds the session. */
void cell_run_on_session(struct supervisor *s);
void cell_run_on_message(struct supervisor *s, struct worker *w, struct ipc_message *m);
/* A worker that held the session is dead. was_active: nobody of us had ended it. */
void cell_run_on_death(struct supervisor *s, struct worker *w, bool was_active);
/* The session cannot be had: the cell that waits for it ends so. */
void cell_run_refuse(struct supervisor *s, const char *ename, const char *evalue, const char *more);
/* Workers cannot be had at the moment. */
void cell_run_on_no_worker(struct supervisor *s);

#endif
