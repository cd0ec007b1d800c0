/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invariants, with M the committed content of the memfd, C what the cell made of it:
 *
 *   1. RUNNING: the memfd holds M. The worker's private pages are the only place where C differs.
 *   2. STAGED: the journal holds every page in which C and M differ; the memfd holds M. The worker
 *      is not needed any more: it may die at any instruction and C can still be made.
 *   3. While journal_apply() writes, the memfd is neither. The kernel process is the only one that
 *      depends on it then: it writes without asking any other process for anything, and a failed
 *      write is taken back from the pre-image. Without a pre-image all pages are made before the
 *      first is written, so that none can be missing.
 *   4. APPLIED: the memfd holds C.
 *
 *	            journal_stage()             journal_apply()
 *	 RUNNING ---------------------> STAGED ------------------> APPLIED
 *	    ^  ^                          |                           |
 *	    |  +---- journal_reset() -----+                           |
 *	    |        (the cell is dropped: M)                         |
 *	    +--------------------- journal_reset() -------------------+
 *	                           (the cell is committed: C)
 *
 * An interrupted cell is STAGED, and its pages go out to a redo image (journal_take_out()). A redo
 * puts such pages in again (journal_put_in()): STAGED without a worker, and then as above.
 *
 * All of this is said of what the worker does not write in place. Fresh memory is moved to the
 * memfd between STAGED and APPLIED, where M has nothing (kernel/state/fresh-pages.h). Of an
 * in-place range the memfd has M until it follows, after APPLIED (kernel/state/shadow-copy.h).
 *
 * A worker that dies before STAGED leaves M, one that dies later leaves C: never a mixture.
 *
 * A large journal is copied in slices by several threads. They touch disjoint pages, and all have
 * ended when the state changes.
 */
#define _GNU_SOURCE
#include "kernel/state/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/base/bug.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/memory/address-map.h"
#include "kernel/base/parallel-for.h"
#include "kernel/state/arena-file.h"
#include "kernel/state/kept-memory.h"

#define KEEP_CAPACITY (1024 * 1024)
#define SLICE_RANGES 512
#define SLICE_BYTES (16ull * 1024 * 1024)

/* Neighbouring ranges that one thread copies. */
struct journal_slice {
	size_t first, n; /* ranges */
	size_t at;       /* in the journal's data */
	size_t bytes;
};

static void drop_data(struct journal *j)
{
	kept_memory_give(j->data, j->capacity);
	j->data = NULL;
	j->capacity = 0;
}

void preimage_release(struct preimage *p)
{
	for (struct preimage *next = p->next, *after; next; next = after) {
		after = next->next;
		next->next = NULL;
		preimage_release(next);
		free(next);
	}
	dirty_ranges_release(&p->ranges);
	kept_memory_give(p->data, p->mapped);
	*p = (struct preimage){ 0 };
}

uint64_t preimage_bytes(const struct preimage *p)
{
	uint64_t bytes = 0;

	for (; p; p = p->next)
		bytes += p->mapped;
	return bytes;
}

void journal_release(struct journal *j)
{
	drop_data(j);
	dirty_ranges_release(&j->ranges);
	preimage_release(&j->preimage);
	free(j->slices);
	*j = (struct journal){ 0 };
}

void journal_reset(struct journal *j)
{
	j->state = JOURNAL_RUNNING;
	dirty_ranges_clear(&j->ranges);
	preimage_release(&j->preimage);
	if (j->capacity > KEEP_CAPACITY)
		drop_data(j);
}

static int make_room(struct journal *j, size_t bytes, struct error *err)
{
	size_t capacity = bytes > KEEP_CAPACITY ? bytes : KEEP_CAPACITY;
	char *data;

	if (bytes <= j->capacity)
		return 0;
	drop_data(j);
	data = kept_memory_take(capacity, err);
	if (!data)
		return -1;
	j->data = data;
	j->capacity = capacity;
	return 0;
}

/* Reads all ranges of the slice out of the process with one call, into one piece of the journal. */
static int read_slice(const struct journal *j, const struct journal_slice *slice, pid_t pid,
		      struct error *err)
{
	struct iovec local = { j->data + slice->at, slice->bytes }, remote[SLICE_RANGES];
	ssize_t got;

	for (size_t i = 0; i < slice->n; i++)
		remote[i] =
			(struct iovec){ (void *)(uintptr_t)j->ranges.at[slice->first + i].address,
					j->ranges.at[slice->first + i].size };
	got = process_vm_readv(pid, &local, 1, remote, slice->n, 0);
	if (got < 0)
		return error_errno(err, "cannot read the memory of worker %d", (int)pid);
	if ((size_t)got != slice->bytes)
		return error_set(err, ERROR_PEER_GONE, "worker %d gave %zd of %zu bytes", (int)pid,
				 got, slice->bytes);
	return 0;
}

