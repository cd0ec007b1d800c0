/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The committed table of cells, which needs no question to the worker, says whether earlier runs
 * hold something. A single lost block may be intended; the warning comes when two runs have lost
 * something, or one run much.
 */
#include "kernel/cell-run/leak-watch.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/memory/arena-layout.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/faults/memory-report.h"
#include "kernel/settings/size-text.h"
#include "kernel/state/snapshot.h"
#include "kernel/workers/question.h"

#define RUNS_MAX 64 /* only the last runs of a cell are looked at */
#define MUCH (1ull << 20)
/* The number of runs of all cells that are kept; when it is reached, half of them go. */
#define NOTED_MAX 8192

void leak_watch_release(struct leak_watch *l)
{
	free(l->runs);
	*l = (struct leak_watch){ 0 };
}

static uint64_t hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u;

	while (*text)
		h = (h ^ (unsigned char)*text++) * 0x100000001b3u;
	return h;
}

void leak_watch_identify(struct leak_watch *l, const char *id)
{
	l->next_id = *id ? hash(id) : 0;
}

void leak_watch_note(struct leak_watch *l, uint32_t cell, const char *text)
{
	if (l->n == NOTED_MAX) {
		l->n /= 2;
		memmove(l->runs, l->runs + l->n, l->n * sizeof(*l->runs));
	}
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 64;
		struct leak_run *grown = realloc(l->runs, cap * sizeof(*grown));

		if (!grown)
			return;
		l->runs = grown;
		l->cap = cap;
	}
	l->runs[l->n++] = (struct leak_run){ cell, text ? hash(text) : 0, l->next_id };
}

/* Finds the runs of the same cell as the last one, newest first; their total number is
 * *ret_runs. */
static size_t find_runs(const struct leak_watch *l, uint32_t ret[RUNS_MAX], size_t *ret_runs)
{
	const struct leak_run *last = &l->runs[l->n - 1];
	size_t n = 0;

	*ret_runs = 0;
	for (size_t i = l->n; i-- > 0;) {
		const struct leak_run *r = &l->runs[i];

		if (!(last->text && r->text == last->text) && !(last->id && r->id == last->id))
			continue;
		++*ret_runs;
		if (n < RUNS_MAX)
			ret[n++] = r->cell;
	}
	return n;
}

static bool holds(const struct supervisor *s, uint64_t table, uint32_t cell)
{
	struct arena_cells t;
	struct arena_cell row;

	if (snapshot_read(&s->snapshot, table, &t, sizeof(t)) || cell >= t.n ||
	    snapshot_read(&s->snapshot, table + sizeof(t) + cell * sizeof(row), &row, sizeof(row)))
		return false;
	return row.heap_made != row.heap_freed || row.device_made != row.device_freed;
}

static bool earlier_run_holds(const struct supervisor *s, const uint32_t *cells, size_t n)
{
	struct arena_header h;

	if (snapshot_read(&s->snapshot, ARENA_BASE, &h, sizeof(h)) || !h.root[ARENA_ROOT_CELLS])
		return false;
	for (size_t i = 1; i < n; i++)
		if (holds(s, h.root[ARENA_ROOT_CELLS], cells[i]))
			return true;
	return false;
}

struct loss {
	uint64_t host, device; /* bytes, all runs */
	uint64_t least, most;  /* of a run that has lost something */
	size_t runs;
	const struct memory_report_cell *largest;
};

static uint64_t largest_of(const struct memory_report_cell *c)
{
	return c->largest_lost > c->largest_buffer ? c->largest_lost : c->largest_buffer;
}

static struct loss sum(const struct memory_report *m)
{
	struct loss l = { .least = UINT64_MAX };

	for (size_t i = 0; i < m->n_cells; i++) {
		const struct memory_report_cell *c = &m->cells[i];
		uint64_t lost = c->lost + c->device_lost;

		if (!lost)
			continue;
		l.host += c->lost;
		l.device += c->device_lost;
		l.least = lost < l.least ? lost : l.least;
		l.most = lost > l.most ? lost : l.most;
		l.runs++;
		if (!l.largest || largest_of(c) > largest_of(l.largest))
			l.largest = c;
	}
	return l;
}

static void put_site(const struct memory_report_cell *c, struct buffer *out)
{
	char size[SIZE_TEXT_MAX];

	if (c->largest_buffer > c->largest_lost) {
		buffer_printf(out, ": a buffer of %s", size_text(c->largest_buffer, size));
		if (c->buffer_line)
			buffer_printf(out, " that line %" PRIu32 " asks for", c->buffer_line);
		return;
	}
	buffer_printf(out, ": a block of %s", size_text(c->largest_lost, size));
	if (c->site_line && c->site_cell == c->cell)
		buffer_printf(out, " that line %" PRIu32 " asks for", c->site_line);
	else if (c->site_line)
		buffer_printf(out, " that %s() asks for, In[%" PRIu32 "] line %" PRIu32,
			      c->site_function, c->site_cell, c->site_line);
}

static void warn(const struct memory_report *m, size_t runs, struct buffer *out)
{
	struct loss l = sum(m);
	char all[SIZE_TEXT_MAX], each[SIZE_TEXT_MAX];

	if (l.runs < 2 && l.host + l.device < MUCH)
		return;
	size_text(l.host + l.device, all);
	if (l.runs > 1 && l.least == l.most)
		buffer_printf(out, "leak: this cell has lost %s in each of %zu of its %zu runs",
			      size_text(l.most, each), l.runs, runs);
	else
		buffer_printf(out, "leak: this cell has lost %s in %zu of its %zu runs", all,
			      l.runs, runs);
	if (l.device)
		buffer_printf(out, ", %s of it on the device",
			      l.host ? size_text(l.device, each) : "all");
	put_site(l.largest, out);
	buffer_puts(out, ". Nothing points there any more: free it before the cell is run again, "
			 "or keep the pointer; %mem shows all.\n");
}

static bool is_due(size_t runs)
{
	return runs > 1 && (runs <= 4 || !(runs & (runs - 1)));
}

void leak_watch_look(struct supervisor *s, struct buffer *out)
{
	uint32_t cells[RUNS_MAX];
	struct memory_report m = { 0 };
	struct error err = ERROR_INIT;
	size_t runs = 0, n = s->leaks->n ? find_runs(s->leaks, cells, &runs) : 0;

	if (!is_due(runs) || !earlier_run_holds(s, cells, n))
		return;
	if (question_memory_report(s, cells, n, &m, &err))
		log_info("leaks: %s", err.text);
	else if (m.complete)
		warn(&m, runs, out);
	memory_report_release(&m);
}
