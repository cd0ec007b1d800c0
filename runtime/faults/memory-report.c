/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Roots of the search, in this order, so that a block is named after a variable where one leads to
 * it: the variables of the session, each by its name; the rest of DATA (static variables, GOT
 * slots); what the CUDA side holds; libraries and threads that live on. Device memory is reached
 * from session memory only: what the emulated driver keeps for itself is no pointer of the user's.
 *
 * The search has a time of its own, SEARCH_NS. When that is over the report is made without what is
 * lost.
 */
#define _GNU_SOURCE
#include "runtime/faults/memory-report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/memory/comm-table.h"
#include "common/protocol/ipc.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/arena/allocator.h"
#include "runtime/arena/arena.h"
#include "runtime/arena/heap-scan.h"
#include "runtime/cuda/device.h"
#include "runtime/loader/loader.h"
#include "runtime/loader/symbols.h"
#include "runtime/process/cell-mode.h"
#include "runtime/process/cell-stack.h"
#include "runtime/process/worker.h"

#define SEARCH_NS 300000000u
#define ROWS_SHOWN 40
#define ROW_ROOTS 4
#define BUFFERS_MAX 65536u

/* Root numbers; a symbol's is ROOT_SYMBOL plus its index. */
enum { ROOT_STATIC = 1, ROOT_CUDA, ROOT_PROCESS, ROOT_SYMBOL };

struct row {
	uint32_t cell;
	uint64_t live, blocks, lost, lost_blocks;
	uint64_t device_live, device_lost;
	uint64_t largest_lost;
	uint32_t site;
	uint64_t largest_buffer; /* lost */
	uint32_t buffer_line;
	struct {
		uint32_t root;
		uint64_t bytes;
	} roots[ROW_ROOTS];
	uint64_t others; /* bytes by other roots */
};

struct report {
	struct row *rows; /* by cell */
	uint32_t n_rows;
	const struct symbol **symbols;
	uint32_t n_symbols, cap_symbols;
	struct device_buffer *buffers;
	uint32_t *buffer_roots;
	uint32_t n_buffers;
	struct heap_scan *scan;
	bool complete;
};

static void report_release(struct report *r)
{
	free(r->rows);
	free(r->symbols);
	free(r->buffers);
	free(r->buffer_roots);
}

static const struct arena_cells *ledger(void)
{
	return (const struct arena_cells *)arena_header()->root[ARENA_ROOT_CELLS];
}

/* ---- roots ---- */

static void on_device_word(void *data, uint64_t address, uint32_t root)
{
	struct report *r = data;
	uint32_t low = 0, high = r->n_buffers;

	if (root == ROOT_PROCESS)
		return;
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (r->buffers[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low && address - r->buffers[low - 1].address < r->buffers[low - 1].size &&
	    !r->buffer_roots[low - 1])
		r->buffer_roots[low - 1] = root;
}

static void scan_symbol(void *data, const struct symbol *s)
{
	struct report *r = data;
	uint32_t root = ROOT_STATIC;

	if (r->n_symbols < r->cap_symbols) {
		root = ROOT_SYMBOL + r->n_symbols;
		r->symbols[r->n_symbols++] = s;
	}
	/* A large variable is a block of the heap itself. */
	heap_scan_words(r->scan, &s->address, 1, root);
	heap_scan_root(r->scan, s->address, s->size, root);
}

static void count_symbol(void *data, const struct symbol *s)
{
	(void)s;
	++*(uint32_t *)data;
}

static void scan_host_block(void *data, uint64_t address, uint64_t size)
{
	struct report *r = data;

	(void)size;
	heap_scan_words(r->scan, &address, 1, ROOT_CUDA);
}

/* Memory that may go away while it is read is copied, not looked at in place. */
static void scan_mapping(struct report *r, uint64_t start, uint64_t end)
{
	static uint64_t copy[8192];

	while (start < end && heap_scan_complete(r->scan)) {
		size_t part = end - start < sizeof(copy) ? end - start : sizeof(copy);
		struct iovec local = { copy, part }, remote = { (void *)start, part };
		ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

		if (n <= 0)
			return;
		heap_scan_words(r->scan, copy, (size_t)n / 8, ROOT_PROCESS);
		start += (uint64_t)n;
	}
}

/*
 * Memory in which a library or a living thread may keep pointers is scanned: libc's own heap (FILE,
 * handles), data and bss of libraries, thread-local variables of this thread, stacks of threads
 * that a cell has started. The worker's data and the stack of a cell that has ended are not: what
 * looks like a pointer there is a trace of the past.
 */
static void scan_process(struct report *r)
{
	cleanup_file FILE *f = fopen("/proc/self/maps", "re");
	uint64_t start, end, library_end = 0, tls = (uint64_t)(uintptr_t)&cell_mode;
	char line[512], access[5], file[256];

	while (f && fgets(line, sizeof(line), f)) {
		int n = sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s %255s", &start, &end,
			       access, file);
		bool library =
			n == 4 && file[0] == '/' && strstr(file, ".so") && !address_in_arena(start);
		bool bss = n == 3 && start == library_end, heap = n == 4 && !strcmp(file, "[heap]");

		if (library || bss)
			library_end = end;
		if (n >= 3 && !strcmp(access, "rw-p") &&
		    (library || bss || heap || tls - start < end - start ||
		     cell_stack_has_thread(start, end)))
			scan_mapping(r, start, end);
	}
}

