/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invariants, with M the committed content of the memfd, C what the cell made of it:
 *
 *  1. RUNNING: the memfd holds M. The worker's private pages are the only place where C differs.
 *  2. STAGED: the journal holds every page in which C and M differ; the memfd holds M. The worker is not needed any more: it
 *     may die at any instruction and C can still be made.
 *  3. While journal_apply() writes, the memfd is neither. The kernel process is the only one that depends on it then: it
 *     writes without asking any other process for anything, and a failed write is taken back from the pre-image.
 *  4. APPLIED: the memfd holds C.
 *
 *	            journal_stage()             journal_apply()
 *	 RUNNING ---------------------> STAGED ------------------> APPLIED
 *	    ^  ^                          |                           |
 *	    |  +---- journal_reset() -----+                           |
 *	    |        (the cell is dropped: M)                         |
 *	    +--------------------- journal_reset() -------------------+
 *	                           (the cell is committed: C)
 *
 * A worker that dies before STAGED leaves M, one that dies later leaves C: never a mixture.
 */
#define _GNU_SOURCE
#include "kernel/supervisor/journal.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/address-map.h"
#include "common/bug.h"
#include "common/error.h"

#define KEEP_CAPACITY (1024 * 1024)
#define READ_RANGES 512

static void drop_data(struct journal *j)
{
	if (j->data)
		munmap(j->data, j->capacity);
	j->data = NULL;
	j->capacity = 0;
}

/* Large pages where there are some: most of the time of a large commit is page faults. */
static char *map_room(size_t bytes, struct error *err)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		error_errno(err, "no memory for a journal of %zu bytes", bytes);
		return NULL;
	}
	if (bytes > KEEP_CAPACITY)
		madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

void preimage_release(struct preimage *p)
{
	dirty_ranges_release(&p->ranges);
	if (p->data)
		munmap(p->data, p->mapped);
	*p = (struct preimage){ 0 };
}

void journal_release(struct journal *j)
{
	drop_data(j);
	dirty_ranges_release(&j->ranges);
	preimage_release(&j->preimage);
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
	data = map_room(capacity, err);
	if (!data)
		return -1;
	j->data = data;
	j->capacity = capacity;
	return 0;
}

/* One call takes READ_RANGES ranges of the worker into one piece of the journal. */
static int read_pages(struct journal *j, pid_t pid, struct error *err)
{
	struct iovec remote[READ_RANGES];
	size_t at = 0;

	for (size_t i = 0; i < j->ranges.n;) {
		struct iovec local = { j->data + at, 0 };
		unsigned n = 0;
		ssize_t got;

		while (n < READ_RANGES && i < j->ranges.n && local.iov_len + j->ranges.at[i].size <= INT_MAX) {
			remote[n].iov_base = (void *)(uintptr_t)j->ranges.at[i].address;
			remote[n++].iov_len = j->ranges.at[i].size;
			local.iov_len += j->ranges.at[i++].size;
		}
		got = process_vm_readv(pid, &local, 1, remote, n, 0);
		if (got < 0)
			return error_errno(err, "cannot read the memory of worker %d", (int)pid);
		if ((size_t)got != local.iov_len)
			return error_set(err, ERROR_PEER_GONE, "worker %d gave %zd of %zu bytes", (int)pid, got,
					 local.iov_len);
		at += local.iov_len;
	}
	return 0;
}

/* A range larger than one read can take is cut, so that each fits. */
static int cut_ranges(struct dirty_ranges *r, struct error *err)
{
	const uint64_t most = 1024ull * 1024 * 1024;
	size_t pieces = 0;
	struct dirty_range *at;

	for (size_t i = 0; i < r->n; i++)
		pieces += (r->at[i].size + most - 1) / most;
	if (pieces == r->n)
		return 0;
	at = malloc(pieces * sizeof(*at));
	if (!at)
		return error_set(err, ERROR_MEMORY, "out of memory for %zu ranges", pieces);
	pieces = 0;
	for (size_t i = 0; i < r->n; i++) {
		for (uint64_t done = 0; done < r->at[i].size; done += most) {
			uint64_t left = r->at[i].size - done;

			at[pieces++] = (struct dirty_range){ r->at[i].address + done, left < most ? left : most };
		}
	}
	free(r->at);
	r->at = at;
	r->n = r->cap = pieces;
	return 0;
}

int journal_stage(struct journal *j, pid_t pid, struct error *err)
{
	if (j->state != JOURNAL_RUNNING)
		BUG("journal staged in state %d", j->state);
	if (cut_ranges(&j->ranges, err) || make_room(j, j->ranges.bytes, err) || read_pages(j, pid, err)) {
		journal_reset(j);
		return -1;
	}
	j->state = JOURNAL_STAGED;
	return 0;
}

/* Sparse parts of the memfd read as zero. */
static int read_memfd(int memfd, uint64_t base, const struct dirty_ranges *r, char *data, struct error *err)
{
	for (size_t i = 0; i < r->n; i++) {
		for (uint64_t done = 0; done < r->at[i].size;) {
			ssize_t n = pread(memfd, data + done, r->at[i].size - done,
					  (off_t)(r->at[i].address - base + done));

			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				return error_errno(err, "cannot read the arena at %#llx",
						   (unsigned long long)(r->at[i].address + done));
			done += (uint64_t)n;
		}
		data += r->at[i].size;
	}
	return 0;
}

static int write_memfd(int memfd, uint64_t base, const struct dirty_ranges *r, const char *data,
		       const struct commit_hook *hook, struct error *err)
{
	for (size_t i = 0; i < r->n; i++) {
		if (i)
			commit_hook_call(hook, COMMIT_APPLYING);
		for (uint64_t done = 0; done < r->at[i].size;) {
			ssize_t n = pwrite(memfd, data + done, r->at[i].size - done,
					   (off_t)(r->at[i].address - base + done));

			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				return error_errno(err, "cannot write the arena at %#llx",
						   (unsigned long long)(r->at[i].address + done));
			done += (uint64_t)n;
		}
		data += r->at[i].size;
	}
	return 0;
}

int preimage_restore(const struct preimage *p, int memfd, uint64_t base, struct error *err)
{
	if (!p->valid)
		return error_set(err, ERROR_LIMIT, "what the last cell overwrote was too large to be kept");
	return write_memfd(memfd, base, &p->ranges, p->data, NULL, err);
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

static int save_preimage(struct journal *j, int memfd, uint64_t base, struct error *err)
{
	struct preimage p = { .valid = true };

	if (copy_ranges(&j->ranges, &p.ranges, err))
		return -1;
	p.mapped = p.ranges.bytes ? p.ranges.bytes : ARENA_PAGE;
	p.data = map_room(p.mapped, err);
	if (!p.data) {
		preimage_release(&p);
		return -1;
	}
	if (read_memfd(memfd, base, &p.ranges, p.data, err)) {
		preimage_release(&p);
		return -1;
	}
	preimage_release(&j->preimage);
	j->preimage = p;
	return 0;
}

int journal_apply(struct journal *j, int memfd, uint64_t base, uint64_t keep_bytes,
		  const struct commit_hook *hook, struct error *err)
{
	if (j->state != JOURNAL_STAGED)
		BUG("journal applied in state %d", j->state);
	if (!j->preimage.valid && j->ranges.bytes <= keep_bytes && save_preimage(j, memfd, base, err))
		return -1;
	commit_hook_call(hook, COMMIT_SAVED);
	if (write_memfd(memfd, base, &j->ranges, j->data, hook, err)) {
		/* The pages that were written exist, so writing them again needs no memory; it stops where this stopped. */
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
