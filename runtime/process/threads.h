/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of cells beside the cell's own, which live on between cells. For a commit they stand
 * still, so that what is committed is one moment of all of them, and nothing that they write is
 * lost while pages change hands.
 *
 * Each is stopped by a signal, wherever it is, and waits in the handler. Only inside of the
 * allocators and of the session's tables it goes on to the end first (threads_hold): so whoever has
 * stopped it may use these.
 */
#ifndef CGPU_RUNTIME_PROCESS_THREADS_H
#define CGPU_RUNTIME_PROCESS_THREADS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

#define THREADS_SIGNAL (SIGRTMAX - 3)

struct threads_member {
	struct threads_member *next;
	const void *fn;    /* what it runs */
	uint32_t cell;     /* that started it */
	_Atomic pid_t tid; /* 0: has not begun */
	_Atomic uint32_t parked;
};

/* Once, in the worker. */
int threads_init(struct error *err);

/* By the thread that makes it, before it exists; the struct stays until threads_remove(). */
void threads_add(struct threads_member *m);
void threads_remove(struct threads_member *m);
/* In the thread itself, first of all. */
void threads_begin(struct threads_member *m);
/* The thread that calls; NULL in the cell's own, and in those of drivers and libraries. For signal
 * handlers. */
const struct threads_member *threads_current(void);

/* Between these the thread is not stopped; they nest. Cheap while there are no threads. */
void threads_hold(void);
void threads_release(void);
/*
 * This is a thread of a cell, and not one that a driver or a library has made for itself. Those are
 * stopped by nobody, and what they do outside of the session must go on: a call of the driver may
 * wait for it while all others stand still.
 */
bool threads_can_be_stopped(void);

/* By the cell's own thread: all others stand still. False, and they go on, when one cannot be
 * stopped within ms milliseconds. */
bool threads_freeze(int ms);
void threads_thaw(void);

/* There are some beside the cell's own. */
bool threads_any(void);

/* How many of them and of the cell's own may go on by themselves: they do not wait in a futex, as
 * for a lock. */
int threads_count_awake(void);

/* How often this thread was stopped: a sleep that the signal has cut short is not over. */
unsigned threads_stops(void);
/* In a forked child, which has one thread. */
void threads_leave(void);

#endif
