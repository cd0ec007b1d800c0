/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which worker holds the session, which waits as a spare, which are dying; the zygote that makes
 * them. Whatever dies is replaced. The session is given to the spare when no worker that ever held
 * it is alive, since such a one could still write to its memory.
 */
#ifndef CGPU_KERNEL_WORKERS_WORKER_POOL_H
#define CGPU_KERNEL_WORKERS_WORKER_POOL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel/workers/worker.h"
#include "kernel/workers/zygote-client.h"

struct error;
struct loop_source;
struct supervisor;

struct worker_pool {
	struct zygote_client zygote;
	struct loop_source *zygote_channel, *zygote_death, *retry, *bury, *look;
	struct worker *active; /* holds the session or is being given it */
	struct worker *spare;  /* forked ahead, or on its way */
	struct worker *dying;  /* killed, not yet dead */
	struct worker *dead;   /* freed from the loop */
	uint32_t last_id;
	uint32_t epoch;
	unsigned failures; /* workers in a row that did not get as far as holding the session */
	enum worker_driver driver; /* of the workers to come */
	bool device_has_worked;    /* some worker had one that it could use */
	bool device_hangs; /* a worker has hung in its driver: the next ones leave the device alone
			    */
	bool hold;         /* give the session to nobody: its memory is being changed */
	bool closing;
	struct worker_hello hello; /* of the last worker that said it */
	bool said_hello;
};

/* First call of the constructor: nothing else may run before the zygote does. */
int worker_pool_start_zygote(struct supervisor *s, struct error *err);
/* Asks for the first worker; does not wait for it. */
int worker_pool_init(struct supervisor *s, struct error *err);
void worker_pool_watch(struct supervisor *s);
void worker_pool_release(struct supervisor *s);

/* The active worker holds the session and is idle. */
bool worker_pool_is_ready(const struct supervisor *s);
/* It was told that its cell is committed, and must come to an end with that. */
void worker_pool_on_committed(struct supervisor *s, struct worker *w);
/* End the active worker; the session goes to the next one. */
void worker_pool_retire(struct supervisor *s);
/* The spare too: both lack what the zygote has loaded meanwhile. */
void worker_pool_renew(struct supervisor *s);
/* Only the spare. */
void worker_pool_renew_spare(struct supervisor *s);
/* As worker_pool_retire(), and wait until it is dead: nobody has the session's memory mapped then.
 */
int worker_pool_empty(struct supervisor *s, struct error *err);
/* The active worker has the session, all of it is committed, and it may be used. */
void worker_pool_go_on(struct supervisor *s);
/* Go on after worker_pool_empty(). */
void worker_pool_refill(struct supervisor *s);
/* Of the session, in bytes: a part of the device is known when a worker has seen it. */
uint64_t worker_pool_device_limit(const struct supervisor *s, const struct worker_hello *h);
/* What stood in the way of giving the session to a worker may be gone. */
void worker_pool_look(struct supervisor *s);

/* What belongs to the worker and ends with it: "open file notes.txt of In[3]". Nothing: it may be
 * ended without being missed. */
void worker_pool_describe_losses(const struct supervisor *s, struct buffer *out);

/* What device code of cells is compiled for: what all devices of the session have, as far as a
 * worker has told. */
uint32_t worker_pool_device_sm(const struct supervisor *s);

/* Our own children, for kernel/workers/orphans.h; at most 8. */
size_t worker_pool_pids(const struct supervisor *s, pid_t ret[8]);

/* Without an event loop: take messages until a worker has said hello, at most ms milliseconds. */
void worker_pool_await_hello(struct supervisor *s, int ms);

#endif
