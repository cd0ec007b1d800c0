/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	 runs -- int3 --> is it ours? -- no ---------------------------------> the fault of a cell
 *	  ^                   | yes
 *	  |                   v
 *	  |     this thread is the one that traps (others wait)
 *	  |                   |-- the end of a step, or a breakpoint of the user --> stands
 *	  |                   v                                                        |
 *	  +-- SIGTRAP -- the code's own byte runs alone, by the trap flag <-- resumed -+
 *
 * A step that ends at a line ends in the call in which it began, or in one of its callers: a call
 * is known by its frame pointer, and those of its callers are higher. The same line of a deeper
 * call, by recursion, is passed by.
 *
 * 1. Between int3 and the SIGTRAP of the trap flag the thread has `trapping`; who stands in front
 *    of it sleeps.
 * 2. The other threads of the cell stand still from the stop to the end of that one instruction, so
 *    that none of them runs over the byte that is lifted. Threads that are not the cell's own
 *    cannot stop others: see threads.h.
 * 3. SIGUSR1 waits while a thread stands: an interrupt unwinds from the line and not from here.
 *
 * A thread of device code stops in the emulated driver, which gets the same breakpoints by their
 * lines and calls device_stopped(). It stands as a thread of the host does. A step of it that ends
 * with the launch is one of the host's to the line behind the launch.
 */
#define _GNU_SOURCE
#include "runtime/debugger/cell-stop.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/futex.h"
#include "common/code/bound-expression.h"
#include "common/cuda/device-stop.h"
#include "common/protocol/debug-stop.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/debugger/breakpoint-table.h"
#include "runtime/debugger/code-lines.h"
#include "runtime/faults/backtrace.h"
#include "runtime/faults/host-fault.h"
#include "runtime/loader/loader.h"
#include "runtime/process/cell-mode.h"
#include "runtime/process/context.h"
#include "runtime/process/threads.h"
#include "runtime/process/worker.h"

#define FREEZE_MS 200
#define LAUNCH_FRAMES_MAX 100 /* between a launch and the emulated driver at work */
/* DWARF numbers of x86-64. */
#define REGISTER_FRAME 6
#define REGISTER_STACK 7

/* A step that was asked for. */
struct step {
	enum debug_command command; /* DEBUG_CONTINUE: none */
	bool is_pause;              /* it ends at the first line that the thread comes to */
	pid_t thread;
	uint64_t frame, stack; /* of the call in which it began */
	uint32_t line;
};

static struct {
	bool on;
	struct breakpoint_table table;
	struct step step;
	_Atomic uint32_t trapping; /* a thread is between int3 and the end of its instruction */
	pid_t thread;              /* that one */
	uint64_t lifted;           /* the breakpoint whose instruction runs; 0: none */
	bool frozen;               /* the other threads stand still */
	uint32_t pauses;           /* of the kernel's signals: how many were seen */
	struct device_debugger device;
} stop;

/* ---- breakpoints ---- */

static void add(void *data, uint64_t address)
{
	breakpoint_table_add(&stop.table, address, *(const enum breakpoint_reason *)data);
}

/* Tells the emulated driver, which knows a cell by the name of its text. */
static void set_device_breakpoints(void)
{
	const struct debug_stop *d = &worker.control->debug;
	struct device_debugger *to = &stop.device;

	to->n = d->n < DEBUG_BREAKPOINTS_MAX ? d->n : DEBUG_BREAKPOINTS_MAX;
	for (uint32_t i = 0; i < to->n; i++) {
		snprintf(to->at[i].file, sizeof(to->at[i].file), "In[%u]", d->at[i].cell);
		to->at[i].line = code_lines_next(d->at[i].cell, d->at[i].line);
	}
	to->has_thread = d->thread.is_named;
	memcpy(to->block, d->thread.block, sizeof(to->block));
	memcpy(to->thread, d->thread.thread, sizeof(to->thread));
}

/* Returns the condition of the breakpoint that a thread of device code has come to; 0: none. */
static uint32_t device_condition(const struct device_stop *s)
{
	const struct debug_stop *d = &worker.control->debug;

	for (uint32_t i = 0; i < d->n && i < stop.device.n; i++)
		if (stop.device.at[i].line == s->frames[0].line &&
		    !strcmp(stop.device.at[i].file, s->frames[0].file))
			return d->at[i].condition;
	return 0;
}

