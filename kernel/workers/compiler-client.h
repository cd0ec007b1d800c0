/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions to cgpu-compiler. Each request is answered exactly once, in the order of asking, also
 * when the compiler crashes: the request at work then gets no data, the later ones are asked again
 * of the next compiler process.
 */
#ifndef CGPU_KERNEL_WORKERS_COMPILER_CLIENT_H
#define CGPU_KERNEL_WORKERS_COMPILER_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/base/cpu-deadline.h"
#include "kernel/base/process.h"

struct buffer;
struct compiler_request;
struct declaration_change;
struct error;
struct loop;
struct loop_source;

/* payload without the request id; NULL when there is no answer: `type` is 0 and payload NULL. */
typedef void compiler_answer(void *data, uint32_t type, const void *payload, size_t len);

struct compiler_client {
	const char *dir, *language; /* borrowed */
	struct process process;
	struct loop *loop;
	struct loop_source *channel, *death, *deadline, *retry;
	struct compiler_request *first, *last;
	struct buffer *declarations; /* encoded, one each, to teach a restarted compiler */
	size_t n_declarations, cap_declarations;
	uint32_t next_id;
	unsigned failures; /* deaths before hello in a row */
	bool said_hello;
	struct cpu_deadline cpu_deadline; /* with the request at work */
	unsigned restarts;
	char clang[64];
	bool given_up;      /* it is ended, since it does not answer */
	bool died_at_start; /* the last one that died */
	char last_death[64];
};

/* Starts the process; does not wait for it. The texts are borrowed. language: COMPILER_CPP; any
 * other, or NULL: C. */
int compiler_client_init(struct compiler_client *c, const char *dir, const char *language,
			 struct error *err);
void compiler_client_start(struct compiler_client *c, struct loop *loop);
/* Without an event loop: wait until the compiler has said what it is, at most ms milliseconds. */
void compiler_client_await_hello(struct compiler_client *c, int ms);
/* Requests that wait are dropped without an answer. */
void compiler_client_release(struct compiler_client *c);

/* The session has `total` declarations, of which these n are as they stand here; no index leaves a
 * gap. */
void compiler_client_declare(struct compiler_client *c, size_t total,
			     const struct declaration_change *changes, size_t n);

/*
 * body: the message without its id. The answer comes from the loop, never from within this call;
 * none when this fails: ERROR_MEMORY (also of a body that could not be made), ERROR_LIMIT.
 * deadline_ms: as cpu-deadline.h counts, from when the compiler works on it; 0: none, once the
 * compiler has started.
 */
int compiler_client_ask(struct compiler_client *c, uint32_t type, const struct buffer *body,
			uint64_t deadline_ms, compiler_answer *fn, void *data, struct error *err);
/* A message without an answer, for the process that runs: one that is started later has it from the
 * kernel process. */
void compiler_client_tell(struct compiler_client *c, uint32_t type, const struct buffer *body);
/* Give up the request at work by ending the process and all that it has started; it is answered
 * without data. */
void compiler_client_abandon(struct compiler_client *c);

#endif
