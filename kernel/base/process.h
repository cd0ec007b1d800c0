/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A helper program as a child of the kernel. It inherits one socket as descriptor 3, standard
 * error, and no other open descriptor. It has a session of its own: a signal to the kernel's group
 * does not reach it, and neither it nor what it starts can enter that group to send one.
 */
#ifndef CGPU_KERNEL_BASE_PROCESS_H
#define CGPU_KERNEL_BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/wait.h>

struct error;

struct process {
	pid_t pid; /* 0: none */
	int pidfd; /* readable once the process has ended; -1: none */
	int sock;  /* our end, close-on-exec; -1: none */
};

#define PROCESS_INIT { 0, -1, -1 }

/* The timeout for sending: a child that reads nothing for so long is treated as dead, so that the
 * kernel never waits for ever. */
#define PROCESS_SEND_MS 5000

enum process_flag {
	PROCESS_FIXED_ADDRESSES =
		1 << 0, /* no address randomisation, where personality(2) is allowed */
	PROCESS_DIES_WITH_US = 1 << 1, /* parent-death signal */
};

/* Executes dir/name; fails when the program cannot be executed. */
int process_spawn(struct process *p, const char *dir, const char *name, const char *argument,
		  unsigned flags, struct error *err);

/* Reaps the process. -1: it still lives; 0: it has ended and is reaped. The socket stays open for
 * what it has sent. */
int process_reap(struct process *p, siginfo_t *ret);
/* Sends SIGKILL, waits at most ms milliseconds, and closes everything. A struct without a process
 * is accepted. */
void process_end(struct process *p, int ms);
/* Waits until the process of the pidfd has ended; false after ms milliseconds. */
bool process_wait(int pidfd, int ms);

/* Reads memory of a process; false when not all of it is there. Sets errno. */
bool process_read(pid_t pid, uint64_t address, void *ret, size_t len);

/* Tells whether the process still has its memory. False: it is ending or has ended, since a process
 * loses its memory before it is dead. */
bool process_has_memory(pid_t pid);

/* Describes the end of a process: "exited with status 3", "was killed by SIGSEGV". */
const char *process_death(const siginfo_t *info, char *buf, size_t size);

int pidfd_of(pid_t pid, struct error *err);
int pidfd_signal(int pidfd, int sig);

#endif
