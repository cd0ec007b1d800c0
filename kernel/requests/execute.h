/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queues of execute_requests, one for each subshell, and the state machine of the one at work:
 *
 *	QUEUED -start-> MAGICS -> COMPILING -> RUNNING -> EXPRESSIONS -> (COMPILING -> RUNNING)...
 *	       -> finish: reply, idle
 *
 * Each arrow is a callback from the event loop; nothing here waits. Any state can go to finish with
 * an error. After an error the execute_requests that were waiting in the same subshell at that
 * moment are answered "aborted" (other requests never wait here).
 *
 * A cell is a transaction on the one session, so cells of different subshells never run at the same
 * time. The subshells that have any take turns, cell by cell. So does what a front end has sent to
 * a comm: it goes the same way as a cell without code, and takes turns with the cells of all.
 */
#ifndef CGPU_KERNEL_REQUESTS_EXECUTE_H
#define CGPU_KERNEL_REQUESTS_EXECUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/session/session.h"

struct buffer;
struct cell;
struct error;
struct request;
struct session;
struct subshell;

extern const struct supervisor_callbacks execute_callbacks;
extern const struct session_hooks execute_hooks;

/* Queues a cell, or aborts it. Its subshell is there. */
void execute_request(struct request *r);
/* Aborts the cells that wait in a subshell. */
void execute_abort(struct subshell *of);
void execute_interrupt(struct session *s);
/* Frees requests that were never answered, without an answer. */
void execute_release(struct executor *e);

#endif
