/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots on disk of the supervisor's session: at most one is saved or loaded at a time, others
 * wait. What the user has asked for goes before the automatic one, which is written when there was
 * no commit for some time.
 *
 *	       snapshots_load()     job done       WORKER_ATTACHED    WORKER_DEVICE_FILLED
 *	LOAD_NONE -----------> JOB ---------> ATTACHING ------> FILLING --------> commit, LOAD_NONE
 *	                        | error          | the worker fails |
 *	                        +-> as it was    +------------------+-> back to the old session
 */
#ifndef CGPU_KERNEL_DISK_SNAPSHOTS_H
#define CGPU_KERNEL_DISK_SNAPSHOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"
#include "kernel/disk/autosave.h"
#include "kernel/disk/snapshot-job.h"
#include "kernel/supervisor/supervisor.h"

struct ipc_message;
struct loop_source;
struct worker;

enum load_phase { LOAD_NONE, LOAD_ATTACHING, LOAD_FILLING };

struct snapshots {
	char *folder; /* NULL: there are none */
	uint64_t owner;
	supervisor_describe_session *describe;
	void *describe_data;

	struct snapshot_job *job;
	struct snapshot_job *next; /* starts when `job` is done */
	struct loop_source *wake, *failing;
	supervisor_snapshot_done *done;
	void *done_data;
	uint32_t reading_epoch;   /* of the worker that WORKER_DEVICE_READ is out to, for a job; 0:
				     none is */
	struct buffer libraries;  /* of our workers, for when they cannot be asked */
	uint32_t libraries_epoch; /* of the worker that said it; 0: nobody */
	struct autosave automatic;

	enum load_phase load;
	uint64_t layout;             /* session_layout() of our workers */
	struct snapshot_job *loaded; /* until the session has taken it over */
	size_t filled;
	struct buffer report;
};

void snapshots_release(struct supervisor *s);
/* Waits until what is committed has been saved automatically, at most ms milliseconds; at the end
 * of the kernel. */
void snapshots_flush(struct supervisor *s, int ms);
/* The session is being exchanged: no cell may start, and nobody may be given the worker. */
bool snapshots_is_loading(const struct supervisor *s);

/* From the worker pool. */
void snapshots_on_attached(struct supervisor *s);
void snapshots_on_message(struct supervisor *s, struct ipc_message *m);
void snapshots_on_worker_lost(struct supervisor *s, const char *why);
/* What was asked of the worker is in a file instead. */
void snapshots_on_parked(struct supervisor *s);
/* The session is there again, or cannot be: what a job waits for is asked of the next worker. */
void snapshots_on_session(struct supervisor *s);

/* For kernel/disk/autosave.c. A job whose view is open; it is started, or ended. */
struct snapshot_job *snapshots_automatic_job(struct supervisor *s, struct error *err);
/* On error the job is still the caller's. */
int snapshots_start_job(struct supervisor *s, struct snapshot_job *j, struct error *err);
/* Frees it, and closes its view. NULL is accepted. */
void snapshots_end_job(struct supervisor *s, struct snapshot_job *j);
void snapshots_on_wake(void *data);
/* The answer goes to the job at work, or to the one that gathers. */
int snapshots_ask_device(struct supervisor *s, const struct snapshot_piece *p);
/* Once for each worker, since no question is answered while a cell runs. */
void snapshots_ask_libraries(struct supervisor *s);
bool snapshots_know_libraries(const struct supervisor *s);

#endif
