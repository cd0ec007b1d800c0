/* SPDX-License-Identifier: Apache-2.0 */
/*
 * After each frame the end of the table is compared with what stands before it: two equal rows of
 * up to CYCLE_MAX frames are a cycle. From there on a frame that continues the cycle is only
 * counted; the first that does not ends it, and the part of the cycle that had been seen again is
 * written out.
 */
#include "runtime/faults/backtrace-fold.h"

#include <string.h>

#include "common/protocol/worker-protocol.h"

#define CYCLE_MAX 8u
#define TAIL 16u /* outermost frames that are always kept */

void backtrace_fold_init(struct backtrace_fold *f, struct fault_record *record)
{
	*f = (struct backtrace_fold){ .record = record };
	record->n_frames = record->omitted_at = 0;
	record->n_omitted = 0;
}

static bool in_cycle(const struct fault_record *r, uint32_t index)
{
	for (uint32_t i = 0; i < r->n_frames && i <= index; i++) {
		if (r->frames[i].cycle && index - i < r->frames[i].cycle)
			return true;
	}
	return false;
}

/* The table is full: the oldest frame of its tail goes. */
static void omit(struct fault_record *r)
{
	uint32_t at = FAULT_FRAMES_MAX - TAIL;
	struct fault_frame *gone = &r->frames[at];

	r->omitted_at = at;
	r->n_omitted += gone->times ? (uint64_t)gone->times : 1;
	memmove(gone, gone + 1, (TAIL - 1) * sizeof(*gone));
	r->n_frames--;
}

static int append(struct fault_record *r, uint64_t pc)
{
	if (r->n_frames == FAULT_FRAMES_MAX)
		omit(r);
	r->frames[r->n_frames] = (struct fault_frame){ .pc = pc };
	return (int)r->n_frames++;
}

static bool rows_equal(const struct fault_record *r, uint32_t first, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++) {
		if (r->frames[first + i].pc != r->frames[first + length + i].pc)
			return false;
	}
	return !in_cycle(r, first) && !in_cycle(r, first + length - 1);
}

/* The innermost frame is no return address, so it is not part of a cycle. */
static void look_for_cycle(struct backtrace_fold *f)
{
	struct fault_record *r = f->record;

	if (r->n_omitted)
		return;
	for (uint32_t length = 1; length <= CYCLE_MAX && 2 * length < r->n_frames; length++) {
		uint32_t first = r->n_frames - 2 * length;

		if (!rows_equal(r, first, length))
			continue;
		r->frames[first].cycle = length;
		r->frames[first].times = 2;
		r->n_frames -= length;
		f->cycle_at = first;
		f->at = 0;
		f->folding = true;
		return;
	}
}

static void leave_cycle(struct backtrace_fold *f)
{
	uint64_t again[CYCLE_MAX];
	uint32_t n = f->at;

	for (uint32_t i = 0; i < n; i++)
		again[i] = f->record->frames[f->cycle_at + i].pc;
	f->folding = false;
	f->at = 0;
	for (uint32_t i = 0; i < n; i++)
		append(f->record, again[i]);
}

int backtrace_fold_add(struct backtrace_fold *f, uint64_t pc)
{
	struct fault_frame *cycle = &f->record->frames[f->cycle_at];
	uint32_t n;

	if (f->folding && pc == cycle[f->at].pc) {
		if (++f->at == cycle->cycle) {
			f->at = 0;
			cycle->times++;
		}
		return -1;
	}
	if (f->folding)
		leave_cycle(f);
	n = (uint32_t)append(f->record, pc);
	look_for_cycle(f);
	return n < f->record->n_frames ? (int)n : -1;
}

void backtrace_fold_end(struct backtrace_fold *f)
{
	if (f->folding)
		leave_cycle(f);
}

uint32_t backtrace_fold_times(const struct backtrace_fold *f)
{
	return f->folding ? f->record->frames[f->cycle_at].times : 0;
}
