/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A helper program of ours as a child of the kernel: one socket at descriptor 3, standard error,
 * and nothing else that is open here. It is put into a process group of its own, so that a signal
 * to the kernel's group does not reach it.
 */
#ifndef CGPU_KERNEL_BASE_PROCESS_H
#define CGPU_KERNEL_BASE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/wait.h>

struct error;

struct process {
	pid_t pid; /* 0: none */
	int pidfd; /* readable once the process has ended; -1: none */
	int sock;  /* our end, close-on-exec; -1: none */
};

#define PROCESS_INIT { 0, -1, -1 }

/* A child that reads nothing for so long is taken for dead: the kernel never waits for one without
 * an end. */
#define PROCESS_SEND_MS 5000

enum process_flag {
	PROCESS_FIXED_ADDRESSES =
		1 << 0, /* no address randomisation, where personality(2) is allowed */
	PROCESS_DIES_WITH_US = 1 << 1, /* parent-death signal */
};

/* exec dir/name; fails when the program cannot be executed. */
int process_spawn(struct process *p, const char *dir, const char *name, const char *argument,
		  unsigned flags, struct error *err);

/* -1 while it lives, 0 once it has ended: it is reaped then, and the socket stays open for what it
 * has sent. */
int process_reap(struct process *p, siginfo_t *ret);
/* SIGKILL, wait at most ms milliseconds, close everything. Accepts a process that is none. */
void process_end(struct process *p, int ms);
/* Wait until the descriptor of a process says that it has ended; false after ms milliseconds. */
bool process_wait(int pidfd, int ms);

/* False: it is ending, or has ended. A process loses its memory for good before it is dead. */
bool process_has_memory(pid_t pid);

/* "exited with status 3", "was killed by SIGSEGV". */
const char *process_death(const siginfo_t *info, char *buf, size_t size);

int pidfd_of(pid_t pid, struct error *err);
int pidfd_signal(int pidfd, int sig);

#endif
