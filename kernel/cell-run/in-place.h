/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which ranges the next cell may write in place: those with a shadow copy
 * (kernel/state/shadow-copy.h). It also decides when shadow copies are brought up to date, put in
 * place for the worker, taken back and dropped. A shadow copy takes as much memory as its range, so
 * there are some only while the session is small compared to its limit, and one that no cell uses
 * is dropped.
 *
 * A thread does the copying; meanwhile no cell begins and no worker is given the session.
 */
#ifndef CGPU_KERNEL_CELL_RUN_IN_PLACE_H
#define CGPU_KERNEL_CELL_RUN_IN_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/base/background-task.h"
#include "kernel/state/shadow-copy.h"

struct buffer;
struct error;
struct loop_source;
struct preimage;
struct record;
struct supervisor;
struct worker;

struct in_place {
	struct background_task task;
	enum shadow_work which; /* the thread's work */
	struct preimage *saved; /* pre-images that the thread has found, for undo */
	bool saved_lost;
	struct loop_source *timer; /* puts ranges in place, or tries again to copy */
};

void in_place_release(struct supervisor *s);

/* Sets how many bytes of shadow copies the next commit may make. */
void in_place_set_room(struct supervisor *s, uint64_t commit_bytes, uint64_t fresh_bytes);
/* Appends to WORKER_COMMITTED the ranges that the commit has left in the live memfd. */
void in_place_encode_fresh(const struct supervisor *s, struct buffer *out);
/* Called when a cell was committed; its worker, if it lives, has been told. */
void in_place_after_commit(struct supervisor *s);
/* Called before WORKER_RUN. */
void in_place_before_cell(struct supervisor *s, struct worker *w);
/* Called before WORKER_ATTACH, when no worker has the session. False: there is something to copy
 * first; the pool is told when it is done. */
bool in_place_before_attach(struct supervisor *s);

/* Begins to bring shadow copies up to date before WORKER_RUN. False: that is in progress;
 * cell_run_go_on() is called at its end. */
bool in_place_before_run(struct supervisor *s);
/* Waits for the copying, after which the undo log's entry is complete. */
void in_place_settle(struct supervisor *s);
/* The worker has these ranges mapped private, or will before it writes. */
int in_place_on_refused(struct supervisor *s, struct record *r, struct error *err);

/* Drops all shadow copies, between cells and when no worker has the session: the memfd is about to
 * become another state. */
void in_place_forget(struct supervisor *s);
/* Frees the shadow copies that can be dropped at the moment, since memory is short. Returns the
 * bytes that came free. */
uint64_t in_place_give_up(struct supervisor *s);

#endif
