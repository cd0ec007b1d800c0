/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record is made in the order of trust: plain facts of the signal, what the address belongs to,
 * names of frames, and last `kind`, which makes it valid. Each step may fault again when the cell
 * has spoilt memory; then `nested` leads straight to the end. The unwinder may hang on a lock that
 * the interrupted code holds: an alarm ends that.
 */
#define _GNU_SOURCE
#include "runtime/faults/host-fault.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/protocol/fault-questions.h"
#include "runtime/arena/allocator.h"
#include "runtime/arena/arena.h"
#include "runtime/cuda/device.h"
#include "runtime/faults/backtrace.h"
#include "runtime/faults/fault-cause.h"
#include "runtime/loader/loader.h"
#include "runtime/loader/symbols.h"
#include "runtime/process/cell-mode.h"
#include "runtime/process/cell-stack.h"
#include "runtime/process/context.h"
#include "runtime/process/threads.h"
#include "runtime/process/worker.h"

#define ALT_STACK (128 * 1024)
#define NULL_PAGES (64 * 1024)
#define BACKTRACE_SECONDS 10

struct guarded {
	int signal;
	enum fault_kind kind;
};

static const struct guarded guarded[] = {
	{ SIGSEGV, FAULT_SEGMENTATION },
	{ SIGBUS, FAULT_BUS },
	{ SIGFPE, FAULT_ARITHMETIC },
	{ SIGILL, FAULT_ILLEGAL_INSTRUCTION },
	{ SIGTRAP, FAULT_ILLEGAL_INSTRUCTION },
	{ SIGABRT, FAULT_ABORTED },
	{ SIGSYS, FAULT_KILLED },
};

#define N_GUARDED (sizeof(guarded) / sizeof(guarded[0]))

/* They end a process that has no handler for them. With one of ours it is known who sent them, and
 * where the cell was; a cell may replace it. */
static const int ending_signals[] = { SIGTERM, SIGINT,    SIGHUP,  SIGQUIT, SIGUSR2,
				      SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU };

#define N_ENDING (sizeof(ending_signals) / sizeof(ending_signals[0]))

/* libc keeps for debuggers what it says before it aborts. */
struct libc_message {
	unsigned size;
	char text[];
};

/* The end of the cell in this process. */
static struct {
	_Atomic uint32_t begun; /* a thread makes the record */
	enum fault_kind kind;
	bool told; /* the kernel */
	struct libc_message **libc_message;
	struct sigaction actions[NSIG]; /* of the cell, for guarded signals */
	bool (*trap)(const siginfo_t *info, void *context);
} ending;

static __thread struct {
	void *alt_stack;
	bool nested; /* in its handler already */
} mine;

struct sigaction *host_fault_action(int signal)
{
	return &ending.actions[signal];
}

void host_fault_set_trap(bool (*take)(const siginfo_t *info, void *context))
{
	ending.trap = take;
}

bool host_fault_guards(int signal)
{
	for (unsigned i = 0; i < N_GUARDED; i++) {
		if (guarded[i].signal == signal)
			return true;
	}
	return signal == SIGUSR1;
}

/* The kernel reads the memory of this process, asks about addresses, and then ends it. Without a
 * kernel that listens the alarm does. */
static void wait_for_the_reader(void)
{
	if (ending.told)
		return;
	ending.told = true;
	alarm(worker.control->debug.holds_faults ? 0 : FAULT_WAIT_SECONDS);
	if (worker_send(WORKER_FAULTED, NULL, 0, -1, NULL))
		return;
	fault_questions_serve(worker.control, host_fault_describe_value, NULL);
}

static _Noreturn void finish(int status)
{
	atomic_store(&worker.control->fault.kind, ending.kind);
	wait_for_the_reader();
	worker_exit(status);
}

static void too_long(int signal)
{
	(void)signal;
	finish(1);
}

/* Exactly one thread ends the cell; the others wait for the end. */
static void begin(enum fault_kind kind)
{
	if (atomic_exchange(&ending.begun, 1)) {
		for (;;)
			pause();
	}
	ending.kind = kind;
}

