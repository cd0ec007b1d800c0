/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dump of a large device has a section for each warp and several for each thread, hundreds of
 * thousands of them, so that each pass goes over all sections once and nothing is kept of those
 * that do not count.
 *
 * Threads that have an exception count first; if none has, warps with the address of an error, and
 * then multiprocessors, which remember it when the warp is gone. Of several the lowest block and
 * thread is told, so that a fault of a whole grid is told the same way each time.
 */
#include "runtime/cuda/reports/core-dump.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/code/elf-file.h"

#ifndef EM_CUDA
#define EM_CUDA 190
#endif

enum table {
#define TABLE(symbol, type) TABLE_##symbol,
#define FIELD(table, name, offset, size)
#include "runtime/cuda/reports/core-dump.def"
#undef TABLE
#undef FIELD
};

static const uint32_t table_types[] = {
#define TABLE(symbol, type) [TABLE_##symbol] = type,
#define FIELD(table, name, offset, size)
#include "runtime/cuda/reports/core-dump.def"
#undef TABLE
#undef FIELD
};

struct field {
	enum table table;
	uint32_t offset, size;
};

#define TABLE(symbol, type)
#define FIELD(table, name, offset, size)                                                           \
	static const struct field table##_##name = { TABLE_##table, offset, size };
#include "runtime/cuda/reports/core-dump.def"
#undef TABLE
#undef FIELD

/* One section and a row of it. */
struct row {
	uint32_t section;
	Elf64_Shdr header;
	struct elf_bytes bytes;
	uint64_t n;      /* rows of the section */
	uint64_t number; /* this one */
};

struct reader {
	struct elf_file elf;
	struct core_dump *dump;
	bool found;
	struct row lane, warp; /* that are told; a lane without rows: none */
	uint64_t pc, lane_pc;
};

static bool is(const Elf64_Shdr *s, enum table table)
{
	return s->sh_type == table_types[table];
}

static struct row rows_of(const struct reader *r, uint32_t section)
{
	struct row ret = { .section = section, .header = elf_file_section(&r->elf, section) };

	ret.bytes = elf_file_bytes(&r->elf, &ret.header);
	ret.n = ret.header.sh_entsize ? ret.bytes.len / ret.header.sh_entsize : 0;
	return ret;
}

static uint64_t get(const struct row *row, struct field f)
{
	uint64_t value = 0;

	if (is(&row->header, f.table) && row->number < row->n &&
	    f.offset + f.size <= row->header.sh_entsize)
		memcpy(&value, row->bytes.data + row->number * row->header.sh_entsize + f.offset,
		       f.size);
	return value;
}

static struct row above(const struct reader *r, const struct row *row)
{
	struct row ret = rows_of(r, row->header.sh_link);

	ret.number = row->header.sh_info;
	return ret;
}

/* The first table of a kind that belongs to this row; no rows: there is none. */
static struct row below(const struct reader *r, const struct row *row, enum table table)
{
	for (uint32_t i = 1; i < r->elf.n_sections; i++) {
		Elf64_Shdr s = elf_file_section(&r->elf, i);

		if (is(&s, table) && s.sh_link == row->section && s.sh_info == row->number)
			return rows_of(r, i);
	}
	return (struct row){ 0 };
}

/* ---- which thread ---- */

static void thread_of(const struct row *lane, uint32_t ret[3])
{
	ret[0] = (uint32_t)get(lane, LANE_x);
	ret[1] = (uint32_t)get(lane, LANE_y);
	ret[2] = (uint32_t)get(lane, LANE_z);
}

static void block_of(const struct reader *r, const struct row *warp, uint32_t ret[3])
{
	struct row cta = above(r, warp);

	ret[0] = (uint32_t)get(&cta, CTA_x);
	ret[1] = (uint32_t)get(&cta, CTA_y);
	ret[2] = (uint32_t)get(&cta, CTA_z);
}

static bool is_lower(const uint32_t a[3], const uint32_t b[3], bool if_equal)
{
	for (int i = 2; i >= 0; i--)
		if (a[i] != b[i])
			return a[i] < b[i];
	return if_equal;
}

