/* SPDX-License-Identifier: Apache-2.0 */
/* See journal.c for the states that this walks through, common/memory/arena-layout.h for what makes
 * up the committed state. */
#define _GNU_SOURCE
#include "kernel/state/commit.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/memory/arena-layout.h"
#include "kernel/base/cpu-deadline.h"
#include "kernel/base/process.h"
#include "kernel/state/arena-file.h"
#include "kernel/state/dirty-pages.h"
#include "kernel/state/fresh-pages.h"
#include "kernel/state/journal.h"
#include "kernel/state/redo.h"
#include "kernel/state/shadow-copy.h"
#include "kernel/state/snapshot-view.h"
#include "kernel/state/snapshot.h"
#include "kernel/state/undo-log.h"

#define DEATH_MS 5000 /* as kernel/base/cpu-deadline.h counts */
#define LARGE_BYTES (4ull * 1024 * 1024)

static const char *const step_names[] = {
#define STEP(symbol, name) [COMMIT_##symbol] = name,
#include "kernel/state/commit-steps.def"
#undef STEP
};

const char *commit_step_name(enum commit_step step)
{
	return (unsigned)step < COMMIT_STEPS ? step_names[step] : "";
}

/* Reads the arena's header and validates all of it, since the cell could write to every page of
 * it. */
static int read_header(pid_t pid, const struct snapshot *s, struct arena_header *h,
		       struct error *err)
{
	if (!process_read(pid, ARENA_BASE, h, sizeof(*h)))
		return error_errno(err, "cannot read the arena of worker %d", (int)pid);
	if (h->magic != ARENA_MAGIC || h->version != ARENA_VERSION)
		return error_set(err, ERROR_STATE,
				 "the cell has overwritten the header of the session's memory");
	for (int r = 0; r < ARENA_REGIONS; r++) {
		if (h->top[r] % ARENA_PAGE || h->top[r] > arena_region_size(r) ||
		    h->top[r] < s->top[r])
			return error_set(err, ERROR_STATE,
					 "the cell has overwritten the header of the session's "
					 "memory (region %d ends at %#llx)",
					 r, (unsigned long long)h->top[r]);
	}
	return 0;
}

/* Scans a region for dirty pages, except in-place ranges that are still mapped shared. */
static int scan_region(const struct commit_source *from, const struct shadow_copies *shadows,
		       uint64_t start, uint64_t end, struct dirty_ranges *ret, struct error *err)
{
	for (uint64_t at = start, from_here = start; at < end;) {
		const struct shadow_copy *w = shadow_copies_shared_from(shadows, from_here);
		uint64_t to = w && w->address < end ? w->address : end;

		if (to < end && !dirty_pages_none(from->pid, w->address, w->address + w->size)) {
			from_here = w->address + 1;
			continue;
		}
		if (to > at && from->method->scan(from->pagemap, at, to, ret, err))
			return -1;
		at = from_here = to < end ? w->address + w->size : end;
	}
	return 0;
}

static int scan(const struct commit_source *from, const struct snapshot *s,
		const struct arena_header *h, struct dirty_ranges *ret, struct error *err)
{
	dirty_ranges_clear(ret);
	for (int r = 0; r < ARENA_REGIONS; r++) {
		uint64_t start = ARENA_BASE + arena_region_offset(r);

		if (scan_region(from, &s->shadow_copies, start, start + h->top[r], ret, err))
			return -1;
	}
	/* The scan of a process that has just lost its memory finds no pages and no error. */
	if (!process_has_memory(from->pid))
		return error_set(err, ERROR_PEER_GONE, "worker %d has ended", (int)from->pid);
	return 0;
}

/*
 * Writes the journal to the memfd, which fails when memory is out. The worker is then ended: the
 * journal has all that matters of it, and its private pages are as large as the pages to be
 * written.
 */
static int apply(struct commit *c, struct error *err)
{
	const struct snapshot *s = c->snapshot;
	const struct timespec pause = { 0, 1000000 };
	struct error first = ERROR_INIT;
	struct cpu_deadline p;

	if (!journal_apply(c->journal, s->arena.fd, ARENA_BASE, s->undo.bytes_max, c->hook, &first))
		return 0;
	log_warning("worker %d is ended to make room for its commit: %s", (int)c->pid, first.text);
	c->ended_worker = true;
	kill(c->pid, SIGKILL);
	cpu_deadline_begin(&p, c->pid, CPU_DEADLINE_DEATH);
	while (cpu_deadline_used_ms(&p) < DEATH_MS) {
		siginfo_t info = { 0 };

		if (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid)
			break;
		nanosleep(&pause, NULL);
	}
	return journal_apply(c->journal, s->arena.fd, ARENA_BASE, s->undo.bytes_max, c->hook, err);
}