static void add_of_user(void *data, uint64_t address)
{
	breakpoint_table_add_of_user(&stop.table, address, *(const uint32_t *)data);
}

static void drop_all_breakpoints(void)
{
	breakpoint_table_drop(&stop.table, UINT8_MAX);
	stop.device.n = 0;
}

static void set_breakpoints(void)
{
	const struct debug_stop *d = &worker.control->debug;

	breakpoint_table_drop(&stop.table, BREAKPOINT_OF_USER);
	for (uint32_t i = 0; i < d->n && i < DEBUG_BREAKPOINTS_MAX; i++) {
		uint32_t condition = d->at[i].condition;
		const struct code_lines_visitor v = { add_of_user, &condition };

		code_lines_each_start(d->at[i].cell, d->at[i].line, &v);
	}
	set_device_breakpoints();
}

/* ---- conditions ---- */

/* Reads the session's memory, which may be protected, without a fault. */
static bool read_own(void *data, uint64_t address, void *ret, size_t len)
{
	struct iovec to = { ret, len }, from = { (void *)(uintptr_t)address, len };

	(void)data;
	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)len;
}

/* Tells whether the breakpoint has a condition that is false here. One that cannot be computed is
 * the kernel's to tell. */
static bool is_passed_by(const struct breakpoint *b, const void *context)
{
	const struct debug_stop_conditions *c = &worker.control->debug.conditions;
	uint32_t i = b->condition - 1, len;
	bool is_true = true;

	/* The number 0 of none is among those that are too large. */
	if (i >= DEBUG_CONDITIONS_MAX)
		return false;
	len = c->len[i];
	return len && len <= sizeof(c->bytes[i]) &&
	       !bound_expression_is_true(c->bytes[i], len, b->address, context_frame(context),
					 read_own, &is_true, NULL) &&
	       !is_true;
}

/* ---- steps ---- */

/* The lines of this call and its callers, and where it returns to. The line of the step itself is
 * none, so that a loop in it runs at full speed. */
static void add_lines(const struct fault_record *f, bool with_own)
{
	enum breakpoint_reason line = BREAKPOINT_AT_LINE;
	const struct code_lines_visitor v = { add, &line };
	bool has_return = false;

	for (uint32_t i = 0; i < f->n_frames; i++) {
		uint64_t pc = f->frames[i].pc;

		if (!f->frames[i].cell)
			continue;
		if (i || with_own)
			code_lines_each_of_function(i ? pc - 1 : pc, i ? 0 : stop.step.line, &v);
		if (i && !has_return)
			breakpoint_table_add(&stop.table, pc, BREAKPOINT_AT_RETURN);
		has_return |= i > 0;
	}
}

static void begin_step(enum debug_command command, bool is_pause, const struct fault_record *f)
{
	enum breakpoint_reason body = BREAKPOINT_AT_BODY;
	const struct code_lines_visitor v = { add, &body };

	breakpoint_table_drop(&stop.table, BREAKPOINT_OF_STEP);
	stop.device.steps_in = command == DEBUG_STEP_IN && !is_pause;
	stop.step = (struct step){ .command = command,
				   .is_pause = is_pause,
				   .thread = gettid(),
				   .frame = f->registers[0][REGISTER_FRAME],
				   .stack = f->registers[0][REGISTER_STACK],
				   .line = is_pause ? 0 : code_lines_at(f->frames[0].pc) };
	if (command == DEBUG_CONTINUE || command == DEBUG_GIVE_UP)
		return;
	add_lines(f, command != DEBUG_STEP_OUT);
	if (command == DEBUG_STEP_IN)
		code_lines_each_body(&v);
}

/* Tells whether the step is over at this breakpoint. */
static bool ends_step(const struct breakpoint *b, const void *context)
{
	const struct step *s = &stop.step;
	uint64_t frame = context_frame(context), stack = context_sp(context);

	if (s->command == DEBUG_CONTINUE || s->thread != gettid())
		return false;
	if (s->is_pause)
		return b->reasons & (BREAKPOINT_AT_BODY | BREAKPOINT_AT_LINE);
	if (b->reasons & BREAKPOINT_AT_BODY && stack < s->stack)
		return true;
	if (b->reasons & BREAKPOINT_AT_RETURN && stack > s->stack)
		return true;
	if (!(b->reasons & BREAKPOINT_AT_LINE))
		return false;
	if (frame == s->frame)
		return s->command != DEBUG_STEP_OUT && code_lines_at(b->address) != s->line;
	return frame > s->frame;
}