/* Cuts ranges that are larger than a slice. */
static int cut_ranges(struct dirty_ranges *r, struct error *err)
{
	size_t pieces = 0;
	struct dirty_range *at;

	for (size_t i = 0; i < r->n; i++)
		pieces += (r->at[i].size + SLICE_BYTES - 1) / SLICE_BYTES;
	if (pieces == r->n)
		return 0;
	at = malloc(pieces * sizeof(*at));
	if (!at)
		return error_set(err, ERROR_MEMORY, "out of memory for %zu ranges", pieces);
	pieces = 0;
	for (size_t i = 0; i < r->n; i++) {
		for (uint64_t done = 0; done < r->at[i].size; done += SLICE_BYTES) {
			uint64_t left = r->at[i].size - done;

			at[pieces++] =
				(struct dirty_range){ r->at[i].address + done,
						      left < SLICE_BYTES ? left : SLICE_BYTES };
		}
	}
	free(r->at);
	r->at = at;
	r->n = r->cap = pieces;
	return 0;
}

static int make_slices(struct journal *j, struct error *err)
{
	struct journal_slice slice = { 0 };
	size_t most = j->ranges.n / SLICE_RANGES + 2 * (size_t)(j->ranges.bytes / SLICE_BYTES) + 2;
	struct journal_slice *slices = realloc(j->slices, most * sizeof(*slices));

	if (!slices)
		return error_set(err, ERROR_MEMORY, "out of memory for a journal of %zu ranges",
				 j->ranges.n);
	j->slices = slices;
	j->n_slices = 0;
	for (size_t i = 0; i < j->ranges.n; i++) {
		if (slice.n == SLICE_RANGES || slice.bytes + j->ranges.at[i].size > SLICE_BYTES) {
			slices[j->n_slices++] = slice;
			slice = (struct journal_slice){ .first = i, .at = slice.at + slice.bytes };
		}
		slice.bytes += j->ranges.at[i].size;
		slice.n++;
	}
	if (slice.n)
		slices[j->n_slices++] = slice;
	return 0;
}

/* The data that all threads of a copy share. */
struct copy {
	struct journal *j;
	pid_t pid;
	int memfd;
	uint64_t base;
	const struct commit_hook *hook;
	char *preimage;
};

static int stage_slice(void *data, size_t i, struct error *err)
{
	const struct copy *c = data;

	return read_slice(c->j, &c->j->slices[i], c->pid, err);
}

int journal_stage(struct journal *j, pid_t pid, struct error *err)
{
	struct copy copy = { .j = j, .pid = pid };

	if (j->state != JOURNAL_RUNNING)
		BUG("journal staged in state %d", j->state);
	if (cut_ranges(&j->ranges, err) || make_room(j, j->ranges.bytes, err) ||
	    make_slices(j, err) || parallel_for(j->n_slices, stage_slice, &copy, err)) {
		journal_reset(j);
		return -1;
	}
	j->state = JOURNAL_STAGED;
	return 0;
}

void journal_take_out(struct journal *j, struct dirty_ranges *ret_ranges, char **ret_data,
		      size_t *ret_mapped)
{
	if (j->state != JOURNAL_STAGED)
		BUG("pages are taken out of a journal in state %d", j->state);
	*ret_ranges = j->ranges;
	j->ranges = (struct dirty_ranges){ 0 };
	*ret_data = j->data;
	*ret_mapped = j->capacity;
	j->data = NULL;
	j->capacity = 0;
	journal_reset(j);
}

void journal_each(const struct journal *j, uint64_t address, uint64_t size,
		  void (*fn)(void *data, uint64_t address, const char *bytes, size_t len),
		  void *data)
{
	const char *bytes = j->data;

	for (size_t i = 0; i < j->ranges.n; bytes += j->ranges.at[i++].size) {
		uint64_t start = j->ranges.at[i].address, end = start + j->ranges.at[i].size;
		uint64_t from = start > address ? start : address;
		uint64_t to = end < address + size ? end : address + size;

		if (from < to)
			fn(data, from, bytes + (from - start), to - from);
	}
}

int journal_put_in(struct journal *j, struct dirty_ranges *ranges, char *data, size_t mapped,
		   struct error *err)
{
	struct dirty_ranges before = j->ranges;

	if (j->state != JOURNAL_RUNNING)
		BUG("pages are put into a journal in state %d", j->state);
	if (cut_ranges(ranges, err))
		return -1;
	j->ranges = *ranges;
	if (make_slices(j, err)) {
		j->ranges = before;
		return -1;
	}
	dirty_ranges_release(&before);
	drop_data(j);
	j->data = data;
	j->capacity = mapped;
	j->state = JOURNAL_STAGED;
	return 0;
}

