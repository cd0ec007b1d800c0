/* SPDX-License-Identifier: Apache-2.0 */
/* Over libgcc's unwinder, which knows units by their registered tables (runtime/loader/units.c). */
#define _GNU_SOURCE
#include "runtime/backtrace.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unwind.h>

#include "common/worker-protocol.h"
#include "runtime/arena/arena.h"
#include "runtime/cell-stack.h"
#include "runtime/loader/loader.h"
#include "runtime/worker.h"

#define SCAN_WORDS 4096

struct walk {
	uint64_t from;
	bool started;
	struct backtrace_frame *frames;
	unsigned n;
	unsigned max;
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *data)
{
	struct walk *w = data;
	uint64_t pc = _Unwind_GetIP(context);

	if (!w->started && w->from && pc != w->from)
		return _URC_NO_REASON;
	w->started = true;
	if (!pc || w->n == w->max)
		return _URC_END_OF_STACK;
	w->frames[w->n++] = (struct backtrace_frame){ pc, _Unwind_GetCFA(context) };
	return _URC_NO_REASON;
}

/* Frames outside of the cell's run function are ours. */
static unsigned cut_runner(const struct backtrace_frame *frames, unsigned n)
{
	unsigned last = n;

	while (last && !backtrace_in_unit(frames[last - 1].pc))
		last--;
	return last ? last : n;
}

unsigned backtrace_collect(uint64_t from, struct backtrace_frame *ret, unsigned max)
{
	struct walk w = { .from = from, .frames = ret, .max = max };

	_Unwind_Backtrace(visit, &w);
	return cut_runner(ret, w.n);
}

bool backtrace_in_unit(uint64_t pc)
{
	return pc - arena_start(ARENA_CODE) < ARENA_CODE_SIZE;
}

static void name_frame(struct fault_record *f, unsigned i)
{
	/* A return address may lie behind its function's end: the call may be the last instruction. */
	uint64_t inside = f->frames[i] - (i ? 1 : 0);
	struct code_place place;
	Dl_info info;

	f->frame_names[i][0] = '\0';
	f->frame_cells[i] = f->frame_offsets[i] = 0;
	if (backtrace_in_unit(inside)) {
		if (loader_describe_code(inside, &place))
			return;
		snprintf(f->frame_names[i], sizeof(f->frame_names[i]), "%s", place.function);
		f->frame_cells[i] = place.cell;
		f->frame_offsets[i] = place.offset + (i ? 1 : 0);
	} else if (dladdr((void *)inside, &info) && info.dli_sname) {
		snprintf(f->frame_names[i], sizeof(f->frame_names[i]), "%s", info.dli_sname);
		f->frame_offsets[i] = (uint32_t)(f->frames[i] - (uint64_t)(uintptr_t)info.dli_saddr);
	}
}

/* Our own services between the cell and the fault say nothing to the user. What is innermost then is a return address: it
 * is moved back into its call, which may be the last instruction of its function. */
static unsigned skip_services(struct backtrace_frame *frames, unsigned n)
{
	extern const char __executable_start[], etext[];
	unsigned skip = 0;

	while (skip < n && frames[skip].pc - (uint64_t)(uintptr_t)__executable_start < (uint64_t)(etext - __executable_start))
		skip++;
	if (!skip || skip == n)
		return n;
	memmove(frames, frames + skip, (n - skip) * sizeof(*frames));
	frames[0].pc--;
	return n - skip;
}

void backtrace_record(uint64_t from, struct fault_record *f)
{
	static struct backtrace_frame frames[FAULT_FRAMES_MAX];
	unsigned n = skip_services(frames, backtrace_collect(from, frames, FAULT_FRAMES_MAX));

	if (!n && from) {
		frames[0].pc = from;
		n = 1;
	}
	for (unsigned i = 0; i < n; i++) {
		f->frames[i] = frames[i].pc;
		name_frame(f, i);
	}
	f->n_frames = n;
}

/* The bytes before a return address end with a call: e8 and 32 bits, or ff /2 in its lengths. */
static bool after_call(uint64_t pc)
{
#if defined(__x86_64__)
	const unsigned char *p = (const unsigned char *)pc;

	return p[-5] == 0xe8 || (p[-2] == 0xff && (p[-1] & 0x38) == 0x10) || (p[-3] == 0xff && (p[-2] & 0x38) == 0x10) ||
	       (p[-6] == 0xff && (p[-5] & 0x38) == 0x10);
#else
	return true;
#endif
}

uint32_t backtrace_caller_line(void)
{
	const uint64_t *at = __builtin_frame_address(0);
	uint64_t top = arena_attached() ? arena_header()->top[ARENA_CODE] : 0;

	for (unsigned i = 0; i < SCAN_WORDS && cell_stack_contains((uint64_t)(uintptr_t)(at + i)); i++) {
		uint64_t offset = at[i] - arena_start(ARENA_CODE);
		struct code_place place;

		if (offset < 8 || offset >= top || !after_call(at[i]))
			continue;
		if (!loader_describe_code(at[i] - 1, &place) && place.cell == worker.cell && place.line)
			return place.line;
	}
	return 0;
}