/* ---- standing ---- */

static void block_interrupts(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* The calls are in the record. Returns how the kernel lets the thread go on, by which breakpoints
 * are set anew. */
static enum debug_command await_command(enum debug_reason reason, uint32_t condition)
{
	struct {
		uint8_t reason;
		uint32_t condition;
	} __attribute__((packed)) message = { (uint8_t)reason, condition };
	enum debug_command command;

	/* Before the kernel looks at memory. */
	if (!stop.frozen && !threads_current())
		stop.frozen = threads_freeze(FREEZE_MS);
	atomic_fetch_add(&worker.control->debug.stops, 1);
	if (worker_send(WORKER_STOPPED, &message, sizeof(message), -1, NULL))
		return DEBUG_GIVE_UP;
	command = debug_stop_await(worker.control, host_fault_describe_value);
	if (command == DEBUG_GIVE_UP)
		drop_all_breakpoints();
	else
		set_breakpoints();
	return command;
}

/* Stands at the address until the kernel lets it go on. */
static void stand(uint64_t address, enum debug_reason reason, uint32_t condition, void *context)
{
	struct fault_record *f = worker_clear_fault();
	enum debug_command command;

	backtrace_record(address, context, f);
	command = await_command(reason, condition);
	if (command != DEBUG_PASS)
		begin_step(command, false, f);
	worker_clear_fault();
}

/* ---- turns ---- */

static void take_turn(void)
{
	uint32_t none = 0;

	while (!atomic_compare_exchange_strong(&stop.trapping, &none, 1)) {
		futex_wait(&stop.trapping, 1, NULL);
		none = 0;
	}
	stop.thread = gettid();
}

static void end_turn(void)
{
	if (stop.frozen)
		threads_thaw();
	stop.frozen = false;
	stop.thread = 0;
	atomic_store(&stop.trapping, 0);
	futex_wake(&stop.trapping);
}

/* ---- device code ---- */

/* Returns where the cell goes on behind the launch; 0: not known. */
static uint64_t launch_return(void)
{
	struct backtrace_frame frames[LAUNCH_FRAMES_MAX];
	unsigned n = backtrace_collect(0, frames, LAUNCH_FRAMES_MAX);
	struct code_place place;

	for (unsigned i = 0; i < n; i++)
		if (backtrace_in_unit(frames[i].pc) &&
		    !loader_describe_code(frames[i].pc - 1, &place) &&
		    !backtrace_is_stub(place.function))
			return frames[i].pc;
	return 0;
}

/* Records the calls from the launch on: those of the driver and of the kernel's stub are not the
 * user's. */
static void record_launch(struct fault_record *f)
{
	uint64_t from = launch_return();

	if (!from)
		return;
	backtrace_record(from, NULL, f);
	/* The call is meant, and not what comes behind it. */
	f->frames[0].pc--;
	f->frames[0].offset--;
}

static enum debug_command device_stopped(enum debug_reason reason, const struct device_stop *s)
{
	enum debug_command command;
	struct fault_record *f;
	sigset_t before;

	if (!stop.on || getpid() != worker.pid)
		return DEBUG_GIVE_UP;
	cell_mode_enter_library();
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	block_interrupts();
	take_turn();
	f = worker_clear_fault();
	record_launch(f);
	f->device = (uint64_t)(uintptr_t)s;
	command = await_command(reason, reason == DEBUG_AT_BREAKPOINT ? device_condition(s) : 0);
	if (command != DEBUG_PASS) {
		bool is_step = command != DEBUG_CONTINUE && command != DEBUG_GIVE_UP;

		begin_step(is_step && f->n_registers ? DEBUG_NEXT : DEBUG_CONTINUE, false, f);
	}
	worker_clear_fault();
	end_turn();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	cell_mode_leave_library();
	return command;
}

const struct device_debugger *cell_stop_device(void)
{
	stop.device.stopped = device_stopped;
	return &stop.device;
}

/* ---- traps ---- */

/*
 * The kernel wants the cell to stop. That is a step from wherever the thread is, of which each line
 * is the end. In the middle of a trap, and before the cell runs, the wish stays for who comes next.
 */
static void take_pause(void *context)
{
	struct fault_record *f;
	int saved = errno;

	if (!atomic_load(&worker.control->debug.pause))
		return;
	if (!stop.on || stop.thread == gettid())
		return;
	atomic_store(&worker.control->debug.pause, 0);
	cell_mode_enter_library();
	block_interrupts();
	take_turn();
	f = worker_clear_fault();
	backtrace_record(context_pc(context), context, f);
	begin_step(DEBUG_STEP_IN, true, f);
	worker_clear_fault();
	end_turn();
	cell_mode_leave_library();
	errno = saved;
}

/* The instruction of a breakpoint has run. */
static bool take_step(void *context)
{
	const struct breakpoint *b;

	if (!stop.lifted || stop.thread != gettid())
		return false;
	b = breakpoint_table_find(&stop.table, stop.lifted);
	if (b)
		breakpoint_table_lower(b);
	stop.lifted = 0;
	context_set_step(context, false);
	end_turn();
	take_pause(context);
	return true;
}

static void stop_or_pass(uint64_t address, void *context)
{
	const struct breakpoint *b = breakpoint_table_find(&stop.table, address);

	if (b && ends_step(b, context))
		stand(address, stop.step.is_pause ? DEBUG_AT_PAUSE : DEBUG_AT_STEP, 0, context);
	else if (b && b->reasons & BREAKPOINT_OF_USER && !is_passed_by(b, context))
		stand(address, DEBUG_AT_BREAKPOINT, b->condition, context);
	b = breakpoint_table_find(&stop.table, address);
	if (!b) {
		end_turn();
		take_pause(context);
		return;
	}
	breakpoint_table_lift(b);
	stop.lifted = address;
	context_set_step(context, true);
}

/* The signal of a pause may come late, when a step has taken the wish, or the cell has stood
 * meanwhile: that is no trap of the cell. */
static bool is_from_kernel(void)
{
	uint32_t sent = atomic_load(&worker.control->debug.pauses);
	bool is_new = sent != stop.pauses;

	stop.pauses = sent;
	return is_new;
}

static bool take_trap(const siginfo_t *info, void *context)
{
	uint64_t address = context_pc(context) - 1;
	int saved = errno;

	if (info->si_code == SI_TKILL) {
		if (!is_from_kernel())
			return false;
		take_pause(context);
		return true;
	}
	if (info->si_code == TRAP_TRACE)
		return take_step(context);
	if ((info->si_code != SI_KERNEL && info->si_code != TRAP_BRKPT) ||
	    !backtrace_in_unit(address))
		return false;
	if (!breakpoint_is_at(address)) {
		/* It was taken away while the thread came here. */
		context_set_pc(context, address);
		return true;
	}
	if (!breakpoint_table_find(&stop.table, address))
		return false;
	context_set_pc(context, address);
	/* A bare fork() has made a child that does not know itself as one. */
	if (getpid() != worker.pid) {
		breakpoint_table_lift(breakpoint_table_find(&stop.table, address));
		return true;
	}
	cell_mode_enter_library();
	block_interrupts();
	take_turn();
	stop_or_pass(address, context);
	cell_mode_leave_library();
	errno = saved;
	return true;
}

void cell_stop_init(void)
{
	host_fault_set_trap(take_trap);
}

int cell_stop_begin(struct error *err)
{
	if (!DEBUG_STOPS)
		return error_set(err, ERROR_UNSUPPORTED,
				 "cells do not stop at breakpoints on this processor");
	if (breakpoint_table_open(&stop.table, err))
		return -1;
	stop.on = true;
	stop.step = (struct step){ 0 };
	set_breakpoints();
	if (atomic_exchange(&worker.control->debug.pause, 0))
		begin_step(DEBUG_STEP_IN, true, &worker.control->fault);
	return 0;
}

void cell_stop_end(void)
{
	if (!stop.on)
		return;
	stop.on = false;
	breakpoint_table_close(&stop.table);
	stop.device.n = 0;
	stop.device.steps_in = false;
	/* The cell was unwound in the middle of it. */
	if (stop.thread == gettid())
		end_turn();
	stop.lifted = 0;
}

void cell_stop_leave(void)
{
	breakpoint_table_close(&stop.table);
	stop.on = false;
}

void cell_stop_suspend(void)
{
	if (stop.on)
		drop_all_breakpoints();
}

void cell_stop_resume(void)
{
	if (stop.on)
		set_breakpoints();
}