static int add_ranges(struct dirty_ranges *to, const struct dirty_ranges *from, struct error *err)
{
	for (size_t i = 0; i < from->n; i++)
		if (dirty_ranges_add(to, from->at[i].address, from->at[i].size, err))
			return -1;
	if (from->n)
		dirty_ranges_join(to);
	return 0;
}

int commit_begin(struct commit *c, struct snapshot *s, struct journal *j,
		 const struct commit_source *from, const struct commit_hook *hook,
		 struct error *err)
{
	*c = (struct commit){ .snapshot = s,
			      .journal = j,
			      .pid = from->pid,
			      .given_back = from->given_back,
			      .hook = hook,
			      .began_ns = clock_now_ns() };
	commit_hook_call(hook, COMMIT_BEGIN);
	if (read_header(from->pid, s, &c->header, err))
		return -1;
	commit_hook_call(hook, COMMIT_HEADER);
	if (scan(from, s, &c->header, &j->ranges, err) ||
	    fresh_pages_find(s, c->header.top, &c->fresh, err) ||
	    add_ranges(&j->ranges, &c->fresh.over, err)) {
		fresh_pages_release(&c->fresh);
		journal_reset(j);
		return -1;
	}
	commit_hook_call(hook, COMMIT_SCANNED);
	c->bytes = j->ranges.bytes;
	return 0;
}

static bool may_have_shadow_copy(uint64_t address)
{
	uint64_t offset = address - ARENA_BASE;

	return offset - ARENA_DATA_OFFSET < ARENA_DATA_SIZE ||
	       offset - ARENA_HEAP_OFFSET < ARENA_HEAP_SIZE;
}

static bool may_stay(const struct commit *c, const struct dirty_range *r)
{
	return r->size >= SHADOW_COPY_MIN && may_have_shadow_copy(r->address) &&
	       shadow_copies_have_room(&c->snapshot->shadow_copies, c->stay.n + 1,
				       c->stay.bytes + r->size);
}

void commit_leave_fresh(struct commit *c)
{
	struct dirty_ranges *r = &c->fresh.moved;
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		struct dirty_range at = r->at[i];

		/* Without memory for the list it is moved. */
		if (may_stay(c, &at) && !dirty_ranges_add(&c->stay, at.address, at.size, NULL))
			r->bytes -= at.size;
		else
			r->at[n++] = at;
	}
	r->n = n;
}

/* Tells whether the worker has nothing in place from here on. */
static bool ends_in_place(const struct commit *c)
{
	return c->goes_on || c->forked;
}

/* Tells whether in-place ranges are committed in the arena memfd before the worker goes on. */
static bool refreshes(const struct commit *c)
{
	const struct shadow_copies *t = &c->snapshot->shadow_copies;

	for (unsigned i = 0; i < t->n; i++)
		if (t->at[i].shared && (ends_in_place(c) || t->at[i].unwanted))
			return true;
	return false;
}

bool commit_is_large(const struct commit *c)
{
	return c->bytes + c->fresh.moved.bytes >= LARGE_BYTES || refreshes(c);
}

static void put_live(void *data, uint64_t address, const char *bytes, size_t len)
{
	/* The page is there: the range was filled. */
	arena_file_write(*(const int *)data, address - ARENA_BASE, bytes, len, NULL);
}

/* Private pages of ranges that are committed in the live memfd are part of their content: a worker
 * has them that does not write the whole range in place. */
static void complete_shared(const struct commit *c)
{
	struct snapshot *s = c->snapshot;

	for (unsigned i = 0; i < s->shadow_copies.n; i++) {
		const struct shadow_copy *w = &s->shadow_copies.at[i];

		if (w->shared)
			journal_each(c->journal, w->address, w->size, put_live, &s->live);
	}
}

/*
 * Commits ranges in the arena memfd that the worker will map from there. All is committed in the
 * live memfd already: where that cannot be copied the worker, which would see old content, is
 * ended.
 */
static void refresh(struct commit *c)
{
	struct snapshot *s = c->snapshot;
	struct shadow_files files = snapshot_files(s);
	bool all = ends_in_place(c);
	enum shadow_work which = all ? SHADOW_STALE : SHADOW_UNWANTED;
	struct error err = ERROR_INIT;

	shadow_copies_committed(&s->shadow_copies);
	if (shadow_copies_refresh(&s->shadow_copies, &files, which, s->undo.bytes_max, &c->saved,
				  &c->saved_lost, &err)) {
		log_warning("worker %d is ended, since what it wrote in place cannot be copied: %s",
			    (int)c->pid, err.text);
		kill(c->pid, SIGKILL);
		return;
	}
	shadow_copies_unshare(&s->shadow_copies, !all);
}

