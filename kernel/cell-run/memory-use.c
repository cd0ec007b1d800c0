/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resident pages that are no file's and not shared are a process's own (statm: resident - shared).
 * A child that was forked from a worker has all of the worker's pages until one of them writes; its
 * own share of them is in smaps_rollup, which walks the page tables and so is only read when the
 * cheap number is too high. The cheap number takes whatever the worker has mapped for memory.
 *
 * Holders are read from the worker's memory while it runs: the numbers may be some allocations old,
 * and a table that is being replaced reads as nothing.
 */
#define _GNU_SOURCE
#include "kernel/cell-run/memory-use.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/memory/arena-layout.h"
#include "kernel/base/process.h"
#include "kernel/cell-run/shared-memory.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/sandbox/cgroup.h"
#include "kernel/settings/size-text.h"
#include "kernel/state/arena-file.h"
#include "kernel/state/shadow-copy.h"
#include "kernel/units/unit-table.h"
#include "kernel/workers/orphans.h"
#include "kernel/workers/worker-pool.h"

#define PROCESSES_MAX 512
#define ROWS_MAX 65536u
#define HOLDERS 5
#define VARIABLE_MIN (1u << 20)

static uint64_t device_bytes(const struct supervisor *s, const struct worker *w)
{
	uint64_t bytes = 0;

	if (!w || !w->hello.emulated)
		return 0;
	for (size_t i = 0; i < s->device.chunks.n; i++)
		bytes += s->device.chunks.at[i].size;
	return bytes;
}

static FILE *open_proc(pid_t pid, const char *file)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	return fopen(path, "re");
}

static void read_statm(pid_t pid, uint64_t *ret_resident, uint64_t *ret_own)
{
	cleanup_file FILE *f = open_proc(pid, "statm");
	uint64_t resident, shared, page = (uint64_t)sysconf(_SC_PAGESIZE);

	*ret_resident = *ret_own = 0;
	if (!f || fscanf(f, "%*u %" SCNu64 " %" SCNu64, &resident, &shared) != 2)
		return;
	*ret_resident = resident * page;
	*ret_own = resident > shared ? (resident - shared) * page : 0;
}

/* Returns the process's proportional share of its pages (PSS); `otherwise` where Linux does not
 * tell. */
static uint64_t share(pid_t pid, uint64_t otherwise)
{
	cleanup_file FILE *f = open_proc(pid, "smaps_rollup");
	char line[128];
	uint64_t kb;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Pss_Anon: %" SCNu64, &kb) == 1)
			return kb << 10;
	return otherwise;
}

static uint64_t own_memory(pid_t pid, bool exact)
{
	uint64_t resident, own;

	read_statm(pid, &resident, &own);
	return exact ? share(pid, own) : own;
}

static uint64_t children_memory(const pid_t *pids, size_t n, bool exact)
{
	uint64_t each[PROCESSES_MAX], bytes = 0;

	for (size_t i = 0; i < n; i++)
		each[i] = own_memory(pids[i], exact);
	/* The share of a process that has ended since is part of what was read of the later
	 * ones. */
	for (size_t i = 0; i < n; i++)
		if (!exact || process_has_memory(pids[i]))
			bytes += each[i];
	return bytes;
}

/* What is counted as the session's, or has a limit of its own. */
static size_t known_files(const struct supervisor *s, int *ret)
{
	const struct device_chunks *const lists[] = { &s->device.chunks, &s->device.waiting };
	size_t n = 0;

	ret[n++] = s->snapshot.arena.fd;
	ret[n++] = s->snapshot.live;
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < lists[k]->n; i++)
			ret[n++] = lists[k]->at[i].fd;
	return n;
}

static uint64_t shared_memory(const struct supervisor *s, const struct worker *w, const pid_t *pids,
			      size_t n)
{
	cleanup_free int *known =
		calloc(s->device.chunks.n + s->device.waiting.n + 2, sizeof(*known));
	const struct shared_memory m = {
		.pids = pids,
		.n_pids = n,
		.known = known,
		.n_known = known ? known_files(s, known) : 0,
		.since = s->since,
		.device_limit = w->hello.emulated ? w->hello.device_memory : 0,
	};

	return known ? shared_memory_bytes(&m) : 0;
}

struct memory_use memory_use_now(const struct supervisor *s, const struct worker *w, bool exact)
{
	struct memory_use u = { 0 };
	uint64_t resident, own, device = device_bytes(s, w);
	uint64_t live = arena_file_bytes(s->snapshot.live);
	pid_t pids[PROCESSES_MAX + 1], keep[WORKER_POOL_PIDS];
	size_t n;

	u.shadow_copies = shadow_copies_bytes(&s->snapshot.shadow_copies);
	if (u.shadow_copies > live)
		u.shadow_copies = live;
	u.session = arena_file_bytes(s->snapshot.arena.fd) + live - u.shadow_copies;
	if (!w)
		return u;
	read_statm(w->pid, &resident, &own);
	u.worker = exact ? share(w->pid, own) : own;
	/* Shared memory that the cell itself has mapped is in neither number. */
	resident = resident > device ? resident - device : 0;
	if (!exact && resident > u.session + u.worker)
		u.worker = resident - u.session;
	pids[0] = w->pid;
	n = orphans_list(w->pid, keep, worker_pool_pids(s, keep), pids + 1, PROCESSES_MAX);
	u.children = children_memory(pids + 1, n, exact);
	if (exact)
		u.shared = shared_memory(s, w, pids, n + 1);
	return u;
}