static int write_range(int memfd, uint64_t base, const struct dirty_range *r, const char *data,
		       struct error *err)
{
	return arena_file_write(memfd, r->address - base, data, r->size, err);
}

int preimage_restore(const struct preimage *p, int memfd, uint64_t base, struct error *err)
{
	int failed = 0;

	if (!p->valid)
		return error_set(err, ERROR_LIMIT,
				 "what the last cell overwrote was too large to be kept");
	/* Another thread may have changed ranges behind one that cannot be written, so all are
	 * tried. */
	for (; p; p = p->next)
		for (size_t i = 0, at = 0; i < p->ranges.n; at += p->ranges.at[i++].size)
			if (write_range(memfd, base, &p->ranges.at[i], p->data + at,
					failed ? NULL : err))
				failed = -1;
	return failed;
}

static int copy_ranges(const struct dirty_ranges *from, struct dirty_ranges *to, struct error *err)
{
	struct dirty_range *at = malloc((from->n ? from->n : 1) * sizeof(*at));

	if (!at)
		return error_set(err, ERROR_MEMORY, "out of memory for %zu ranges", from->n);
	for (size_t i = 0; i < from->n; i++)
		at[i] = from->at[i];
	*to = (struct dirty_ranges){ at, from->n, from->n, from->bytes };
	return 0;
}

static int save_slice(void *data, size_t i, struct error *err)
{
	const struct copy *c = data;
	const struct journal_slice *slice = &c->j->slices[i];

	for (size_t k = 0, at = slice->at; k < slice->n;
	     at += c->j->ranges.at[slice->first + k++].size) {
		const struct dirty_range *r = &c->j->ranges.at[slice->first + k];

		if (arena_file_read(c->memfd, r->address - c->base, c->preimage + at, r->size, err))
			return -1;
	}
	return 0;
}

static int save_preimage(struct copy *c, struct error *err)
{
	struct journal *j = c->j;
	struct preimage p = { .valid = true };

	if (copy_ranges(&j->ranges, &p.ranges, err))
		return -1;
	p.mapped = p.ranges.bytes ? p.ranges.bytes : ARENA_PAGE;
	p.data = c->preimage = kept_memory_take(p.mapped, err);
	if (!p.data || parallel_for(j->n_slices, save_slice, c, err)) {
		preimage_release(&p);
		return -1;
	}
	preimage_release(&j->preimage);
	j->preimage = p;
	return 0;
}

/* Allocates the memfd's pages that will be written, without changing their content. */
static int make_pages(const struct copy *c, struct error *err)
{
	const struct dirty_ranges *r = &c->j->ranges;

	for (size_t i = 0; i < r->n;) {
		if (!fallocate(c->memfd, 0, (off_t)(r->at[i].address - c->base),
			       (off_t)r->at[i].size))
			i++;
		else if (errno != EINTR)
			return error_errno(err, "no memory for %llu bytes of the arena at %#llx",
					   (unsigned long long)r->at[i].size,
					   (unsigned long long)r->at[i].address);
	}
	return 0;
}

static int apply_slice(void *data, size_t i, struct error *err)
{
	const struct copy *c = data;
	const struct journal_slice *slice = &c->j->slices[i];

	for (size_t k = 0, at = slice->at; k < slice->n;
	     at += c->j->ranges.at[slice->first + k++].size) {
		if (slice->first + k)
			commit_hook_call(c->hook, COMMIT_APPLYING);
		if (write_range(c->memfd, c->base, &c->j->ranges.at[slice->first + k],
				c->j->data + at, err))
			return -1;
	}
	return 0;
}

int journal_apply(struct journal *j, int memfd, uint64_t base, uint64_t keep_bytes,
		  const struct commit_hook *hook, struct error *err)
{
	struct copy copy = { .j = j, .memfd = memfd, .base = base, .hook = hook };
	bool keep = j->ranges.bytes <= keep_bytes;
	struct error why = ERROR_INIT;

	if (j->state != JOURNAL_STAGED)
		BUG("journal applied in state %d", j->state);
	/* Rather no undo of the cell than no cell. */
	if (keep && !j->preimage.valid && save_preimage(&copy, &why)) {
		log_warning("this cell cannot be undone: %s", why.text);
		keep = false;
	}
	commit_hook_call(hook, COMMIT_SAVED);
	if (!keep && make_pages(&copy, err))
		return -1;
	if (parallel_for(j->n_slices, apply_slice, &copy, err)) {
		/* The pages exist after the first write, so writing them back needs no memory. */
		if (j->preimage.valid)
			preimage_restore(&j->preimage, memfd, base, NULL);
		return -1;
	}
	j->state = JOURNAL_APPLIED;
	return 0;
}

struct preimage journal_steal_preimage(struct journal *j)
{
	struct preimage p = j->preimage;

	j->preimage = (struct preimage){ 0 };
	return p;
}
