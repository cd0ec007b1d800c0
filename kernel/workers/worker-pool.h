/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool of worker processes: the worker that holds the session, the spare, the workers that are
 * dying, and the zygote that forks them. Each process that dies is replaced. The session is given
 * to the spare once no worker that ever held it is alive, since a live one could still write to its
 * memory.
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
	struct worker *active; /* holds the session, or is attaching to it */
	struct worker *spare;  /* forked in advance, or still being forked */
	struct worker *dying;  /* killed, not yet dead */
	struct worker *dead;   /* to be freed from the loop */
	uint32_t last_id;
	uint32_t epoch;
	/* Workers in a row that died before they held the session. */
	unsigned failures;
	enum worker_driver driver; /* for the workers to come */
	bool device_has_worked;    /* some worker had a usable device */
	/* A worker has hung in its driver, so the next ones leave the device alone. */
	bool device_hangs;
	/* No worker is given the session, because its memory is being changed. */
	bool hold;
	bool closing;
	struct worker_hello hello; /* of the last worker that sent it */
	bool said_hello;
};

/* Starts the zygote. It is the first call of the constructor, since nothing else may run before the
 * zygote does. */
int worker_pool_start_zygote(struct supervisor *s, struct error *err);
/* Asks for the first worker and does not wait for it. */
int worker_pool_init(struct supervisor *s, struct error *err);
void worker_pool_watch(struct supervisor *s);
void worker_pool_release(struct supervisor *s);

/* Tells whether the active worker holds the session and is idle. */
bool worker_pool_is_ready(const struct supervisor *s);
/* Notes that the worker was told of a commit. The worker must finish its own part of the commit in
 * bounded time. */
void worker_pool_on_committed(struct supervisor *s, struct worker *w);
/* Ends the active worker; the session goes to the next one. */
void worker_pool_retire(struct supervisor *s);
/* Ends the active worker and the spare, because both lack what the zygote has loaded since they
 * were forked. */
void worker_pool_renew(struct supervisor *s);
/* Ends only the spare. */
void worker_pool_renew_spare(struct supervisor *s);
/* Ends the active worker and waits until it is dead, so that no process has the session's memory
 * mapped. */
int worker_pool_empty(struct supervisor *s, struct error *err);
/* Makes the active worker IDLE: it has the session, and all of that is committed. */
void worker_pool_go_on(struct supervisor *s);
/* Gives the session to a worker again after worker_pool_empty(). */
void worker_pool_refill(struct supervisor *s);
/* The session's limit of device memory in bytes. A limit that is a share of the device is known
 * once a worker has seen the device. */
uint64_t worker_pool_device_limit(const struct supervisor *s, const struct worker_hello *h);
/* Takes the next possible step: an obstacle to giving the session to a worker may be gone. */
void worker_pool_look(struct supervisor *s);

/* Appends what belongs to the worker process and ends with it: "open file notes.txt of In[3]".
 * Nothing is appended when the worker may be ended without a loss. */
void worker_pool_describe_losses(const struct supervisor *s, struct buffer *out);

/* The compute capability that device code of cells is compiled for: one that all devices of the
 * session have, as far as a worker has told. */
uint32_t worker_pool_device_sm(const struct supervisor *s);

/* Writes the pids of this process's own children, for kernel/workers/orphans.h. */
#define WORKER_POOL_PIDS 13
size_t worker_pool_pids(const struct supervisor *s, pid_t ret[WORKER_POOL_PIDS]);

/* Takes messages until a worker has said hello, at most ms milliseconds. It works without an event
 * loop. */
void worker_pool_await_hello(struct supervisor *s, int ms);

#endif