/* Widgets that no variable leads to are the browser's. */
static void scan_comms(struct report *r)
{
	const struct comm_table *t =
		(const struct comm_table *)arena_header()->root[ARENA_ROOT_COMMS];

	if (t)
		heap_scan_root(r->scan, (uint64_t)(uintptr_t)t,
			       sizeof(*t) + t->n * sizeof(t->rows[0]), ROOT_STATIC);
}

static void search(struct report *r)
{
	symbols_each_variable(scan_symbol, r);
	heap_scan_root(r->scan, arena_start(ARENA_DATA), arena_header()->top[ARENA_DATA],
		       ROOT_STATIC);
	scan_comms(r);
	device_each_host_block(scan_host_block, r);
	scan_process(r);
	r->complete = heap_scan_complete(r->scan);
}

/* ---- rows ---- */

static void add_root(struct row *row, uint32_t root, uint64_t bytes)
{
	for (int i = 0; i < ROW_ROOTS; i++) {
		if (row->roots[i].root && row->roots[i].root != root)
			continue;
		row->roots[i].root = root;
		row->roots[i].bytes += bytes;
		return;
	}
	row->others += bytes;
}

static void add_block(void *data, const struct heap_scan_block *b)
{
	struct report *r = data;
	struct row *row = b->cell < r->n_rows ? &r->rows[b->cell] : NULL;

	if (!row)
		return;
	row->live += b->footprint;
	row->blocks++;
	if (b->root != HEAP_SCAN_LOST) {
		add_root(row, b->root, b->footprint);
		return;
	}
	row->lost += b->footprint;
	row->lost_blocks++;
	if (b->size > row->largest_lost) {
		row->largest_lost = b->size;
		row->site = b->site;
	}
}

static void add_buffers(struct report *r)
{
	for (uint32_t i = 0; i < r->n_buffers; i++) {
		const struct device_buffer *b = &r->buffers[i];
		struct row *row = b->cell < r->n_rows ? &r->rows[b->cell] : NULL;

		if (!row)
			continue;
		if (r->buffer_roots[i]) {
			add_root(row, r->buffer_roots[i], b->size);
			continue;
		}
		row->device_lost += b->size;
		if (b->size > row->largest_buffer) {
			row->largest_buffer = b->size;
			row->buffer_line = b->line;
		}
	}
}

static int fill(struct report *r, struct error *err)
{
	r->n_rows = ledger() ? ledger()->n : 0;
	symbols_each_variable(count_symbol, &r->cap_symbols);
	r->rows = calloc(r->n_rows + 1, sizeof(*r->rows));
	r->symbols = calloc(r->cap_symbols + 1, sizeof(*r->symbols));
	r->buffers = calloc(BUFFERS_MAX, sizeof(*r->buffers));
	r->buffer_roots = calloc(BUFFERS_MAX, sizeof(*r->buffer_roots));
	if (!r->rows || !r->symbols || !r->buffers || !r->buffer_roots)
		return error_set(err, ERROR_MEMORY, "no memory for the report");
	r->n_buffers = device_buffers(r->buffers, BUFFERS_MAX);
	r->scan = heap_scan_begin(SEARCH_NS, on_device_word, r);
	if (!r->scan)
		return error_set(err, ERROR_MEMORY, "no memory for the search");
	search(r);
	for (uint32_t i = 0; i < r->n_rows; i++) {
		r->rows[i].cell = i;
		r->rows[i].device_live = ledger()->at[i].device_made - ledger()->at[i].device_freed;
	}
	heap_scan_each(r->scan, add_block, r);
	add_buffers(r);
	heap_scan_end(r->scan);
	return 0;
}

int memory_report_lost_buffers(void (*fn)(void *data, const struct device_buffer *b), void *data,
			       struct error *err)
{
	struct report r = { 0 };
	int failed = fill(&r, err);

	if (!failed && !r.complete)
		failed =
			error_set(err, ERROR_LIMIT, "the heap is too large to be searched in time");
	for (uint32_t i = 0; !failed && i < r.n_buffers; i++)
		if (!r.buffer_roots[i])
			fn(data, &r.buffers[i]);
	report_release(&r);
	return failed;
}

/* ---- answer ---- */

/* The name without the prefix that clang gives the control block of a thread-local variable. */
static const char *plain_name(const char *name)
{
	static const char thread_local_prefix[] = "__emutls_v.";
	size_t len = sizeof(thread_local_prefix) - 1;

	return strncmp(name, thread_local_prefix, len) ? name : name + len;
}

