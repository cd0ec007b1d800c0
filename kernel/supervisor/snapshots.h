/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots on disk of the supervisor's session: at most one is saved or loaded at a time, others wait. What the user has
 * asked for goes before the automatic one, which is written when there was no commit for some time.
 *
 *	           snapshots_load()        job done          WORKER_ATTACHED      WORKER_DEVICE_FILLED
 *	LOAD_NONE ------------------> JOB -----------> ATTACHING -----------> FILLING ---------> commit, LOAD_NONE
 *	                               | error            | the worker fails     |
 *	                               +-> as it was      +----------------------+-> back to the old session
 */
#ifndef CGPU_KERNEL_SUPERVISOR_SNAPSHOTS_H
#define CGPU_KERNEL_SUPERVISOR_SNAPSHOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"
#include "kernel/supervisor/snapshot-job.h"
#include "kernel/supervisor/supervisor.h"

struct ipc_message;
struct loop_source;
struct worker;

enum load_phase { LOAD_NONE, LOAD_ATTACHING, LOAD_FILLING };

struct snapshots {
	char *folder;               /* NULL: there are none */
	uint64_t owner;
	uint64_t auto_max;          /* bytes of the largest state that is saved by itself; 0: none */
	supervisor_describe_session *describe;
	void *describe_data;

	struct snapshot_job *job;
	struct snapshot_job *next;  /* starts when `job` is done */
	struct loop_source *wake, *timer, *failing;
	supervisor_snapshot_done *done;
	void *done_data;
	bool reading;               /* WORKER_DEVICE_READ is out for the job */
	struct snapshot_piece asked; /* size 0: nobody waits for WORKER_DEVICE_BYTES */
	int answered;               /* fd for it; -1 */
	struct buffer libraries;    /* of our workers, for when they cannot be asked */
	uint32_t libraries_epoch;   /* of the worker that said it; 0: nobody */
	uint64_t committed_ms;      /* when the last commit was */
	uint64_t saved_changes;     /* snapshot.changes of the last automatic one */
	uint64_t job_began_ms, job_ms;

	enum load_phase load;
	uint64_t layout;            /* session_layout() of our workers */
	struct snapshot_job *loaded; /* until the session has taken it over */
	size_t filled;
	struct buffer report;
};

void snapshots_release(struct supervisor *s);
/* Waits until what is committed has been saved automatically, at most ms milliseconds; at the end of the kernel. */
void snapshots_flush(struct supervisor *s, int ms);
/* A cell has ended, there may be a new committed state. */
void snapshots_note_commit(struct supervisor *s);
/* It may be time for an automatic snapshot. */
void snapshots_note_rest(struct supervisor *s);
/* A cell begins: device memory is its own. */
void snapshots_note_run(struct supervisor *s);
/* The session is being exchanged: no cell may start, and nobody may be given the worker. */
bool snapshots_is_loading(const struct supervisor *s);

/* From the worker pool. */
void snapshots_on_attached(struct supervisor *s);
void snapshots_on_message(struct supervisor *s, struct ipc_message *m);
void snapshots_on_worker_lost(struct supervisor *s, const char *why);

#endif