/* Gives back heap, without what the worker writes in place. */
static void give_back(const struct commit *c)
{
	const struct snapshot *s = c->snapshot;
	const struct dirty_ranges *r = c->given_back;
	uint64_t end = ARENA_BASE + ARENA_HEAP_OFFSET + c->header.top[ARENA_HEAP];

	for (size_t i = 0; r && i < r->n; i++) {
		uint64_t address = r->at[i].address, size = r->at[i].size;

		if (address_in_heap(address) && address < end && size <= end - address &&
		    !shadow_copies_share(&s->shadow_copies, address, size))
			arena_file_punch(s->arena.fd, address - ARENA_BASE, size, NULL);
	}
}

static void after_apply(struct commit *c)
{
	complete_shared(c);
	shadow_copies_overwritten(&c->snapshot->shadow_copies, &c->journal->ranges);
	if (!c->forked)
		fresh_pages_committed(&c->fresh, c->snapshot);
	if (refreshes(c))
		refresh(c);
	else if (c->forked)
		shadow_copies_unshare(&c->snapshot->shadow_copies, false);
	give_back(c);
}

int commit_copy(struct commit *c, struct error *err)
{
	if (journal_stage(c->journal, c->pid, err))
		return -1;
	commit_hook_call(c->hook, COMMIT_STAGED);
	snapshot_view_keep(&c->snapshot->view, c->snapshot->arena.fd, ARENA_BASE,
			   &c->journal->ranges);
	if (fresh_pages_move(&c->fresh, c->snapshot, c->forked, err))
		return -1;
	if (apply(c, err)) {
		fresh_pages_forget(&c->fresh, c->snapshot);
		return -1;
	}
	after_apply(c);
	return 0;
}

/* Adds what a scan for private pages does not find, since the worker writes it where it lies: fresh
 * pages and in-place ranges. */
static int add_shared(struct commit *c, struct error *err)
{
	const struct snapshot *s = c->snapshot;
	struct dirty_ranges *r = &c->journal->ranges;

	if (add_ranges(r, &c->fresh.moved, err))
		return -1;
	for (unsigned i = 0; i < s->shadow_copies.n; i++) {
		const struct shadow_copy *w = &s->shadow_copies.at[i];

		if (w->shared && dirty_ranges_add(r, w->address, w->size, err))
			return -1;
	}
	dirty_ranges_join(r);
	return 0;
}

int commit_set_aside(struct commit *c, struct redo *ret, struct error *err)
{
	struct journal *j = c->journal;
	int failed = add_shared(c, err);

	dirty_ranges_release(&c->stay);
	fresh_pages_release(&c->fresh);
	*ret = (struct redo){ .heap_freed = c->header.heap_freed };
	if (!failed && j->ranges.bytes > c->snapshot->undo.bytes_max)
		failed = error_set(err, ERROR_LIMIT, "it is more than --undo keeps");
	if (!failed)
		failed = journal_stage(j, c->pid, err);
	if (failed) {
		journal_reset(j);
		return -1;
	}
	journal_take_out(j, &ret->ranges, &ret->data, &ret->mapped);
	memcpy(ret->top, c->header.top, sizeof(ret->top));
	ret->valid = true;
	return 0;
}

/* Begins shadow copies of large ranges that the cell has overwritten whole. */
static void make_shadow_copies(struct commit *c)
{
	const struct dirty_ranges *r = &c->journal->ranges;
	struct shadow_files files = snapshot_files(c->snapshot);

	for (size_t i = 0, end, bytes; c->bytes >= SHADOW_COPY_MIN && i < r->n; i = end) {
		/* Joins a large range that the journal has cut into pieces. */
		for (end = i, bytes = 0;
		     end < r->n && r->at[end].address == r->at[i].address + bytes; end++)
			bytes += r->at[end].size;
		if (may_have_shadow_copy(r->at[i].address))
			shadow_copies_adopt(&c->snapshot->shadow_copies, &files, r->at[i].address,
					    bytes);
	}
}

/* Appends to the pre-image of the same undo step: ranges that were overwritten in place belong to
 * it. */
void commit_add_saved(struct snapshot *s, struct preimage *saved, bool lost)
{
	struct preimage *p = &undo_log_newest(&s->undo)->preimage;

	p->valid = p->valid && !lost;
	while (p->next)
		p = p->next;
	p->next = saved;
}

void commit_end(struct commit *c, bool copied, struct commit_report *ret)
{
	if (copied) {
		shadow_copies_committed(&c->snapshot->shadow_copies);
		for (size_t i = 0; i < c->stay.n; i++)
			shadow_copies_add_fresh(&c->snapshot->shadow_copies, c->stay.at[i].address,
						c->stay.at[i].size);
		make_shadow_copies(c);
		snapshot_advance(c->snapshot, &c->header, journal_steal_preimage(c->journal));
		commit_add_saved(c->snapshot, c->saved, c->saved_lost);
		commit_hook_call(c->hook, COMMIT_APPLIED);
		ret->bytes = c->bytes;
	}
	fresh_pages_release(&c->fresh);
	dirty_ranges_release(&c->stay);
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