static const char *root_name(const struct report *r, uint32_t root)
{
	switch (root) {
	case ROOT_STATIC:
		return "static variables";
	case ROOT_CUDA:
		return "CUDA";
	case ROOT_PROCESS:
		return "libraries";
	default:
		return root - ROOT_SYMBOL < r->n_symbols
			       ? plain_name(r->symbols[root - ROOT_SYMBOL]->name)
			       : "variables";
	}
}

/* "list, numbers and others", those first that hold most. */
static void put_reached(const struct report *r, struct row *row, struct buffer *out)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	for (int n = 0; n < ROW_ROOTS; n++) {
		int best = 0;

		for (int i = 1; i < ROW_ROOTS; i++) {
			if (row->roots[i].bytes > row->roots[best].bytes)
				best = i;
		}
		if (!row->roots[best].bytes)
			break;
		buffer_printf(&text, "%s%s", text.len ? ", " : "",
			      root_name(r, row->roots[best].root));
		row->roots[best].bytes = 0;
	}
	if (row->others)
		buffer_puts(&text, " and others");
	record_put_str(out, buffer_text(&text));
}

static void put_row(const struct report *r, struct row *row, struct buffer *out)
{
	const struct arena_cell *made = &ledger()->at[row->cell];
	struct code_place place = { .function = "" };

	if (row->site)
		loader_describe_code(arena_start(ARENA_CODE) + row->site - 1, &place);
	if (place.in_statements)
		place.cell = row->cell;
	record_put_u32(out, row->cell);
	record_put_u64(out, made->heap_made);
	record_put_u64(out, row->live);
	record_put_u64(out, row->blocks);
	record_put_u64(out, r->complete ? row->lost : 0);
	record_put_u64(out, r->complete ? row->lost_blocks : 0);
	record_put_u64(out, made->device_made);
	record_put_u64(out, row->device_live);
	record_put_u64(out, r->complete ? row->device_lost : 0);
	record_put_u64(out, row->largest_lost);
	record_put_u32(out, place.cell);
	record_put_u32(out, place.line);
	record_put_str(out, place.function);
	record_put_u64(out, row->largest_buffer);
	record_put_u32(out, row->buffer_line);
	put_reached(r, row, out);
}

static uint64_t held(const struct row *row)
{
	return row->live + row->device_live;
}

static int by_held(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (held(x) != held(y))
		return held(x) < held(y) ? 1 : -1;
	return (x->cell > y->cell) - (x->cell < y->cell);
}

static void put_holders(struct report *r, struct buffer *out)
{
	uint32_t n = 0, shown;
	uint64_t left = 0;

	for (uint32_t i = 0; i < r->n_rows; i++) {
		if (ledger()->at[i].heap_made || ledger()->at[i].device_made)
			r->rows[n++] = r->rows[i];
	}
	qsort(r->rows, n, sizeof(*r->rows), by_held);
	shown = n < ROWS_SHOWN ? n : ROWS_SHOWN;
	for (uint32_t i = shown; i < n; i++)
		left += held(&r->rows[i]);
	record_put_u32(out, n - shown);
	record_put_u64(out, left);
	record_put_u32(out, shown);
	for (uint32_t i = 0; i < shown; i++)
		put_row(r, &r->rows[i], out);
}

static void put_cells(struct report *r, struct record *cells, uint32_t n, struct buffer *out)
{
	cleanup_buffer struct buffer rows = BUFFER_INIT;
	uint32_t known = 0;

	while (n--) {
		uint32_t cell = record_u32(cells);

		if (cell >= r->n_rows)
			continue;
		put_row(r, &r->rows[cell], &rows);
		known++;
	}
	record_put_u32(out, 0);
	record_put_u64(out, 0);
	record_put_u32(out, known);
	buffer_append(out, rows.data, rows.len);
}

static void put_totals(bool complete, struct buffer *out)
{
	struct allocator_totals t;

	allocator_totals(&t);
	record_put_u64(out, t.top);
	record_put_u64(out, t.live);
	record_put_u64(out, t.blocks);
	record_put_u64(out, t.free);
	record_put_u64(out, t.largest);
	record_put_u64(out, t.slots);
	record_put_u8(out, complete);
}

int memory_report_answer(const struct ipc_message *m, struct error *err)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct record in = record_open(m->data, m->len);
	struct report r = { 0 };
	uint32_t n;
	int failed;

	record_put_u32(&out, record_u32(&in));
	n = record_count(&in, 4);
	failed = fill(&r, err);
	if (!failed) {
		put_totals(r.complete, &out);
		if (n)
			put_cells(&r, &in, n, &out);
		else
			put_holders(&r, &out);
		failed = record_check(&in, "WORKER_MEMORY", err) || buffer_check(&out, err);
	}
	report_release(&r);
	return failed ? -1 : worker_send(WORKER_MEMORY_REPORT, out.data, out.len, -1, err);
}
