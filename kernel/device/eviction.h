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

/* problem says why the session could not be parked, or is "". */
typedef void eviction_done(void *data, const char *problem);

struct eviction_rules {
	uint64_t idle_ms; /* parks by itself after so long without a cell; 0: never */
	bool when_wanted; /* parks when another notebook waits for device memory */
	/* More bytes than this are parked on disk; 0: a quarter of the available memory. */
	uint64_t memory_max;
};

struct eviction_state {
	struct eviction_rules rules;
	uint64_t bytes; /* in the file */
	bool on_disk;
	const char *problem; /* why the last try to come back failed, lines; "" for nothing */
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
	uint64_t place;   /* offset in the file */
	uint64_t copied;
};

struct eviction {
	enum eviction_phase phase;
	struct eviction_rules rules;
	int file; /* -1: nothing is parked */
	uint64_t end;
	uint32_t number; /* the last piece that was asked for */
	bool on_disk;
	const char *folder; /* of the file on disk, borrowed; NULL: /var/tmp */
	struct eviction_item *items;
	size_t n, at;     /* the number of items; the item at work */
	uint64_t changes; /* snapshot.changes at the start */
	eviction_done *done;
	void *done_data;
	uint32_t device; /* the device that is claimed */
	bool claims, answered, granted;
	struct buffer problem; /* why the session is still parked, lines */
	bool interrupted;      /* the user did not want to wait any more */
	uint64_t rest_ms;      /* the time of its last activity */
	struct loop_source *step, *look, *watch;
};

void eviction_init(struct supervisor *s);
void eviction_release(struct supervisor *s);

/*
 * Parks the session between cells: device memory goes to a file, and the workers are ended. 0:
 * done() follows from the loop, with the problem or "". A cell, and all else that needs a worker,
 * brings the session back.
 */
int eviction_start(struct supervisor *s, eviction_done *done, void *data, struct error *err);
void eviction_cancel(struct supervisor *s);
/* Brings the session back, because a worker is needed; on_session() follows if none is there. */
void eviction_wake(struct supervisor *s);
void eviction_set_rules(struct supervisor *s, const struct eviction_rules *r);
bool eviction_holds_session(const struct supervisor *s, struct eviction_state *ret);

/* Tells whether no worker may be started, except for the session that comes back. */
bool eviction_keeps_workers_away(const struct supervisor *s);
/* Claims device memory for the parked chunks, before WORKER_ATTACH. False: it is not granted yet;
 * the pool is told when it is. */
bool eviction_before_attach(struct supervisor *s);
/* Sends the file in front of the chunks, when one of them is parked. */
int eviction_send_file(struct supervisor *s, struct worker *w, struct error *err);
/* eviction_on_attached(): the worker holds the session. eviction_on_no_room(): the device was too
 * full for it, and the worker must be ended. */
void eviction_on_attached(struct supervisor *s);
void eviction_on_no_room(struct supervisor *s, const char *why);
void eviction_on_worker_lost(struct supervisor *s);
void eviction_on_message(struct supervisor *s, struct ipc_message *m);

/* eviction_on_cell(): a cell begins. eviction_on_rest(): the session rests. */
void eviction_on_cell(struct supervisor *s);
void eviction_on_rest(struct supervisor *s);
/* The list of notebooks cannot be watched any more. */
void eviction_on_alone(struct supervisor *s);
/* Tells whether the session gives its device memory to others who wait. */
bool eviction_gives(const struct supervisor *s);
/* The session was replaced by one without device memory. */
void eviction_forget(struct supervisor *s);
/* Stops waiting for the session. True: a cell waited, and its end follows. */
bool eviction_interrupt(struct supervisor *s);

/* Returns a memfd with a piece of device memory that is parked; -1 on error. */
int eviction_read(const struct supervisor *s, uint64_t address, uint64_t size, struct error *err);
/* Says why the session cannot be had; "" when no reason is known. */
const char *eviction_problem(const struct supervisor *s);

#endif