/* One thread of the warp that is told. */
static void add_thread(struct core_dump *d, const struct row *lane)
{
	uint32_t thread[3];

	thread_of(lane, thread);
	if (!d->n_threads || is_lower(thread, d->first, false))
		memcpy(d->first, thread, sizeof(thread));
	if (!d->n_threads || is_lower(d->last, thread, false))
		memcpy(d->last, thread, sizeof(thread));
	d->n_threads++;
}

/* The threads of a warp of which `lane` is one that has faulted: take them if they are lower than
 * those that are known. */
static void take_lanes(struct reader *r, struct row lane, const struct row *warp)
{
	struct core_dump own = { .exception = (uint32_t)get(&lane, LANE_exception) };
	struct row first = lane;

	block_of(r, warp, own.block);
	for (; lane.number < lane.n; lane.number++)
		if (get(&lane, LANE_exception))
			add_thread(&own, &lane);
	if (r->found &&
	    !is_lower(own.block, r->dump->block, is_lower(own.first, r->dump->first, false)))
		return;
	own.n_warps = r->dump->n_warps;
	*r->dump = own;
	r->found = true;
	r->lane = first;
	r->warp = *warp;
}

static void find_lanes(struct reader *r)
{
	for (uint32_t i = 1; i < r->elf.n_sections; i++) {
		Elf64_Shdr s = elf_file_section(&r->elf, i);
		struct row lane, warp;

		if (!is(&s, TABLE_LANE))
			continue;
		lane = rows_of(r, i);
		while (lane.number < lane.n && !get(&lane, LANE_exception))
			lane.number++;
		if (lane.number == lane.n)
			continue;
		warp = above(r, &lane);
		r->dump->n_warps++;
		take_lanes(r, lane, &warp);
	}
}

/* Its active threads stand for a warp whose threads tell nothing. */
static void take_warp(struct reader *r, const struct row *warp)
{
	struct core_dump own = { .n_warps = r->dump->n_warps };
	uint64_t active = get(warp, WARP_active);
	struct row lane = below(r, warp, TABLE_LANE);

	block_of(r, warp, own.block);
	r->found = true;
	r->warp = *warp;
	r->lane = lane;
	for (; lane.number < lane.n; lane.number++) {
		if (!(active >> (get(&lane, LANE_number) & 31) & 1))
			continue;
		if (!own.n_threads)
			r->lane = lane;
		add_thread(&own, &lane);
	}
	*r->dump = own;
}

static void find_warps(struct reader *r)
{
	for (uint32_t i = 1; i < r->elf.n_sections; i++) {
		Elf64_Shdr s = elf_file_section(&r->elf, i);
		struct row warp;

		if (!is(&s, TABLE_WARP))
			continue;
		for (warp = rows_of(r, i); warp.number < warp.n; warp.number++) {
			if (!get(&warp, WARP_error_pc_valid))
				continue;
			r->dump->n_warps++;
			if (r->dump->n_warps == 1)
				take_warp(r, &warp);
		}
	}
}

static void find_multiprocessor(struct reader *r)
{
	for (uint32_t i = 1; i < r->elf.n_sections && !r->found; i++) {
		Elf64_Shdr s = elf_file_section(&r->elf, i);
		struct row sm;

		if (!is(&s, TABLE_SM))
			continue;
		for (sm = rows_of(r, i); sm.number < sm.n && !get(&sm, SM_exception); sm.number++)
			;
		if (sm.number == sm.n)
			continue;
		r->found = true;
		r->dump->exception = (uint32_t)get(&sm, SM_exception);
		r->pc = get(&sm, SM_error_pc_valid) ? get(&sm, SM_error_pc) : 0;
	}
}

/* ---- which place ---- */

static bool find_place(const struct reader *r, uint64_t pc, struct cubin_place *ret)
{
	for (uint32_t i = 1; pc && i < r->elf.n_sections; i++) {
		Elf64_Shdr s = elf_file_section(&r->elf, i);
		struct elf_bytes image = elf_file_bytes(&r->elf, &s);

		if (is(&s, TABLE_IMAGE) && cubin_lines_find(&image, pc, ret))
			return true;
	}
	return false;
}

