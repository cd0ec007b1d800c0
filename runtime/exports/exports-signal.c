/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell may handle any signal. For those that the worker catches itself, the cell's handler is
 * kept aside and called from ours (runtime/faults/host-fault.c, runtime/faults/interrupt.c); and
 * they cannot be blocked, or a fault would kill without a report.
 */
#define _GNU_SOURCE
#include <errno.h>

#include "runtime/exports/exports.h"
#include "runtime/faults/host-fault.h"
#include "runtime/process/threads.h"
#include "runtime/process/worker.h"

int exports_sigaction(int signal, const struct sigaction *action, struct sigaction *ret_old)
{
	if (worker.is_child)
		return sigaction(signal, action, ret_old);
	if (signal == THREADS_SIGNAL) {
		errno = EINVAL;
		return -1;
	}
	if (!host_fault_guards(signal))
		return host_fault_sigaction(signal, action, ret_old);
	if (ret_old)
		*ret_old = *host_fault_action(signal);
	if (action)
		*host_fault_action(signal) = *action;
	return 0;
}

exports_handler *exports_signal(int signal, exports_handler *handler)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART }, old;

	if (exports_sigaction(signal, &action, &old))
		return SIG_ERR;
	return old.sa_handler;
}

int exports_sigprocmask(int how, const sigset_t *set, sigset_t *ret_old)
{
	sigset_t allowed;

	if (!set || worker.is_child || how == SIG_UNBLOCK)
		return pthread_sigmask(how, set, ret_old);
	allowed = *set;
	for (int s = 1; s < 32; s++) {
		if (host_fault_guards(s))
			sigdelset(&allowed, s);
	}
	sigdelset(&allowed, THREADS_SIGNAL);
	return pthread_sigmask(how, &allowed, ret_old);
}
