/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the committed session is written to disk by itself, as SNAPSHOT_CURRENT:
 *
 *  - after a second without a commit;
 *  - while cells follow each other, at the start of the first cell two seconds after the first
 * commit that is not saved;
 *  - when the kernel is ended.
 *
 * All of them take at most a tenth of a processor. Host memory is read through a view while the
 * cells go on. Device memory has none: a cell waits until a copy of it is made, when that is small;
 * otherwise only a pause will do.
 */
#ifndef CGPU_KERNEL_DISK_AUTOSAVE_H
#define CGPU_KERNEL_DISK_AUTOSAVE_H

#include <stdbool.h>
#include <stdint.h>

struct loop_source;
struct snapshot_job;
struct supervisor;

struct autosave {
	uint64_t max; /* bytes of the largest state that is saved; 0: none */
	struct loop_source *timer;
	uint64_t committed_ms;  /* when the last commit was */
	uint64_t unsaved_ms;    /* the first that no save has begun with; 0: none */
	uint64_t saved_changes; /* snapshot.changes of the last one */
	uint64_t began_ms, pause_until_ms;
	char *problem; /* why the last one was not written; NULL: it was, or there was none */
	struct snapshot_job *gathering; /* device memory is being copied for it */
	struct loop_source *waiting;    /* for the worker that copies */
};

void autosave_release(struct supervisor *s);
/* A cell has ended, there may be a new committed state. */
void autosave_note_commit(struct supervisor *s);
/* It may be time for one. */
void autosave_note_rest(struct supervisor *s);
/* A cell begins. */
void autosave_note_run(struct supervisor *s);
/* No cell may touch the device yet; cell_run_on_session() follows. */
bool autosave_holds(const struct supervisor *s);
/* The job is at its end, and is freed by the caller. */
void autosave_done(struct supervisor *s, const struct snapshot_job *j);
/* Saves what is committed, waits at most ms milliseconds. */
void autosave_flush(struct supervisor *s, int ms);

/* A copy of the piece that was asked for; -1: it cannot be had. */
void autosave_take_piece(struct supervisor *s, int fd);
/* Something else needs worker or folder: gives up the one that gathers. */
void autosave_give_way(struct supervisor *s);

#endif
