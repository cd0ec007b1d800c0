/* SPDX-License-Identifier: Apache-2.0 */
/* Over libgcc's unwinder, which knows units by their registered tables (runtime/loader/units.c). */
#define _GNU_SOURCE
#include "runtime/faults/backtrace.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unwind.h>

#include "common/code/unit.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/arena/arena.h"
#include "runtime/faults/backtrace-fold.h"
#include "runtime/loader/loader.h"
#include "runtime/loader/symbols.h"
#include "runtime/process/cell-mode.h"
#include "runtime/process/cell-stack.h"
#include "runtime/process/context.h"
#include "runtime/process/worker.h"

/* libgcc: the entry of the unwind tables for an address. */
extern const void *_Unwind_Find_FDE(void *pc, void *bases[3]);

#define SCAN_WORDS 4096
#define SITE_WORDS                                                                                 \
	256           /* how far above malloc() a function that calls it for a cell is looked for */
#define FAST_AFTER 64 /* repeats of a cycle, from which on the tables are not asked again */

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

/* ---- for a fault record ---- */

/* Callee-saved registers by DWARF number: rbx, rbp, r12 to r15; x19 to x30. */
#if defined(__x86_64__)
static const uint8_t kept[] = { 3, 6, 12, 13, 14, 15 };
#define REGISTER_SP 7
#define REGISTER_FP 6
#else
static const uint8_t kept[] = { 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30 };
#define REGISTER_SP 31
#define REGISTER_FP 29
#endif

struct recording {
	struct fault_record *record;
	const void *context; /* of the signal; NULL for none */
	struct backtrace_fold fold;
	uint64_t from;
	bool started; /* the frame whose pc is `from` was seen */
	uint64_t fp;  /* of the last frame, if it is a unit's */
};

static bool in_services(uint64_t pc)
{
	extern const char __executable_start[], etext[];

	return pc - (uint64_t)(uintptr_t)__executable_start <
	       (uint64_t)(etext - __executable_start);
}

static void keep_registers(struct fault_record *f, uint32_t row, struct _Unwind_Context *context)
{
	uint64_t *to = f->registers[row];

	memset(to, 0, sizeof(f->registers[row]));
	for (unsigned i = 0; i < sizeof(kept); i++)
		to[kept[i]] = _Unwind_GetGR(context, kept[i]);
	to[REGISTER_SP] = _Unwind_GetCFA(context);
	f->known[row] = 1ull << REGISTER_SP;
	for (unsigned i = 0; i < sizeof(kept); i++)
		f->known[row] |= 1ull << kept[i];
	f->n_registers = row + 1;
}

static void keep_all_registers(struct fault_record *f, const void *context)
{
	context_registers(context, f->registers[0]);
	f->known[0] = UINT64_MAX;
	f->n_registers = 1;
}

static _Unwind_Reason_Code record_frame(struct _Unwind_Context *context, void *data)
{
	struct recording *r = data;
	struct fault_record *f = r->record;
	int interrupted = 0;
	uint64_t pc = _Unwind_GetIPInfo(context, &interrupted);
	bool exact = pc == r->from;
	int row;

	if (!r->started && r->from && !exact)
		return _URC_NO_REASON;
	/* No return address: it would be looked for one byte in front. What is inside of it is the
	 * way of the signal. */
	if (interrupted && r->started) {
		pc++;
		if (f->n_frames)
			snprintf(f->frames[f->n_frames - 1].name, sizeof(f->frames[0].name),
				 "the handling of a signal");
	}
	r->started = true;
	if (!pc)
		return _URC_END_OF_STACK;
	/* Our own services between the cell and the fault say nothing to the user. */
	if (!f->n_frames && in_services(pc))
		return _URC_NO_REASON;
	/* Without them what is innermost is a return address: it is moved back into its call, which
	 * may be the last instruction of its function. */
	row = backtrace_fold_add(&r->fold, !f->n_frames && !exact ? pc - 1 : pc);
	if (row == 0 && exact && r->context) {
		keep_all_registers(f, r->context);
	} else if (row >= 0 && row < FAULT_REGISTER_FRAMES) {
		keep_registers(f, (uint32_t)row, context);
	}
	r->fp = backtrace_in_unit(pc) ? _Unwind_GetGR(context, REGISTER_FP) : 0;
	return r->fp && backtrace_fold_times(&r->fold) > FAST_AFTER ? _URC_END_OF_STACK
								    : _URC_NO_REASON;
}

/* Units keep frame pointers, so a million calls of a recursion are walked without the tables. */
static void walk_fast(struct recording *r)
{
	uint64_t fp = r->fp;

	while (fp % 8 == 0 && cell_stack_contains(fp) && cell_stack_contains(fp + 15)) {
		const uint64_t *saved = (const uint64_t *)fp;

		if (!backtrace_in_unit(saved[1]))
			return;
		backtrace_fold_add(&r->fold, saved[1]);
		if (saved[0] <= fp)
			return;
		fp = saved[0];
	}
}

/* Nothing says how to unwind from here: a call through a bad pointer. The caller's registers are as
 * they were. */
static bool is_nowhere(uint64_t pc)
{
	void *bases[3];

	return !_Unwind_Find_FDE((void *)pc, bases);
}

static void record_caller_of_nowhere(struct recording *r, uint64_t pc)
{
	struct fault_record *f = r->record;
	uint64_t back = context_return_address(r->context);

	backtrace_fold_add(&r->fold, pc);
	keep_all_registers(f, r->context);
	if (!backtrace_in_unit(back))
		return;
	backtrace_fold_add(&r->fold, back);
	memcpy(f->registers[1], f->registers[0], sizeof(f->registers[0]));
	f->known[1] = f->known[0];
	f->n_registers = 2;
	r->fp = f->registers[0][REGISTER_FP];
	walk_fast(r);
}

