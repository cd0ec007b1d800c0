/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwinding is a siglongjmp to interrupt_run(). The redirection replaces the return address that
 * leads from the library back into the unit by the address of interrupt_landing, which jumps in its
 * turn.
 */
#define _GNU_SOURCE
#include "runtime/faults/interrupt.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/error.h"
#include "runtime/faults/backtrace.h"
#include "runtime/faults/host-fault.h"
#include "runtime/process/cell-mode.h"
#include "runtime/process/cell-stack.h"
#include "runtime/process/children.h"
#include "runtime/process/context.h"
#include "runtime/process/worker.h"

static struct {
	sigjmp_buf back; /* to interrupt_run() */
	volatile sig_atomic_t running;
	pid_t thread; /* that runs cells */
} cell;

bool interrupt_pending(void)
{
	return atomic_load(&worker.control->interrupt) != 0;
}

static void note_where(uint64_t pc)
{
	struct fault_record *f = worker_clear_fault();

	backtrace_record(pc, NULL, f);
	atomic_store(&f->kind, FAULT_INTERRUPTED);
}

static _Noreturn void unwind(void)
{
	cell.running = 0;
	siglongjmp(cell.back, 1);
}

/* Reached by a return into unit code that was redirected. */
void interrupt_landed(void);
void interrupt_landed(void)
{
	unwind();
}

void interrupt_landing(void);
#if defined(__x86_64__)
/* A stack walk ends here: a next signal may come before the library has returned. It looks up the
 * byte in front. */
__asm__(".text\n"
	".globl interrupt_landing\n"
	".hidden interrupt_landing\n"
	".cfi_startproc\n"
	".cfi_undefined %rip\n"
	"	nop\n"
	"interrupt_landing:\n"
	"	andq $-16, %rsp\n"
	"	call interrupt_landed\n"
	"	hlt\n"
	".cfi_endproc\n");

static void redirect(uint64_t pc)
{
	struct backtrace_frame frames[FAULT_FRAMES_MAX];
	unsigned n = backtrace_collect(pc, frames, FAULT_FRAMES_MAX), i = 0;
	uint64_t *slot;

	while (i < n && !backtrace_in_unit(frames[i].pc))
		i++;
	if (i == 0 || i == n || !cell_stack_contains(frames[i].cfa - 8))
		return;
	slot = (uint64_t *)(frames[i].cfa - 8);
	if (*slot != frames[i].pc)
		return;
	note_where(pc);
	*slot = (uint64_t)(uintptr_t)interrupt_landing;
}
#else
/* The return address may be in a register: the kernel's next signal tries again. */
static void redirect(uint64_t pc)
{
	(void)pc;
}
#endif

static void run_cells_handler(int signal, siginfo_t *info, void *context)
{
	const struct sigaction *a = host_fault_action(signal);

	if (a->sa_handler == SIG_DFL || a->sa_handler == SIG_IGN)
		return;
	cell_mode.library--;
	if (a->sa_flags & SA_SIGINFO)
		a->sa_sigaction(signal, info, context);
	else
		a->sa_handler(signal);
	cell_mode.library++;
}

static void on_interrupt(int signal, siginfo_t *info, void *context)
{
	uint64_t pc = context_pc(context);
	int saved = errno;

	cell_mode.library++; /* nothing here may allocate from the arena */
	if (children_too_many())
		host_fault_raise(FAULT_PROCESS_LIMIT,
				 "the children of the cell have made too many processes");
	if (!interrupt_pending()) {
		run_cells_handler(signal, info, context);
	} else if (syscall(SYS_gettid) != cell.thread) {
		syscall(SYS_tgkill, worker.pid, cell.thread, SIGUSR1);
	} else if (cell.running && backtrace_in_unit(pc) && cell_mode.library == 1) {
		note_where(pc);
		unwind();
	} else if (cell.running) {
		redirect(pc);
	}
	cell_mode.library--;
	errno = saved;
}

int interrupt_init(struct error *err)
{
	struct sigaction action = { .sa_sigaction = on_interrupt,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };

	cell.thread = (pid_t)syscall(SYS_gettid);
	if (sigaction(SIGUSR1, &action, NULL))
		return error_errno(err, "cannot catch the interrupt signal");
	return 0;
}

bool interrupt_run(void (*fn)(void *data), void *data)
{
	bool done = false;

	if (!sigsetjmp(cell.back, 1)) {
		cell_mode.in_cell = true;
		cell.running = 1;
		cell_stack_call(fn, data);
		done = true;
	}
	cell.running = 0;
	cell_mode.in_cell = false;
	cell_mode.library = 0;
	return done;
}
