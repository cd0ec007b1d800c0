/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a cell that broke: fills the fault record in the control area and ends the process.
 * Catches the signals of faults on a stack of their own; a second fault while the record is made
 * ends it with what is there.
 */
#ifndef CGPU_RUNTIME_FAULTS_HOST_FAULT_H
#define CGPU_RUNTIME_FAULTS_HOST_FAULT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/protocol/worker-protocol.h"

struct error;

int host_fault_init(struct error *err);
/* Alternate signal stack of a thread that a cell started; freed by host_fault_thread_end(). */
void host_fault_thread_begin(void);
void host_fault_thread_end(void);

/* End the cell here, with frames from the caller of this. In a forked child: print and end the
 * child. */
_Noreturn void host_fault_raise(enum fault_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The same about an address, which is described in the record. */
_Noreturn void host_fault_raise_at(enum fault_kind kind, uint64_t address, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* exit() and its kin. */
_Noreturn void host_fault_exit(int status);

/* Whom the address belongs to. Async-signal-safe. */
void host_fault_describe(uint64_t address, struct address_description *ret);
/*
 * The same of a value that a pointer has. An access far behind a variable has run out of it; a
 * pointer to there has come from elsewhere, and belongs to none.
 */
void host_fault_describe_value(uint64_t address, struct address_description *ret);

/* SIGTRAP goes to this first, which returns whether it was for it: a breakpoint, or a step. */
void host_fault_set_trap(bool (*take)(const siginfo_t *info, void *context));

/* A signal of ours may have a handler of the cell's own: see runtime/exports/exports-signal.c. */
bool host_fault_guards(int signal);
/* sigaction() of a cell for a signal that is not guarded: what would end the process is still
 * reported. */
int host_fault_sigaction(int signal, const struct sigaction *action, struct sigaction *ret_old);
/* Default actions, in a forked child. */
void host_fault_leave(void);

/* The handler of a cell for a guarded signal, which it may set; SIG_DFL when it has none. For
 * signal handlers. */
struct sigaction *host_fault_action(int signal);

#endif
