/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a part of the supervisor tells parts of higher rooms, and asks them. The only table is that
 * of kernel/supervisor/attach.c; each row says who calls it.
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
	/* ---- workers/worker-pool: which worker is made, and gets the session ---- */
	/* The device that the next worker is to have. */
	void (*choose_device)(const struct supervisor *s, struct worker_device *ret);
	/* Is the spare still one that may get the session? */
	bool (*fits)(const struct supervisor *s, const struct worker *w);
	/* Is the session to be without workers at the moment? */
	bool (*keeps_workers_away)(const struct supervisor *s);
	/* Before the session is given to a worker. False: not yet; worker_pool_look() comes later.
	 */
	bool (*before_attach)(struct supervisor *s);
	/* Send the session to the worker: WORKER_ATTACH and what comes behind it. */
	int (*send_session)(struct supervisor *s, struct worker *w, struct error *err);

	/* ---- workers/worker-pool: what has happened to a worker ---- */
	void (*on_attached)(struct supervisor *s, struct worker *w, const struct ipc_message *m);
	/* It is ready. False: it is none that is to be used, and on its way out. */
	bool (*on_hello)(struct supervisor *s, struct worker *w);
	/* All other messages of a worker that has the session. */
	void (*on_message)(struct supervisor *s, struct worker *w, struct ipc_message *m);
	/* The spare hangs in its driver. True: it was only tried, and is given up. */
	bool (*on_hang)(struct supervisor *s);
	/* was_active: it had the session, and we had not ended it. how: for a message. */
	void (*on_death)(struct supervisor *s, struct worker *w, bool was_active, const char *how);
	/* One that was dying is gone. */
	void (*on_buried)(struct supervisor *s);
	/* The active worker has been sent away. */
	void (*on_retired)(struct supervisor *s);
	/* No process has the memory of the session mapped any more. */
	void (*on_empty)(struct supervisor *s);
	/* Workers cannot be had at the moment. */
	void (*on_no_worker)(struct supervisor *s);
	/* Tell the worker that what it has done is committed. */
	void (*tell_committed)(struct supervisor *s, struct worker *w);

	/* ---- workers/question ---- */
	/* Why the session cannot be had; "": nothing is known against it. */
	const char *(*why_evicted)(const struct supervisor *s);

	/* ---- device/closings ---- */
	/* Device memory that was given back is closed. */
	void (*on_closed)(struct supervisor *s);

	/* ---- device/device-share ---- */
	/* A cell begins; the session rests; nobody shares the device any more. */
	void (*on_share_begin)(struct supervisor *s);
	void (*on_share_rest)(struct supervisor *s);
	void (*on_alone)(struct supervisor *s);
	/* Does the session give what it holds to others who wait? */
	bool (*gives)(const struct supervisor *s);

	/* ---- device/parking ---- */
	bool (*snapshot_is_at_work)(const struct supervisor *s);
	void (*on_evicted)(struct supervisor *s);

	/* ---- device, disk, cell-run: the cell at work ---- */
	/* Wait until what undo keeps of the last cell is known. */
	void (*settle_in_place)(struct supervisor *s);
	/* The session cannot be had: the cell that waits for it ends so. */
	void (*refuse)(struct supervisor *s, const char *ename, const char *evalue,
		       const char *more);
	/* The active worker holds the session, and is idle. */
	void (*on_session)(struct supervisor *s);
	/* A cell that waits may begin, if nothing else is in its way. */
	void (*go_on)(struct supervisor *s);
	/* The cell at work ends without success, see cell_run_fail(); with success so far, see
	 * cell_run_keep(). */
	void (*fail)(struct supervisor *s);
	int (*keep)(struct supervisor *s, struct worker *w);
	/* Commit what a worker holds that stands still, see cell_run_commit(). */
	int (*commit)(struct supervisor *s, struct worker *w, struct error *err);
};

#endif
