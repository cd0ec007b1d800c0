/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The upcalls of the supervisor: what a part tells, and asks, parts in higher folders. There is one
 * table, in kernel/supervisor/attach.c; each group names its caller.
 */
#ifndef CGPU_KERNEL_CORE_SUPERVISOR_HOOKS_H
#define CGPU_KERNEL_CORE_SUPERVISOR_HOOKS_H

#include <stdbool.h>

struct error;
struct ipc_message;
struct supervisor;
struct worker;
struct worker_device;

struct supervisor_hooks {
	/* ---- workers/worker-pool: the next worker, and giving it the session ---- */
	/* Chooses the device of the next worker. */
	void (*choose_device)(const struct supervisor *s, struct worker_device *ret);
	/* Tells whether the spare may still get the session. */
	bool (*fits)(const struct supervisor *s, const struct worker *w);
	/* Tells whether the session must have no workers at the moment. */
	bool (*keeps_workers_away)(const struct supervisor *s);
	/* Prepares for giving the session to a worker. False: not yet; worker_pool_look()
	 * follows. */
	bool (*before_attach)(struct supervisor *s);
	/* Sends the session to the worker: WORKER_ATTACH and the messages behind it. */
	int (*send_session)(struct supervisor *s, struct worker *w, struct error *err);

	/* ---- workers/worker-pool: events of a worker ---- */
	void (*on_attached)(struct supervisor *s, struct worker *w, const struct ipc_message *m);
	/* The worker is ready. False: it must not be used, and is being ended. */
	bool (*on_hello)(struct supervisor *s, const struct worker *w);
	/* Receives all other messages of a worker that has the session. */
	void (*on_message)(struct supervisor *s, struct worker *w, struct ipc_message *m);
	/* The spare hangs in its driver. True: that driver was only tried, and the try is given
	 * up. */
	bool (*on_hang)(struct supervisor *s);
	/* A worker has died. was_active: it had the session and died by itself. how: a text for a
	 * message. */
	void (*on_death)(struct supervisor *s, struct worker *w, bool was_active, const char *how);
	/* A worker that was dying is gone. */
	void (*on_buried)(struct supervisor *s);
	/* The active worker was ended. */
	void (*on_retired)(struct supervisor *s);
	/* No process has the session's memory mapped any more. */
	void (*on_empty)(struct supervisor *s);
	/* No worker can be had at the moment. */
	void (*on_no_worker)(struct supervisor *s);
	/* Tells the worker that its cell is committed. */
	void (*tell_committed)(struct supervisor *s, struct worker *w);

	/* ---- workers/question ---- */
	/* Says why the session cannot be had; "": no reason is known. */
	const char *(*why_evicted)(const struct supervisor *s);

	/* ---- device/closings ---- */
	/* All descriptors of device memory that was given back are closed. */
	void (*on_closed)(struct supervisor *s);

	/* ---- device/device-share ---- */
	/* on_share_begin: a cell begins. on_share_rest: the session rests. on_alone: the list of
	 * notebooks cannot be used any more. */
	void (*on_share_begin)(struct supervisor *s);
	void (*on_share_rest)(struct supervisor *s);
	void (*on_alone)(struct supervisor *s);
	/* Tells whether the session gives its device memory to notebooks that wait. */
	bool (*gives)(const struct supervisor *s);

	/* ---- device/parking ---- */
	bool (*snapshot_is_at_work)(const struct supervisor *s);
	void (*on_evicted)(struct supervisor *s);

	/* ---- device, disk, cell-run: the cell at work ---- */
	/* Waits until the undo log's entry for the last cell is complete. */
	void (*settle_in_place)(struct supervisor *s);
	/* Ends the cell that waits for the session with an error, because the session cannot be
	 * had. */
	void (*refuse)(struct supervisor *s, const char *ename, const char *evalue,
		       const char *more);
	/* The active worker holds the session and is idle. */
	void (*on_session)(struct supervisor *s);
	/* Lets a cell that waits begin, if nothing else is in its way. */
	void (*go_on)(struct supervisor *s);
	/* fail: ends the cell at work without success, see cell_run_fail(). keep: ends it with what
	 * it has done so far, see cell_run_keep(). set_aside: ends it so that this can be had
	 * again, see cell_run_set_aside(). */
	void (*fail)(struct supervisor *s);
	void (*set_aside)(struct supervisor *s, struct worker *w);
	int (*keep)(struct supervisor *s, struct worker *w);
	/* Commits the state of a worker that stands still, see cell_run_commit(). */
	int (*commit)(struct supervisor *s, struct worker *w, struct error *err);
};

#endif
