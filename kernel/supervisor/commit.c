/* SPDX-License-Identifier: Apache-2.0 */
/* See journal.c for the states that this walks through, common/arena-layout.h for what makes up the committed state. */
#define _GNU_SOURCE
#include "kernel/supervisor/commit.h"

#include <signal.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "common/arena-layout.h"
#include "common/clock.h"
#include "common/error.h"
#include "common/log.h"
#include "kernel/supervisor/patience.h"
#include "kernel/supervisor/snapshot.h"

#define DEATH_MS 5000 /* as kernel/supervisor/patience.h counts */

static const char *const step_names[] = {
#define STEP(symbol, name) [COMMIT_##symbol] = name,
#include "kernel/supervisor/commit-steps.def"
#undef STEP
};

const char *commit_step_name(enum commit_step step)
{
	return (unsigned)step < COMMIT_STEPS ? step_names[step] : "";
}

/* The cell could write to every page that this reads, so nothing in it is believed. */
static int read_header(pid_t pid, const struct snapshot *s, struct arena_header *h, struct error *err)
{
	struct iovec local = { h, sizeof(*h) };
	struct iovec remote = { (void *)(uintptr_t)ARENA_BASE, sizeof(*h) };

	if (process_vm_readv(pid, &local, 1, &remote, 1, 0) != (ssize_t)sizeof(*h))
		return error_errno(err, "cannot read the arena of worker %d", (int)pid);
	if (h->magic != ARENA_MAGIC || h->version != ARENA_VERSION)
		return error_set(err, ERROR_STATE, "the cell has overwritten the header of the session's memory");
	for (int r = 0; r < ARENA_REGIONS; r++) {
		if (h->top[r] % ARENA_PAGE || h->top[r] > arena_region_size(r) || h->top[r] < s->top[r])
			return error_set(err, ERROR_STATE,
					 "the cell has overwritten the header of the session's memory "
					 "(region %d ends at %#llx)", r, (unsigned long long)h->top[r]);
	}
	return 0;
}

static int scan(const struct commit_source *from, const struct arena_header *h, struct dirty_ranges *ret,
		struct error *err)
{
	dirty_ranges_clear(ret);
	for (int r = 0; r < ARENA_REGIONS; r++) {
		uint64_t start = ARENA_BASE + arena_region_offset(r);

		if (h->top[r] && from->method->scan(from->pagemap, start, start + h->top[r], ret, err))
			return -1;
	}
	return 0;
}

/*
 * Writing fails when memory is out. The journal has all that matters of the worker, and the worker's private pages are as
 * large as what is to be written: its end makes the room.
 */
static int apply(struct snapshot *s, struct journal *j, pid_t pid, const struct commit_hook *hook, struct error *err)
{
	const struct timespec pause = { 0, 1000000 };
	struct error first = ERROR_INIT;
	struct patience p;

	if (!journal_apply(j, s->memfd, ARENA_BASE, s->undo.bytes_max, hook, &first))
		return 0;
	log_warning("worker %d is ended to make room for its commit: %s", (int)pid, first.text);
	kill(pid, SIGKILL);
	patience_begin(&p, pid, PATIENCE_DEATH);
	while (patience_used_ms(&p) < DEATH_MS) {
		siginfo_t info = { 0 };

		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid)
			break;
		nanosleep(&pause, NULL);
	}
	return journal_apply(j, s->memfd, ARENA_BASE, s->undo.bytes_max, hook, err);
}

int commit_begin(struct commit *c, struct snapshot *s, struct journal *j, const struct commit_source *from,
		 const struct commit_hook *hook, struct error *err)
{
	*c = (struct commit){ .snapshot = s, .journal = j, .pid = from->pid, .hook = hook, .began_ns = clock_now_ns() };
	commit_hook_call(hook, COMMIT_BEGIN);
	if (read_header(from->pid, s, &c->header, err))
		return -1;
	commit_hook_call(hook, COMMIT_HEADER);
	if (scan(from, &c->header, &j->ranges, err)) {
		journal_reset(j);
		return -1;
	}
	commit_hook_call(hook, COMMIT_SCANNED);
	c->bytes = j->ranges.bytes;
	return 0;
}

int commit_copy(struct commit *c, struct error *err)
{
	if (journal_stage(c->journal, c->pid, err))
		return -1;
	commit_hook_call(c->hook, COMMIT_STAGED);
	snapshot_view_keep(&c->snapshot->view, c->snapshot->memfd, ARENA_BASE, &c->journal->ranges);
	return apply(c->snapshot, c->journal, c->pid, c->hook, err);
}

void commit_end(struct commit *c, bool copied, struct commit_report *ret)
{
	if (copied) {
		snapshot_advance(c->snapshot, &c->header, journal_steal_preimage(c->journal));
		commit_hook_call(c->hook, COMMIT_APPLIED);
		ret->bytes = c->bytes;
	}
	journal_reset(c->journal);
	ret->ns = clock_now_ns() - c->began_ns;
}

int commit_cell(struct snapshot *s, struct journal *j, const struct commit_source *from,
		const struct commit_hook *hook, struct commit_report *ret, struct error *err)
{
	struct commit c;
	int failed;

	if (commit_begin(&c, s, j, from, hook, err))
		return -1;
	failed = commit_copy(&c, err);
	commit_end(&c, !failed, ret);
	return failed;
}