static void describe_code(uint64_t address, struct address_description *ret)
{
	struct code_place place;

	if (loader_describe_code(address, &place))
		return;
	ret->owner = *place.function ? OWNER_CODE : OWNER_CONSTANT;
	ret->cell = place.cell;
	ret->base = address - place.offset;
	snprintf(ret->name, sizeof(ret->name), "%s", place.function);
}

static void describe_variable(const struct symbol *s, struct address_description *ret)
{
	ret->owner = s->kind == SYMBOL_FUNCTION ? OWNER_CODE : OWNER_VARIABLE;
	ret->base = s->address;
	ret->size = s->size;
	ret->cell = s->cell;
	snprintf(ret->name, sizeof(ret->name), "%s", s->name);
}

/* The allocator knows the return address of a call; the function is told by the units. */
static void complete_site(struct code_site *s)
{
	struct code_place place;

	if (!s->offset || loader_describe_code(arena_start(ARENA_CODE) + s->offset - 1, &place))
		return;
	s->cell = place.cell;
	s->offset = place.offset;
	snprintf(s->function, sizeof(s->function), "%s", place.function);
}

static void describe_block(struct address_description *ret)
{
	const struct symbol *s = ret->base ? symbols_pointing_to(ret->base) : NULL;

	if (s)
		snprintf(ret->name, sizeof(ret->name), "%s", s->name);
	complete_site(&ret->allocated);
	complete_site(&ret->freed);
}

void host_fault_describe(uint64_t address, struct address_description *ret)
{
	const struct symbol *s;
	Dl_info info;

	memset(ret, 0, sizeof(*ret));
	s = symbols_at(address);
	if (address < NULL_PAGES)
		ret->owner = OWNER_NULL;
	else if (s)
		describe_variable(s, ret);
	else if (allocator_describe(address, ret))
		describe_block(ret);
	else if (backtrace_in_unit(address))
		describe_code(address, ret);
	else if (cell_stack_in_guard(address))
		ret->owner = OWNER_STACK_GUARD;
	else if (cell_stack_contains(address))
		ret->owner = OWNER_STACK;
	else if (device_describe(address, ret))
		return;
	else if ((s = symbols_before(address)))
		describe_variable(s, ret);
	else if (dladdr((void *)address, &info) && info.dli_fname) {
		ret->owner = OWNER_LIBRARY;
		snprintf(ret->name, sizeof(ret->name), "%s",
			 info.dli_sname ? info.dli_sname : info.dli_fname);
	} else {
		fault_cause_file(address, ret->name, sizeof(ret->name));
		if (*ret->name)
			ret->owner = OWNER_FILE;
	}
}

void host_fault_describe_value(uint64_t address, struct address_description *ret)
{
	host_fault_describe(address, ret);
	if (ret->owner == OWNER_VARIABLE && address > ret->base &&
	    address - ret->base > 2 * ret->size)
		memset(ret, 0, sizeof(*ret));
}

/* An assert() in a library, "free(): invalid pointer", "stack smashing detected". */
static const char *abort_message(void)
{
	return ending.libc_message && *ending.libc_message ? (*ending.libc_message)->text : "";
}

static void add_text(struct fault_record *f, const char *text)
{
	size_t at = strnlen(f->text, sizeof(f->text));

	snprintf(f->text + at, sizeof(f->text) - at, "%s", text);
}

/* An abort() by libc because of the heap is a fault of its own. */
static void look_at_abort(struct fault_record *f)
{
	static const char *const heap[] = { "free()",         "malloc",    "realloc()",
					    "double free",    "corrupted", "munmap_chunk",
					    "invalid pointer" };
	const char *text = abort_message();

	add_text(f, text);
	for (unsigned i = 0; i < sizeof(heap) / sizeof(heap[0]); i++) {
		if (strstr(text, heap[i]) && !strstr(text, "Assertion"))
			ending.kind = FAULT_HEAP_MISUSE;
	}
}