/* Everybody knows where printf() is. */
static bool is_of_every_program(const char *file)
{
	static const char *const names[] = { "libc.so",      "libm.so",     "libpthread.so",
					     "libstdc++.so", "libgcc_s.so", "ld-linux" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(file, names[i], strlen(names[i])))
			return true;
	return false;
}

/* The code that memcpy() really runs has no name that its library tells, so it gets the one by
 * which the unit has called it. */
static void name_library_frame(struct fault_frame *f, uint64_t inside, const Dl_info *info)
{
	const struct symbol *s = symbols_library_at(inside);
	uint64_t at = info->dli_sname ? (uint64_t)(uintptr_t)info->dli_saddr : 0;
	const char *file = info->dli_fname ? strrchr(info->dli_fname, '/') : NULL;
	bool told = file && !in_services(inside) && !is_of_every_program(file + 1);

	const char *name = s && s->address >= at ? s->name : info->dli_sname;

	if (name && !strncmp(name, UNIT_OF_LIBRARY, strlen(UNIT_OF_LIBRARY)))
		name += strlen(UNIT_OF_LIBRARY);
	if ((s && s->address >= at) || at)
		snprintf(f->name, sizeof(f->name), "%s%s%s%s", name, told ? " (" : "",
			 told ? file + 1 : "", told ? ")" : "");
	else if (file)
		snprintf(f->name, sizeof(f->name), "a function of %s", file + 1);
}

/* A function of this program has a name that says something only if a cell has called it. */
static void hide_service(struct fault_record *f, uint32_t i)
{
	if (in_services(f->frames[i].pc) && i + 1 < f->n_frames &&
	    !backtrace_in_unit(f->frames[i + 1].pc))
		snprintf(f->frames[i].name, sizeof(f->frames[i].name), "%s", FAULT_FRAME_HIDDEN);
}

static void name_frame(struct fault_frame *f, bool innermost)
{
	/* A return address may lie behind its function's end: the call may be the last instruction.
	 */
	uint64_t inside = f->pc - !innermost;
	struct code_place place;
	Dl_info info;

	if (*f->name)
		return;
	if (backtrace_in_unit(inside)) {
		if (loader_describe_code(inside, &place))
			return;
		snprintf(f->name, sizeof(f->name), "%s", place.function);
		f->cell = place.cell;
		f->offset = place.offset;
	} else if (dladdr((void *)inside, &info)) {
		name_library_frame(f, inside, &info);
	}
}

/* Frames outside of the cell's run function are ours. */
static void leave_out_runner(struct fault_record *f)
{
	uint32_t n = f->n_frames;

	while (n && !backtrace_in_unit(f->frames[n - 1].pc))
		n--;
	if (n)
		f->n_frames = n;
}

void backtrace_record(uint64_t from, const void *context, struct fault_record *f)
{
	struct recording r = { .record = f, .context = context, .from = from };

	backtrace_fold_init(&r.fold, f);
	f->n_registers = 0;
	if (context && is_nowhere(from))
		record_caller_of_nowhere(&r, from);
	else
		_Unwind_Backtrace(record_frame, &r);
	if (backtrace_fold_times(&r.fold) > FAST_AFTER && r.fp)
		walk_fast(&r);
	backtrace_fold_end(&r.fold);
	leave_out_runner(f);
	if (!f->n_frames && from) {
		f->frames[0] = (struct fault_frame){ .pc = from };
		f->n_frames = 1;
	}
	for (uint32_t i = 0; i < f->n_frames; i++) {
		hide_service(f, i);
		name_frame(&f->frames[i], !i);
	}
}

/* The bytes before a return address end with a call: e8 and 32 bits, or ff /2 in its lengths. */
static bool after_call(uint64_t pc)
{
#if defined(__x86_64__)
	const unsigned char *p = (const unsigned char *)pc;

	return p[-5] == 0xe8 || (p[-2] == 0xff && (p[-1] & 0x38) == 0x10) ||
	       (p[-3] == 0xff && (p[-2] & 0x38) == 0x10) ||
	       (p[-6] == 0xff && (p[-5] & 0x38) == 0x10);
#else
	(void)pc;
	return true;
#endif
}

bool backtrace_is_stub(const char *function)
{
	return strstr(function, "__device_stub__") != NULL;
}

uint32_t backtrace_caller_line(void)
{
	const uint64_t *at = __builtin_frame_address(0);
	uint64_t top = arena_attached() ? arena_header()->top[ARENA_CODE] : 0;

	for (unsigned i = 0; i < SCAN_WORDS && cell_stack_contains((uint64_t)(uintptr_t)(at + i));
	     i++) {
		uint64_t offset = at[i] - arena_start(ARENA_CODE);
		struct code_place place;

		if (offset < 8 || offset >= top || !after_call(at[i]))
			continue;
		if (loader_describe_code(at[i] - 1, &place) || place.cell != worker.cell ||
		    backtrace_is_stub(place.function))
			continue;
		if (place.line)
			return place.line;
	}
	return 0;
}

uint32_t backtrace_allocation_site(void)
{
	const uint64_t *at = __builtin_frame_address(0);
	uint64_t offset = (uint64_t)(uintptr_t)cell_mode.caller - arena_start(ARENA_CODE), top;

	if (offset < ARENA_CODE_SIZE)
		return (uint32_t)offset;
	top = arena_header()->top[ARENA_CODE];
	for (unsigned i = 0; i < SITE_WORDS && cell_stack_contains((uint64_t)(uintptr_t)(at + i));
	     i++) {
		offset = at[i] - arena_start(ARENA_CODE);
		if (offset >= 8 && offset < top && after_call(at[i]))
			return (uint32_t)offset;
	}
	return 0;
}
