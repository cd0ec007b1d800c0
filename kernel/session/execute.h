/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue of execute_requests and the way of the one at work:
 *
 *	QUEUED -start-> MAGICS -> COMPILING -> RUNNING -> EXPRESSIONS -> (COMPILING -> RUNNING)...
 *	       -> finish: reply, idle
 *
 * Each arrow is a callback from the event loop; nothing here waits. Any state can go to finish with
 * an error. After an error the execute_requests that were waiting at that moment are answered
 * "aborted" (other requests never wait here).
 */
#ifndef CGPU_KERNEL_SESSION_EXECUTE_H
#define CGPU_KERNEL_SESSION_EXECUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/session/abort-window.h"
#include "kernel/supervisor/supervisor.h"

struct buffer;
struct cell;
struct error;
struct request;
struct session;

struct executor {
	struct cell *first, *last; /* the queue */
	struct cell *current;
	uint32_t count;           /* the last cell number that was given */
	struct abort_window late; /* which cells that come from here on are aborted still */
	bool held; /* no next cell is started: one is, or the queue is being aborted */
};

extern const struct supervisor_callbacks execute_callbacks;

void execute_request(struct request *r);
/* The request of the cell at work; NULL when idle. */
const struct request *execute_at_work(const struct executor *e);
void execute_interrupt(struct session *s);
/*
 * For a magic, which then returns 1: these names, each with its NUL, are no more when the cell goes
 * on. A step of its own for %undo.
 */
void execute_drop(struct session *s, const struct buffer *names);
/* A magic that returned 1 is done; err: why it failed, NULL when it did not. */
void execute_magic_done(struct session *s, const struct error *err);
/* The code of a cell that is looked at instead of run is shown; err: why not, NULL when it is. */
void execute_looked(struct session *s, const struct error *err);
/* Tell the compiler what has changed in s->declarations. */
void execute_tell_declarations(struct session *s);
/* The requests that were never answered are freed without an answer. */
void execute_release(struct executor *e);

#endif
