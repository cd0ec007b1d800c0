/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Saves and loads the supervisor's session as snapshots on disk. At most one is saved or loaded at
 * a time, others wait. A request of the user goes before the automatic one, which is written after
 * some time without a commit.
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

#include "common/base/buffer.h"
#include "kernel/disk/autosave.h"
#include "kernel/disk/snapshot-job.h"

struct ipc_message;
struct loop_source;
struct supervisor;
struct worker;

typedef int snapshots_describe(void *data, struct buffer *out, uint32_t *ret_count);

/* The result of a save or a load. The texts are borrowed for the duration of the call. */
struct snapshots_end {
	const char *error;            /* "" on success */
	uint64_t bytes;               /* size of the content */
	uint64_t written;             /* saved: bytes that were not on disk before */
	const struct buffer *session; /* restored: what describe() had appended */
	uint32_t count;
	int64_t time;       /* time of the save, seconds since 1970 */
	const char *report; /* lines: what could not be restored */
};
typedef void snapshots_done(void *data, const struct snapshots_end *end);

enum load_phase { LOAD_NONE, LOAD_ATTACHING, LOAD_FILLING };

struct snapshots {
	char *folder; /* NULL: there are no snapshots */
	uint64_t owner;
	snapshots_describe *describe;
	void *describe_data;

	struct snapshot_job *job;
	struct snapshot_job *next; /* starts when `job` is done */
	struct loop_source *wake, *failing;
	snapshots_done *done;
	void *done_data;
	/* Epoch of the worker that has to answer a WORKER_DEVICE_READ for a job; 0: none. */
	uint32_t reading_epoch;
	struct buffer libraries;  /* of the workers, for when they cannot be asked */
	uint32_t libraries_epoch; /* of the worker that told them; 0: none has */
	struct autosave automatic;

	enum load_phase load;
	uint64_t layout;             /* session_layout() of the workers */
	struct snapshot_job *loaded; /* until the session has taken it over */
	size_t filled;
	struct buffer report;
};

/*
 * Enables snapshots on disk, in a folder of this notebook. describe() appends the session layer's
 * data and returns the execution count; it is called between cells. auto_max is the size of the
 * largest state that is saved automatically; 0: none is.
 */
void snapshots_keep(struct supervisor *s, const char *folder, uint64_t auto_max,
		    snapshots_describe *describe, void *data);
/* Disables them: describe() is not called any more. The committed state is saved before, if that
 * does not take long. */
void snapshots_end_all(struct supervisor *s);
/* Saves the session, between cells. When 0 is returned, `done` is called from the loop, and no cell
 * may run before that. */
int snapshots_save(struct supervisor *s, const char *name, snapshots_done *done, void *data,
		   struct error *err);
/* Replaces the session by that of the snapshot; session_undo() to the state before brings the old
 * one back. */
int snapshots_restore(struct supervisor *s, const char *name, snapshots_done *done, void *data,
		      struct error *err);
/* Examines a snapshot and the session, which stands still meanwhile. fn runs on a thread; all is
 * borrowed until `done`. */
struct snapshots_examiner {
	const char *name;
	int (*fn)(struct snapshot_job *j, int dir, void *data, struct error *err);
	void *data;
	const struct snapshot_piece *pieces; /* device memory that fn can ask for */
	size_t n_pieces;
};
int snapshots_examine(struct supervisor *s, const struct snapshots_examiner *e,
		      snapshots_done *done, void *data, struct error *err);
/* Cancels the work in progress, as long as it has not changed the session. */
void snapshots_cancel(struct supervisor *s);
/* Says why the last automatic snapshot failed; "": it did not, or there was none yet. */
const char *snapshots_problem(const struct supervisor *s);
/* Returns the folder, NULL: there is none; *ret_owner is this process's number in its files. */
const char *snapshots_folder(const struct supervisor *s, uint64_t *ret_owner);

void snapshots_release(struct supervisor *s);
/* Tells whether the session is being exchanged: no cell may start, and nobody may use the
 * worker. */
bool snapshots_is_loading(const struct supervisor *s);

/* Events of the worker pool. */
void snapshots_on_attached(struct supervisor *s);
void snapshots_on_message(struct supervisor *s, struct ipc_message *m);
void snapshots_on_worker_lost(struct supervisor *s, const char *why);
/* Device memory that the worker was asked for is in the file of parked memory instead. */
void snapshots_on_parked(struct supervisor *s);
/* The session is there again, or cannot be: a job's pending question goes to the next worker. */
void snapshots_on_session(struct supervisor *s);

/* For kernel/disk/autosave.c: creates a job with an open view, which must be started or ended. */
struct snapshot_job *snapshots_automatic_job(struct supervisor *s, struct error *err);
/* Starts the job. On error it is still the caller's. */
int snapshots_start_job(struct supervisor *s, struct snapshot_job *j, struct error *err);
/* Frees the job and closes its view. NULL is accepted. */
void snapshots_end_job(struct supervisor *s, struct snapshot_job *j);
void snapshots_on_wake(void *data);
/* Asks for a piece of device memory; the answer goes to the job at work, or to the one that
 * gathers. */
int snapshots_ask_device(struct supervisor *s, const struct snapshot_piece *p);
/* Asks the worker for its libraries, once for each worker, since no question is answered while a
 * cell runs. */
void snapshots_ask_libraries(struct supervisor *s);
bool snapshots_know_libraries(const struct supervisor *s);

#endif