static void append(struct cubin_place *to, const struct cubin_place *from)
{
	for (uint32_t i = 0; i < from->n_frames && to->n_frames < CUBIN_FRAMES_MAX; i++)
		to->frames[to->n_frames++] = from->frames[i];
}

/*
 * The error, and from there outwards the calls that a thread was in. What the driver itself puts
 * behind a call, such as that of an assertion, has no lines: then the call tells the place. A
 * thread may have gone on since the error: then its calls are not those of the error.
 */
static void set_place(struct reader *r)
{
	struct cubin_place *known = &r->dump->place, at, own;
	struct row calls = r->lane.n ? below(r, &r->lane, TABLE_CALLS) : (struct row){ 0 };
	bool found = find_place(r, r->pc, known);
	bool stands = r->pc == r->lane_pc || (found && find_place(r, r->lane_pc, &own) &&
					      !strcmp(own.function, known->function));

	if (!found)
		memset(known, 0, sizeof(*known));
	if (known->n_frames && !stands)
		return;
	for (; calls.number < calls.n; calls.number++) {
		/* It is behind the call. */
		if (!find_place(r, get(&calls, CALLS_return_address) - 1, &at))
			continue;
		if (known->n_frames)
			append(known, &at);
		else if (at.n_frames || !*known->kernel)
			*known = at;
	}
}

static void set_kernel(struct reader *r)
{
	struct row cta = above(r, &r->warp);
	uint64_t id = get(&cta, CTA_grid);
	struct cubin_place at;

	for (uint32_t i = 1; cta.n && i < r->elf.n_sections; i++) {
		Elf64_Shdr s = elf_file_section(&r->elf, i);
		struct row grid;

		if (!is(&s, TABLE_GRID))
			continue;
		for (grid = rows_of(r, i); grid.number < grid.n; grid.number++)
			if (get(&grid, GRID_id) == id &&
			    find_place(r, get(&grid, GRID_entry_address), &at)) {
				memcpy(r->dump->place.kernel, at.kernel, sizeof(at.kernel));
				return;
			}
	}
}

/* ---- the whole ---- */

static int check(const struct reader *r, struct error *err)
{
	if (r->elf.type != ET_CORE || r->elf.machine != EM_CUDA)
		return error_set(err, ERROR_INPUT, "it is no core dump of a GPU");
	if (!r->elf.n_sections)
		return error_set(err, ERROR_INPUT, "the core dump is empty or cut short");
	for (uint32_t i = 1; i < r->elf.n_sections; i++) {
		Elf64_Shdr s = elf_file_section(&r->elf, i);

		if (s.sh_type != SHT_NULL && s.sh_type != SHT_NOBITS && s.sh_size &&
		    !elf_file_bytes(&r->elf, &s).data)
			return error_set(err, ERROR_INPUT, "the core dump is cut short");
	}
	return 0;
}

int core_dump_read(const void *data, size_t len, struct core_dump *ret, struct error *err)
{
	struct reader r = { .dump = ret };

	memset(ret, 0, sizeof(*ret));
	if (elf_file_open(&r.elf, data, len, err) || check(&r, err))
		return -1;
	find_lanes(&r);
	if (!r.found)
		find_warps(&r);
	if (!r.found)
		find_multiprocessor(&r);
	if (!r.found)
		return error_set(err, ERROR_NOT_FOUND,
				 "the core dump has no thread that has faulted");
	if (r.warp.n) {
		r.lane_pc = get(&r.lane, LANE_pc);
		r.pc = get(&r.warp, WARP_error_pc_valid) ? get(&r.warp, WARP_error_pc) : r.lane_pc;
	}
	set_place(&r);
	set_kernel(&r);
	return 0;
}

const char *core_dump_exception_name(uint32_t exception)
{
	static const char *const names[] = {
#define EXCEPTION(number, name) [number] = name,
#include "runtime/cuda/reports/device-exceptions.def"
#undef EXCEPTION
	};

	return exception < sizeof(names) / sizeof(names[0]) ? names[exception] : NULL;
}
