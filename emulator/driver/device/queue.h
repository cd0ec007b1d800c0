/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that streams hold. A queue is a stream's list of what it has still to do, in order; an item
 * may wait for items of other queues, too: the legacy default stream for all blocking streams and
 * they for it, and who waits for an event.
 *
 *	submitted --its queue and its dependencies are done--> ready --taken--> running --> done
 *
 * Who runs it. A thread that waits for an item runs what must come before it by itself, so that a
 * launch with a synchronise behind it costs no change of threads. What nobody waits for is taken by
 * an executor thread some tenths of a millisecond later, at once when the host asks whether it is
 * done. Executors are made when they are first needed, block all signals, and are gone in a child
 * process, and so is the work that was left.
 */
#ifndef CGPU_EMULATOR_QUEUE_H
#define CGPU_EMULATOR_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "emulator/driver/device/gpu.h"

enum work_kind {
	WORK_DEVICE, /* copies, fills, launches */
	WORK_HOST,   /* a function of the program: it may wait for the program's threads, so none of
			them runs it */
	WORK_MARK,   /* nothing: its end is what counts */
};

struct work;

/* The work that a stream has to do. Memory of the caller; released by queue_release() with or
 * without work left. */
struct queue {
	struct queue *next;
	struct work *head, *tail; /* unfinished items */
	int device;
	bool legacy;   /* the device's default stream */
	bool blocking; /* in order with the legacy stream */
	bool hidden;   /* from profiles */
	bool gone;     /* released: freed with its last item */
};

struct queue *queue_new(int device, bool blocking);
void queue_release(struct queue *q);
/* The legacy default stream of a device. */
struct queue *queue_legacy(int device);

/*
 * run(data) in the queue's order; `data` is copied. When nothing is before it a WORK_DEVICE of
 * queue_do() runs at once, in the calling thread. OUT_OF_MEMORY: nothing happens.
 */
CUresult queue_do(struct queue *q, void (*run)(void *data), const void *data, size_t size);
CUresult queue_submit(struct queue *q, enum work_kind kind, void (*run)(void *data),
		      const void *data, size_t size);

/* The same without a copy: room for what run() gets, to be filled in. queue_take() takes it, also
 * when it fails. */
struct work *work_new(enum work_kind kind, void (*run)(void *data), size_t size, void **ret_data);
CUresult queue_take(struct queue *q, struct work *w);
/* The same, and waits for it; it runs in the calling thread. */
CUresult queue_run(struct queue *q, struct work *w);

/* A mark behind all that is in the queue: NULL when it is idle. The caller gets a reference. */
CUresult queue_mark(struct queue *q, struct work **ret);
/* Work that follows in the queue waits for the item. */
CUresult queue_after(struct queue *q, struct work *w);
/* When it was done; of marks. */
struct timespec work_time(const struct work *w);
void work_release(struct work *w);

/* Is nothing left to be done? What is left is begun at once. */
bool queue_poll(struct queue *q);
bool work_poll(struct work *w);

/* Until all that is in the queue now (of the device, of all devices: -1) is done. */
void queue_wait(struct queue *q);
void queue_wait_device(int device);
void work_wait(struct work *w);

/*
 * The running launch makes no progress by itself: whether something else may free it. Not so when
 * the program waits for the device, no other work is under way, and no other thread of the program
 * runs.
 */
bool queue_may_free(void *work);
/* The item that the calling thread runs, for queue_may_free(); NULL: none. */
struct work *queue_running(void);
/* The queue whose work the calling thread does; NULL: none. */
const struct queue *queue_at_work(void);
/* The calling thread runs a WORK_HOST. */
bool queue_in_host_function(void);
/* The threads of the program, which it tells by common/cuda/emulator-extension.h. */
extern struct queue_threads {
	int (*count)(void);
	void (*hold)(void);
	void (*release)(void);
} queue_threads;

/* Executors begin nothing from here on; returns when they stand still. off: they go on. */
void queue_pause(bool on);

#endif
