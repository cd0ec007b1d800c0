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

#include "common/base/buffer.h"
#include "kernel/disk/autosave.h"
#include "kernel/disk/snapshot-job.h"

struct ipc_message;
struct loop_source;
struct supervisor;
struct worker;

typedef int snapshots_describe(void *data, struct buffer *out, uint32_t *ret_count);

/* Texts are borrowed for the duration of the call. */
struct snapshots_end {
	const char *error;            /* "" when it was done */
	uint64_t bytes;               /* of content */
	uint64_t written;             /* saved: bytes that were not on disk yet */
	const struct buffer *session; /* restored: what describe() had appended */
	uint32_t count;
	int64_t time;       /* when it was saved, since 1970 */
	const char *report; /* lines: what could not be restored */
};
typedef void snapshots_done(void *data, const struct snapshots_end *end);

enum load_phase { LOAD_NONE, LOAD_ATTACHING, LOAD_FILLING };

struct snapshots {
	char *folder; /* NULL: there are none */
	uint64_t owner;
	snapshots_describe *describe;
	void *describe_data;

	struct snapshot_job *job;
	struct snapshot_job *next; /* starts when `job` is done */
	struct loop_source *wake, *failing;
	snapshots_done *done;
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

/*
 * Snapshots on disk, in a folder of this notebook. describe() appends what the session layer needs
 * again, and says what the execution count is; it is called between cells. auto_max: largest state
 * that is saved by itself; 0: none is.
 */
void snapshots_keep(struct supervisor *s, const char *folder, uint64_t auto_max,
		    snapshots_describe *describe, void *data);
/* describe() is not called any more. What is committed is saved before, if that does not take long.
 */
void snapshots_end_all(struct supervisor *s);
/* Between cells; no cell may be run before `done`, which is called from the loop when 0 was
 * returned. */
int snapshots_save(struct supervisor *s, const char *name, snapshots_done *done, void *data,
		   struct error *err);
/* The session becomes that of the snapshot; session_undo() to the state before brings it back.
 */
int snapshots_restore(struct supervisor *s, const char *name, snapshots_done *done, void *data,
		      struct error *err);
/* Looks at a snapshot, and at the session that stands still meanwhile. fn runs on a thread; all is
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
/* Gives up what is under way, as long as the session is not touched. */
void snapshots_cancel(struct supervisor *s);
/* Why the last automatic snapshot could not be written; "": it was, or there was none yet. */
const char *snapshots_problem(const struct supervisor *s);
/* NULL: there is none; who this process is in its files. */
const char *snapshots_folder(const struct supervisor *s, uint64_t *ret_owner);

void snapshots_release(struct supervisor *s);
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
