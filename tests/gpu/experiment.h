/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What experiments of check-gpu are made of. An experiment runs in a process of its own, which
 * never touches CUDA: what does is in its children, so that a stuck driver is a row of the table
 * and no hang.
 */
#ifndef CGPU_TESTS_GPU_EXPERIMENT_H
#define CGPU_TESTS_GPU_EXPERIMENT_H

#include <stddef.h>
#include <sys/types.h>

#define CHILD_MS patient_ms(15000) /* a child that takes longer is killed */

/* A deadline in milliseconds, as often as the variable CHECK_GPU_PATIENCE says. Deadlines are for a
 * GPU; the emulated device beside other tests is many times slower, and only a hang may reach
 * them. */
int patient_ms(int ms);

/*
 * A row: a line of JSON on stdout. verdict: "ok" or "NO" where cgpu's design depends on the answer,
 * "-" where it is a figure only.
 */
__attribute__((format(printf, 3, 4))) void row(const char *verdict, const char *name,
					       const char *fmt, ...);
/* The verdict of a condition that must hold. */
const char *ok(int condition);

struct child {
	pid_t pid;
	int pidfd;
};

/* A child that runs a function and ends with status 0; gpu_report is cleared before. */
struct child child_start(void (*run)(void *), void *arg);
/*
 * Wait for the end; a child past its deadline is killed. 0: it ended by itself, -1: the deadline
 * passed, -2: SIGKILL did not end it either. ret_ms: how long the end took, may be NULL.
 */
int child_wait(struct child *c, int deadline_ms, double *ret_ms);
/* The row of a child that has ended too early, or had to be killed: which call failed. who: words
 * before it, or "". */
void row_failed(const char *name, const char *who);
/* Run a child to its end; 1 if it did all it should, else a row says what it did not. */
int child_run(const char *name, void (*run)(void *), void *arg);

/*
 * Descriptors through a SOCK_SEQPACKET socket, any number of them; 0, or -1 when they do not go, or
 * nothing comes in CHILD_MS. Nothing comes either as soon as all that have the other end are gone:
 * a parent closes a child's end when it has started it.
 */
int send_fds(int socket, const int *fds, int n);
int receive_fds(int socket, int *fds, int n);

/* A text as it stands in JSON, without its quotes. */
void put_json(const char *text);

#define EXPERIMENT(name, seconds, function, argument, risk, mend) void function(int what);
#include "tests/gpu/experiments.def"
#undef EXPERIMENT

#endif
