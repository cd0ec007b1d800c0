/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Saving, loading or examining one snapshot on a thread of its own, so that the kernel goes on
 * answering. The thread reads the committed arena through a view
 * (kernel/state/snapshot-view.h), so that cells go on. A save whose view breaks is given up
 * (ERROR_STATE), since it would hold a mixture; the blocks that it has written are found again by
 * the next one. Device memory is handed in by the event loop: all of it before the start, or piece
 * by piece.
 *
 *	start -> RUNS <-> WANTS_DEVICE -> DONE
 *
 * `wake` is readable when the state has changed.
 */
#ifndef CGPU_KERNEL_DISK_SNAPSHOT_JOB_H
#define CGPU_KERNEL_DISK_SNAPSHOT_JOB_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "kernel/disk/snapshot-file.h"
#include "kernel/state/arena-file.h"

struct read_only_mount;
struct snapshot_view;

#define SNAPSHOT_PIECE (16ull * 1024 * 1024)

enum snapshot_job_kind { JOB_SAVE, JOB_LOAD, JOB_EXAMINE };
enum snapshot_job_state { JOB_RUNS, JOB_WANTS_DEVICE, JOB_DONE };

struct snapshot_piece {
	uint64_t address;
	uint64_t size;
	uint64_t offset; /* loading: in device_fd */
};

struct snapshot_job;
/* Examines a snapshot on the thread, with the folder locked for reading. */
typedef int snapshot_examine(struct snapshot_job *j, int dir, void *data, struct error *err);

struct snapshot_job {
	enum snapshot_job_kind kind;
	char *folder, *name;
	bool automatic;
	bool gentle;           /* runs with low priority */
	struct save_hook hook; /* tests only */

	/* Saving: all but the blocks. Loading: the owner, then the result. Examining: owner, tops
	 * and units of the session. */
	struct snapshot_file file;
	snapshot_examine *examine;
	void *examine_data;
	/* A duplicate of the session's, without its reader; loading: the result. */
	struct arena_file arena;
	const struct read_only_mount *mount; /* loading: for the result, borrowed */
	struct snapshot_view *view;          /* saving: open, of this arena */
	bool viewing;                        /* it was opened for this job */
	struct snapshot_piece *pieces;       /* device memory */
	size_t n_pieces;
	int *gathered; /* saving: memfds with the pieces, owned; NULL: they are asked for */
	size_t n_gathered;
	int device_fd;           /* loading: the content of the pieces */
	uint64_t bytes, written; /* saving: the content, and the bytes that were added on disk */
	uint64_t cpu_ms;         /* when DONE: processor time of the thread */
	struct error error;      /* when DONE; code 0 with "": none */
	bool failed;

	int wake;
	pthread_t thread;
	bool started;
	pthread_mutex_t lock;
	pthread_cond_t given;
	enum snapshot_job_state state;
	struct snapshot_piece wanted;
	int given_fd;
	bool has_given;
	_Atomic bool cancelled;
};

/* Creates a job; folder and name are copied. Set the other members, then start. The opener of the
 * view closes it after the job is freed. */
struct snapshot_job *snapshot_job_new(enum snapshot_job_kind kind, const char *folder,
				      const char *name, struct error *err);
int snapshot_job_start(struct snapshot_job *j, struct error *err);
enum snapshot_job_state snapshot_job_state(struct snapshot_job *j,
					   struct snapshot_piece *ret_wanted);
/* Hands over the bytes of the wanted piece; fd is taken over. -1: they cannot be had, and the job
 * fails. */
void snapshot_job_give(struct snapshot_job *j, int fd);
void snapshot_job_cancel(struct snapshot_job *j);
/* Cancels the job if it is not done, and waits for the thread. */
void snapshot_job_end(struct snapshot_job *j);
/* Ends the job and frees it; NULL is accepted. */
void snapshot_job_free(struct snapshot_job *j);

/* Called on the thread: returns a memfd with the bytes of a piece, which the caller closes. */
int snapshot_job_piece(struct snapshot_job *j, size_t i, struct error *err);
/* Called on the thread: fails with ERROR_STATE when the job was cancelled. */
int snapshot_job_check(struct snapshot_job *j, struct error *err);

/* Opens the folder and returns its descriptor. With make, a missing folder is created, private to
 * the user. */
int snapshot_folder_open(const char *folder, bool make, struct error *err);

#endif
