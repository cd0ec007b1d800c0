/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue of execute_requests and the state machine of the one at work:
 *
 *	QUEUED -start-> MAGICS -> COMPILING -> RUNNING -> EXPRESSIONS -> (COMPILING -> RUNNING)...
 *	       -> finish: reply, idle
 *
 * Each arrow is a callback from the event loop; nothing here waits. Any state can go to finish with
 * an error. After an error the execute_requests that were waiting at that moment are answered
 * "aborted" (other requests never wait here).
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

extern const struct supervisor_callbacks execute_callbacks;
extern const struct session_hooks execute_hooks;

void execute_request(struct request *r);
void execute_interrupt(struct session *s);
/* Frees requests that were never answered, without an answer. */
void execute_release(struct executor *e);

#endif