uint64_t memory_use_kept(const struct supervisor *s)
{
	uint64_t bytes =
		arena_file_bytes(s->snapshot.arena.fd) + arena_file_bytes(s->snapshot.live);

	for (size_t i = 0; i < s->device.chunks.n; i++) {
		const struct device_chunk *c = &s->device.chunks.at[i];

		if (s->pool->hello.emulated || CHUNK_IS_ON_HOST(c->id))
			bytes += arena_file_bytes(c->fd);
	}
	return bytes;
}

uint64_t memory_use_total(const struct memory_use *u)
{
	return u->session + u->worker + u->children + u->shared + u->shadow_copies;
}

/* ---- holders ---- */

struct holder {
	uint32_t cell;
	const char *variable; /* NULL: heap of the cell */
	uint64_t bytes;
	uint64_t blocks;
};

/* Reads the table of cells, by cell number; malloc-ed, NULL when there is none. */
static struct arena_cell *read_rows(pid_t pid, uint32_t *ret_n)
{
	struct arena_header h;
	struct arena_cells t;
	struct arena_cell *rows;

	if (!process_read(pid, ARENA_BASE, &h, sizeof(h)) || !h.root[ARENA_ROOT_CELLS] ||
	    !process_read(pid, h.root[ARENA_ROOT_CELLS], &t, sizeof(t)))
		return NULL;
	*ret_n = t.n < ROWS_MAX ? t.n : ROWS_MAX;
	rows = malloc((*ret_n + 1) * sizeof(*rows));
	if (rows && !process_read(pid, h.root[ARENA_ROOT_CELLS] + sizeof(t), rows,
				  *ret_n * sizeof(*rows))) {
		free(rows);
		return NULL;
	}
	return rows;
}

/* Inserts a holder; the list keeps the largest ones, in descending order. */
static void insert(struct holder list[HOLDERS], const struct holder *h)
{
	int at = HOLDERS;

	while (at > 0 && h->bytes > list[at - 1].bytes)
		at--;
	if (at == HOLDERS)
		return;
	memmove(&list[at + 1], &list[at], (size_t)(HOLDERS - 1 - at) * sizeof(*list));
	list[at] = *h;
}

static void find_holders(struct supervisor *s, const struct worker *w, struct holder list[HOLDERS])
{
	const struct unit_variable *v;
	uint32_t n_rows = 0;
	cleanup_free struct arena_cell *rows = read_rows(w->pid, &n_rows);
	size_t n = unit_table_variables(&s->units, &v);

	for (uint32_t i = 0; rows && i < n_rows; i++)
		insert(list, &(struct holder){ i, NULL, rows[i].heap_made - rows[i].heap_freed,
					       rows[i].blocks_made - rows[i].blocks_freed });
	for (size_t i = 0; i < n; i++)
		if (!v[i].is_function && v[i].size >= VARIABLE_MIN)
			insert(list, &(struct holder){ v[i].cell, v[i].name, v[i].size, 0 });
}

void memory_use_holders(struct supervisor *s, const struct worker *w, const struct memory_use *u,
			struct buffer *out)
{
	struct holder list[HOLDERS] = { 0 };
	char text[SIZE_TEXT_MAX];

	find_holders(s, w, list);
	buffer_puts(out, "Who holds it:\n");
	for (int i = 0; i < HOLDERS && list[i].bytes; i++) {
		buffer_printf(out, "  %8s  ", size_text(list[i].bytes, text));
		if (list[i].variable)
			buffer_printf(out, "variable %s of In[%" PRIu32 "]\n", list[i].variable,
				      list[i].cell);
		else
			buffer_printf(out, "%" PRIu64 " block%s on the heap, made in %s\n",
				      list[i].blocks, list[i].blocks == 1 ? "" : "s",
				      list[i].cell == s->run.cell
					      ? "this cell"
					      : (snprintf(text, sizeof(text), "In[%" PRIu32 "]",
							  list[i].cell),
						 text));
	}
	if (u->worker > MEMORY_USE_BASE)
		buffer_printf(out,
			      "  %8s  outside the heap: mmap(), stacks, libraries, pages that the "
			      "cell has changed\n",
			      size_text(u->worker, text));
	if (u->children)
		buffer_printf(out, "  %8s  processes that cells have started\n",
			      size_text(u->children, text));
	if (u->shared)
		buffer_printf(out, "  %8s  files of memory: memfd_create(), /dev/shm, MAP_SHARED\n",
			      size_text(u->shared, text));
	if (u->shadow_copies)
		buffer_printf(out,
			      "  %8s  copies of large blocks that cells overwrite as a whole\n",
			      size_text(u->shadow_copies, text));
}