static void limit_time(void)
{
	struct sigaction action = { .sa_handler = too_long, .sa_flags = SA_NODEFER };
	sigset_t set;

	sigaction(SIGALRM, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	alarm(BACKTRACE_SECONDS);
}

/* On x86-64 a non-canonical address faults without telling which it was. */
static bool address_unknown(const siginfo_t *info)
{
	return info->si_code == SI_KERNEL;
}

static void add_cause(int signal, const siginfo_t *info, const void *context,
		      struct fault_record *f)
{
	char text[256] = "";

	if (signal == SIGFPE && info->si_code == FPE_INTDIV)
		fault_cause_division(context, text, sizeof(text));
	else if ((signal == SIGILL || signal == SIGTRAP) && info->si_code > 0)
		fault_cause_trap(context, text, sizeof(text));
	add_text(f, text);
}

/* A function that was compiled before what it uses was defined: the kernel says so, which knows how
 * its name is written. */
static void tell_promise(const struct symbol *s, struct fault_record *f)
{
	snprintf(f->missing, sizeof(f->missing), "%.200s ", s->name);
	ending.kind = FAULT_LINK;
}

/* Behind the first line, which may be the headline of the report. */
static void add_thread(struct fault_record *f)
{
	const struct threads_member *m = threads_current();
	const struct symbol *s = m ? symbols_at((uint64_t)(uintptr_t)m->fn) : NULL;
	char text[256];

	if (!m)
		return;
	snprintf(text, sizeof(text), "It was in the thread%s%s%s that In[%u] has started.",
		 s ? " `" : "", s ? s->name : "", s ? "`" : "", m->cell);
	add_text(f, "\n");
	add_text(f, text);
}

/*
 * A pointer that an allocation never set, since it was refused or the device had failed, and
 * programs that end themselves then. Behind the first line, as above.
 */
static void add_device_cause(struct fault_record *f)
{
	if (!*device_fault_cause())
		return;
	add_text(f, "\n");
	add_text(f, device_fault_cause());
}

static void fill_record(int signal, const siginfo_t *info, void *context)
{
	struct fault_record *f = &worker.control->fault;
	bool memory = (signal == SIGSEGV || signal == SIGBUS) && info->si_code > 0 &&
		      !address_unknown(info);

	worker_clear_fault();
	f->signal = signal;
	f->si_code = info->si_code;
	if (info->si_code <= 0 && info->si_code != SI_TKILL)
		f->sender_pid = info->si_pid;
	if (memory || (signal != SIGABRT && info->si_code > 0))
		f->address = (uint64_t)(uintptr_t)info->si_addr;
	if (memory && (cell_stack_in_guard(f->address) || cell_stack_in_guard(context_sp(context))))
		ending.kind = FAULT_STACK_OVERFLOW;
	if (memory && symbols_promised_at(f->address))
		tell_promise(symbols_promised_at(f->address), f);
	else if (memory)
		host_fault_describe(f->address, &f->what);
	if (address_unknown(info))
		add_text(f, "The address is none that a pointer can have (its upper bits are not a "
			    "sign extension): an overwritten or never initialised pointer.");
	if (signal == SIGABRT)
		look_at_abort(f);
	add_cause(signal, info, context, f);
	add_device_cause(f);
	add_thread(f);
	backtrace_record(context_pc(context), context, f);
}

static enum fault_kind kind_of(int signal)
{
	for (unsigned i = 0; i < N_GUARDED; i++) {
		if (guarded[i].signal == signal)
			return guarded[i].kind;
	}
	return FAULT_KILLED;
}

/* True if the cell has a handler of its own and it has run. */
static bool run_cells_handler(int signal, siginfo_t *info, void *context)
{
	const struct sigaction *a = &ending.actions[signal];

	if (a->sa_handler == SIG_DFL)
		return false;
	if (a->sa_handler == SIG_IGN)
		return info->si_code <= 0;
	if (a->sa_flags & SA_SIGINFO)
		a->sa_sigaction(signal, info, context);
	else
		a->sa_handler(signal);
	return true;
}

/* Ends a process that a bare fork() has made by the signal, as a child of fork() ends: the kernel
 * process listens to the worker only. The instruction is run once more, and nobody catches it. */
static void end_as_child(int signal, const siginfo_t *info)
{
	host_fault_leave();
	if (info->si_code <= 0)
		syscall(SYS_exit_group, 128 + signal);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	if (mine.nested)
		finish(1);
	if (signal == SIGTRAP && ending.trap && ending.trap(info, context))
		return;
	if (run_cells_handler(signal, info, context))
		return;
	if (getpid() != worker.pid) {
		end_as_child(signal, info);
		return;
	}
	mine.nested = true;
	cell_mode_enter_library();
	begin(kind_of(signal));
	limit_time();
	fill_record(signal, info, context);
	finish(1);
}

static int use_alt_stack(void)
{
	stack_t s = { .ss_size = ALT_STACK };

	mine.alt_stack =
		mmap(NULL, ALT_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mine.alt_stack == MAP_FAILED)
		return -1;
	s.ss_sp = mine.alt_stack;
	return sigaltstack(&s, NULL);
}

static const struct sigaction fault_action = { .sa_sigaction = on_fault,
					       .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };

static bool is_ending(int signal)
{
	for (unsigned i = 0; i < N_ENDING; i++) {
		if (ending_signals[i] == signal)
			return true;
	}
	return false;
}

int host_fault_sigaction(int signal, const struct sigaction *action, struct sigaction *ret_old)
{
	struct sigaction old;

	if (is_ending(signal) && action && action->sa_handler == SIG_DFL)
		action = &fault_action;
	if (sigaction(signal, action, &old))
		return -1;
	if (old.sa_flags & SA_SIGINFO && old.sa_sigaction == on_fault)
		memset(&old, 0, sizeof(old));
	if (ret_old)
		*ret_old = old;
	return 0;
}

int host_fault_init(struct error *err)
{
	ending.libc_message = dlvsym(RTLD_DEFAULT, "__abort_msg", "GLIBC_PRIVATE");
	if (use_alt_stack())
		return error_errno(err, "cannot make the stack for signal handlers");
	for (unsigned i = 0; i < N_GUARDED; i++) {
		if (sigaction(guarded[i].signal, &fault_action, NULL))
			return error_errno(err, "cannot catch signal %d", guarded[i].signal);
	}
	for (unsigned i = 0; i < N_ENDING; i++) {
		if (sigaction(ending_signals[i], &fault_action, NULL))
			return error_errno(err, "cannot catch signal %d", ending_signals[i]);
	}
	return 0;
}

void host_fault_thread_begin(void)
{
	use_alt_stack();
}

void host_fault_thread_end(void)
{
	stack_t off = { .ss_flags = SS_DISABLE };

	sigaltstack(&off, NULL);
	if (mine.alt_stack && mine.alt_stack != MAP_FAILED)
		munmap(mine.alt_stack, ALT_STACK);
}

void host_fault_leave(void)
{
	for (unsigned i = 0; i < N_GUARDED; i++)
		sigaction(guarded[i].signal, &ending.actions[guarded[i].signal], NULL);
	sigaction(SIGUSR1, &ending.actions[SIGUSR1], NULL);
	for (unsigned i = 0; i < N_ENDING; i++) {
		struct sigaction now;

		if (!sigaction(ending_signals[i], NULL, &now) && now.sa_flags & SA_SIGINFO &&
		    now.sa_sigaction == on_fault)
			signal(ending_signals[i], SIG_DFL);
	}
}

static _Noreturn void end_child(const char *text)
{
	if (write(2, text, strlen(text)) < 0 || write(2, "\n", 1) < 0)
		worker_exit(1);
	signal(SIGABRT, SIG_DFL);
	abort();
}

static _Noreturn void raise_about(enum fault_kind kind, uint64_t address, const char *text)
{
	struct fault_record *f = &worker.control->fault;

	if (worker.is_child)
		end_child(text);
	cell_mode_enter_library();
	begin(kind);
	worker_clear_fault();
	add_text(f, text);
	f->address = address;
	limit_time();
	if (address)
		host_fault_describe(address, &f->what);
	add_device_cause(f);
	add_thread(f);
	backtrace_record(0, NULL, f);
	finish(1);
}

void host_fault_raise(enum fault_kind kind, const char *fmt, ...)
{
	char text[FAULT_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	raise_about(kind, 0, text);
}

void host_fault_raise_at(enum fault_kind kind, uint64_t address, const char *fmt, ...)
{
	char text[FAULT_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	raise_about(kind, address, text);
}

void host_fault_exit(int status)
{
	struct fault_record *f = &worker.control->fault;

	if (worker.is_child)
		worker_exit(status);
	cell_mode_enter_library();
	begin(FAULT_EXITED);
	worker_clear_fault();
	f->exit_status = status & 0xff;
	add_device_cause(f);
	limit_time();
	backtrace_record(0, NULL, f);
	finish(status);
}
