/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An idle session gives the device back: the content of its device memory goes to a file, in memory
 * or on disk, and the workers with their contexts are ended. Whatever needs a worker brings all of
 * it back first, at the same addresses: the next worker makes the evicted chunks anew when it is
 * given the session. What is only kept for undo comes back when it is undone.
 *
 *	       eviction_start(), or by itself     all is copied; workers are ended
 *	AWAKE ------------------------------> SAVING --------------------> EVICTED <---+
 *	  ^                                     | a cell comes, it fails      |        | refused,
 *	  |<------------------------------------+          eviction_wake()    |        | interrupted
 *	  |      WORKER_ATTACHED              the others let us have it       v        |
 *	  +---------------------- ATTACHING <----------------------------- CLAIMING ---+
 *	                              +---- the device has no room ----> EVICTED
 *
 * Until the next worker has said that it holds the session, the file has all that was evicted: at
 * each step a process may die, and nothing is lost.
 */
#ifndef CGPU_KERNEL_DEVICE_EVICTION_H
#define CGPU_KERNEL_DEVICE_EVICTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"

struct device_chunk;
struct error;
struct ipc_message;
struct loop_source;
struct supervisor;
struct worker;

/* problem: why the session could not be parked, or "". */
typedef void eviction_done(void *data, const char *problem);

struct eviction_rules {
	uint64_t idle_ms;    /* it parks by itself after so long without a cell, 0: never */
	bool when_wanted;    /* and when another notebook waits for device memory */
	uint64_t memory_max; /* more bytes than this are parked on disk; 0: a quarter of what is
				available */
};

struct eviction_state {
	struct eviction_rules rules;
	uint64_t bytes; /* in the file */
	bool on_disk;
	const char *problem; /* why it could not come back when it was last tried, lines; "" */
};

enum eviction_phase {
	EVICTION_AWAKE,
	EVICTION_SAVING,
	EVICTION_EVICTED,
	EVICTION_CLAIMING,
	EVICTION_ATTACHING
};

/* A chunk that is being copied. */
struct eviction_item {
	uint64_t id, size;
	uint64_t address; /* 0: it is not mapped in the worker */
	uint64_t place;   /* in the file */
	uint64_t copied;
};

struct eviction {
	enum eviction_phase phase;
	struct eviction_rules rules;
	int file; /* -1: nothing is parked */
	uint64_t end;
	uint32_t number; /* of the last piece that was asked for */
	bool on_disk;
	const char *folder; /* for it, borrowed; NULL: /var/tmp */
	struct eviction_item *items;
	size_t n, at;     /* of them; the one at work */
	uint64_t changes; /* of the snapshot when it began */
	eviction_done *done;
	void *done_data;
	uint32_t device; /* that is claimed */
	bool claims, answered, granted;
	struct buffer problem; /* why it is still parked, lines */
	bool interrupted;      /* the user did not want to wait any more */
	uint64_t rest_ms;      /* when it last had something to do */
	struct loop_source *step, *look, *watch;
};

void eviction_init(struct supervisor *s);
void eviction_release(struct supervisor *s);

/*
 * Between cells: device memory goes to a file, and the workers are ended. 0: done() follows from
 * the loop, with why it did not work or "". All else that needs a worker, cells too, brings the
 * session back.
 */
int eviction_start(struct supervisor *s, eviction_done *done, void *data, struct error *err);
void eviction_cancel(struct supervisor *s);
/* Something comes that needs a worker; on_session() follows if none is there. */
void eviction_wake(struct supervisor *s);
void eviction_set_rules(struct supervisor *s, const struct eviction_rules *r);
bool eviction_holds_session(const struct supervisor *s, struct eviction_state *ret);

/* No worker may be made, but for the session that comes back. */
bool eviction_keeps_workers_away(const struct supervisor *s);
/* Before WORKER_ATTACH: claims the memory of what is parked. False: that is not granted yet; the
 * pool is told when it is. */
bool eviction_before_attach(struct supervisor *s);
/* In front of the chunks, when one of them is parked. */
int eviction_send_file(struct supervisor *s, struct worker *w, struct error *err);
/* The worker holds the session; the device was too full for it, and the worker is to be ended. */
void eviction_on_attached(struct supervisor *s);
void eviction_on_no_room(struct supervisor *s, const char *why);
void eviction_on_worker_lost(struct supervisor *s);
void eviction_on_message(struct supervisor *s, struct ipc_message *m);

/* A cell begins; the session rests. */
void eviction_on_cell(struct supervisor *s);
void eviction_on_rest(struct supervisor *s);
/* There is no list of notebooks any more that could be watched. */
void eviction_on_alone(struct supervisor *s);
/* It gives what it holds to others who wait. */
bool eviction_gives(const struct supervisor *s);
/* The session is another one, without device memory. */
void eviction_forget(struct supervisor *s);
/* Whoever waits for the session does not any more. True: a cell did, and its end follows. */
bool eviction_interrupt(struct supervisor *s);

/* A memfd with a piece of device memory that is parked; -1. */
int eviction_read(const struct supervisor *s, uint64_t address, uint64_t size, struct error *err);
/* Why the session cannot be had, "" when nothing is known against it. */
const char *eviction_problem(const struct supervisor *s);

#endif
