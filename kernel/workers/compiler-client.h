/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client of cgpu-compiler. Each request is answered exactly once, in the order of asking, also
 * when the compiler ends: all that wait are sent again to the next compiler process. Only a request
 * over which two processes have ended gets no data.
 */
#ifndef CGPU_KERNEL_WORKERS_COMPILER_CLIENT_H
#define CGPU_KERNEL_WORKERS_COMPILER_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "kernel/base/cpu-deadline.h"
#include "kernel/base/process.h"
#include "kernel/workers/helper-setup.h"

struct buffer;
struct compiler_request;
struct error;
struct loop;
struct loop_source;
struct told_declarations;

/* Receives one answer: payload is the message without the request id. There is no answer when
 * `type` is 0 and payload NULL. */
typedef void compiler_answer(void *data, uint32_t type, const void *payload, size_t len);

struct compiler_client {
	struct helper_setup setup;
	const char *language; /* COMPILER_CPP; any other, or NULL, is C */
	struct process process;
	struct loop *loop;
	struct loop_source *channel, *death, *deadline, *retry;
	struct compiler_request *first, *last;
	/* A compiler that is started later is sent all of them; NULL: there are none. */
	const struct told_declarations *declarations;
	uint32_t next_id;
	unsigned failures; /* deaths in a row before a hello */
	bool said_hello;
	struct cpu_deadline cpu_deadline; /* for the request at work */
	unsigned restarts;
	char clang[64];
	bool given_up;      /* it was ended because it does not answer */
	bool renewed;       /* it was ended so that one with another setup takes over */
	bool died_at_start; /* the last process died before its hello */
	char last_death[64];
	bool out_of_memory; /* of that process: it had as much as it may have */
};

/* Starts no process: the first request does, or compiler_client_begin(). language: a constant. The
 * declarations are borrowed; who changes them tells so (COMPILER_DECLARATIONS). */
void compiler_client_init(struct compiler_client *c, const struct helper_setup *setup,
			  const char *language, const struct told_declarations *declarations);
/* Starts the process and does not wait for it. */
int compiler_client_begin(struct compiler_client *c, struct error *err);
void compiler_client_start(struct compiler_client *c, struct loop *loop);
/* Waits until the compiler has sent its hello, at most ms milliseconds. It works without an event
 * loop. */
void compiler_client_await_hello(struct compiler_client *c, int ms);
/* Requests that wait are dropped without an answer. */
void compiler_client_release(struct compiler_client *c);
/* Tells whether a request waits for its answer. */
bool compiler_client_is_at_work(const struct compiler_client *c);
/* Ends the process; no request may be at work. The next one starts another. */
void compiler_client_end(struct compiler_client *c);

/*
 * Sends a request. body is the message without its id. The answer comes from the loop, never from
 * within this call, and does not come when the call fails: ERROR_MEMORY (also for a body that could
 * not be made), ERROR_LIMIT.
 * deadline_ms is counted as in cpu-deadline.h, from the moment when the compiler begins with the
 * request; 0 is no deadline, once the compiler has started.
 */
int compiler_client_ask(struct compiler_client *c, uint32_t type, const struct buffer *body,
			uint64_t deadline_ms, compiler_answer *fn, void *data, struct error *err);
/* Sends a message that has no answer to the process that runs. A process that is started later
 * takes the same facts from the kernel process. */
void compiler_client_tell(struct compiler_client *c, uint32_t type, const struct buffer *body);
/* Gives up the request at work by ending the compiler and every process that it has started; the
 * request is answered without data. */
void compiler_client_abandon(struct compiler_client *c);
/* Has another process take over, with the setup as it is by then; what is at work is asked again.
 */
void compiler_client_renew(struct compiler_client *c);

#endif
