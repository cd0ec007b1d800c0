/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which ranges the next cell may write where they lie: those that have a shadow copy
 * (kernel/state/shadow-copy.h). Decides when shadow copies are brought up to date, lent to the
 * worker, taken back and dropped. A shadow copy costs as much memory as its range, so there are
 * some only while the session is small against its limit, and one that no cell makes use of goes.
 *
 * Copying is done by a thread; meanwhile no cell begins and no worker is given the session.
 */
#ifndef CGPU_KERNEL_CELL_RUN_IN_PLACE_H
#define CGPU_KERNEL_CELL_RUN_IN_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/base/background-task.h"

struct error;
struct loop_source;
struct preimage;
struct record;
struct supervisor;
struct worker;

struct in_place {
	struct background_task task;
	bool restoring; /* what the thread does; otherwise it brings shadow copies up to date */
	struct preimage *saved; /* what it has found for undo */
	bool saved_lost;
	struct loop_source *timer; /* lends what is not lent, or tries again to restore */
};

void in_place_release(struct supervisor *s);

/* A commit is about to make shadow copies: how much of them there may be. */
void in_place_set_room(struct supervisor *s, uint64_t commit_bytes);
/* A cell has ended and is committed; its worker, if it lives, knows. */
void in_place_after_commit(struct supervisor *s);
/* Before WORKER_RUN. */
void in_place_before_cell(struct supervisor *s, struct worker *w);
/* Before WORKER_ATTACH, when no worker has the session. False: there is something to copy first;
 * the pool is told then. */
bool in_place_before_attach(struct supervisor *s);

/* Before WORKER_RUN: begins to bring shadow copies up to date. False: they are not yet;
 * cell_run_go_on() is called when they are. */
bool in_place_before_run(struct supervisor *s);
/* Wait for that: what undo keeps is complete then. */
void in_place_settle(struct supervisor *s);
/* The worker has these ranges private, or will before it writes. */
int in_place_on_not_lent(struct supervisor *s, struct record *r, struct error *err);

/* Between cells, when no worker has the session: the memfd is about to become another state. */
void in_place_forget(struct supervisor *s);
/* Memory is short: give up what can be given up at the moment. Bytes that came free. */
uint64_t in_place_give_up(struct supervisor *s);

#endif
