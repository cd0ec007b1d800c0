/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Autosave: writes the committed session to disk as SNAPSHOT_CURRENT:
 *
 *  - after a second without a commit;
 *  - while cells follow each other, at the start of the first cell two seconds after the first
 *    commit that is not saved;
 *  - when the kernel is ended.
 *
 * All saves together take at most a tenth of a processor. Host memory is read through a view while
 * the cells go on. Device memory has no view: if it is small, the next cell waits until it is
 * copied; otherwise it is saved in a pause only.
 */
#ifndef CGPU_KERNEL_DISK_AUTOSAVE_H
#define CGPU_KERNEL_DISK_AUTOSAVE_H

#include <stdbool.h>
#include <stdint.h>

struct loop_source;
struct snapshot_job;
struct supervisor;

struct autosave {
	uint64_t max; /* the largest state that is saved, in bytes; 0: none is */
	struct loop_source *timer;
	uint64_t committed_ms;  /* when the last commit was */
	uint64_t unsaved_ms;    /* the first commit that no save has begun with; 0: none */
	uint64_t saved_changes; /* snapshot.changes of the last save */
	uint64_t began_ms, pause_until_ms;
	char *problem; /* why the last save failed; NULL: it did not, or there was none */
	struct snapshot_job *gathering; /* a job whose device memory is being copied */
	struct loop_source *waiting;    /* for the worker that copies */
};

void autosave_release(struct supervisor *s);
/* Notes that a cell has ended and may have made a new committed state. */
void autosave_note_commit(struct supervisor *s);
/* Notes a rest, in which a save may be due. */
void autosave_note_rest(struct supervisor *s);
/* Notes that a cell begins. */
void autosave_note_run(struct supervisor *s);
/* Tells whether no cell may touch the device yet; cell_run_on_session() follows. */
bool autosave_holds(const struct supervisor *s);
/* Notes that the job has ended; the caller frees it. */
void autosave_done(struct supervisor *s, const struct snapshot_job *j);
/* Saves the committed state and waits at most ms milliseconds for it. */
void autosave_flush(struct supervisor *s, int ms);

/* Takes a copy of the piece that was asked for; -1: it cannot be had. */
void autosave_take_piece(struct supervisor *s, int fd);
/* Gives up the save whose device memory is being copied, because something else needs the worker or
 * the folder. */
void autosave_give_way(struct supervisor *s);

#endif
