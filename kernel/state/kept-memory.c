/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A short table of pieces. A request takes the smallest that is large enough and leaves the rest;
 * what comes back is joined with its neighbours, so that pieces of one mapping become one again.
 */
#define _GNU_SOURCE
#include "kernel/state/kept-memory.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/error.h"

#define PIECES_MAX 64
/* At most one part in SHARE of the machine's memory is kept. */
#define SHARE 8

struct piece {
	char *at;
	size_t size;
};

static struct {
	pthread_mutex_t lock;
	struct piece pieces[PIECES_MAX];
	unsigned n;
	size_t bytes;
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void remove_piece(unsigned i)
{
	kept.bytes -= kept.pieces[i].size;
	kept.pieces[i] = kept.pieces[--kept.n];
}

/* Finds the smallest piece that is large enough; PIECES_MAX: there is none. */
static unsigned find(size_t size)
{
	unsigned best = PIECES_MAX;

	for (unsigned i = 0; i < kept.n; i++)
		if (kept.pieces[i].size >= size &&
		    (best == PIECES_MAX || kept.pieces[i].size < kept.pieces[best].size))
			best = i;
	return best;
}

/* Enlarges the largest piece, so that only the missing bytes come from Linux. */
static char *stretch(size_t size)
{
	unsigned largest = 0;
	char *at;

	for (unsigned i = 1; i < kept.n; i++)
		if (kept.pieces[i].size > kept.pieces[largest].size)
			largest = i;
	if (!kept.n || kept.pieces[largest].size < size / 2)
		return NULL;
	at = mremap(kept.pieces[largest].at, kept.pieces[largest].size, size, MREMAP_MAYMOVE);
	if (at == MAP_FAILED)
		return NULL;
	remove_piece(largest);
	return at;
}

static char *take_kept(size_t size)
{
	unsigned i = find(size);
	struct piece *p = &kept.pieces[i];
	char *at;

	if (i == PIECES_MAX)
		return stretch(size);
	at = p->at;
	p->at += size;
	p->size -= size;
	kept.bytes -= size;
	if (!p->size)
		remove_piece(i);
	return at;
}

/* Maps memory with huge pages where there are some, because page faults take most of the time of a
 * large commit. */
static void *map_new(size_t size, struct error *err)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		error_errno(err, "no memory for a copy of %zu bytes", size);
		return NULL;
	}
	if (size > KEPT_MEMORY_MIN)
		madvise(p, size, MADV_HUGEPAGE);
	return p;
}

void *kept_memory_take(size_t size, struct error *err)
{
	char *p;

	/* Small requests would fragment the cache. */
	if (size < KEPT_MEMORY_MIN)
		return map_new(size, err);
	pthread_mutex_lock(&kept.lock);
	p = take_kept(size);
	pthread_mutex_unlock(&kept.lock);
	return p ? p : map_new(size, err);
}

static size_t most(void)
{
	return (size_t)sysconf(_SC_PHYS_PAGES) / SHARE * (size_t)sysconf(_SC_PAGESIZE);
}

/* Joins the piece with its neighbours, which leave the table. */
static struct piece join(struct piece p)
{
	for (unsigned i = 0; i < kept.n;) {
		struct piece q = kept.pieces[i];

		if (q.at + q.size != p.at && p.at + p.size != q.at) {
			i++;
			continue;
		}
		p = (struct piece){ q.at < p.at ? q.at : p.at, p.size + q.size };
		remove_piece(i);
		i = 0;
	}
	return p;
}

void kept_memory_give(void *at, size_t size)
{
	struct piece p = { at, size };
	bool keep;

	if (!at || !size)
		return;
	pthread_mutex_lock(&kept.lock);
	p = join(p);
	keep = p.size >= KEPT_MEMORY_MIN && kept.n < PIECES_MAX && kept.bytes + p.size <= most() &&
	       !madvise(at, size, MADV_FREE);
	if (keep) {
		kept.pieces[kept.n++] = p;
		kept.bytes += p.size;
	}
	pthread_mutex_unlock(&kept.lock);
	if (!keep)
		munmap(p.at, p.size);
}

size_t kept_memory_bytes(void)
{
	size_t bytes;

	pthread_mutex_lock(&kept.lock);
	bytes = kept.bytes;
	pthread_mutex_unlock(&kept.lock);
	return bytes;
}

void kept_memory_drop(void)
{
	pthread_mutex_lock(&kept.lock);
	while (kept.n) {
		munmap(kept.pieces[0].at, kept.pieces[0].size);
		remove_piece(0);
	}
	pthread_mutex_unlock(&kept.lock);
}
