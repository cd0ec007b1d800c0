/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's one event loop: ZeroMQ sockets, descriptors and timers, over poll(). Callbacks run
 * on the thread of loop_run() and must not block. A callback may add and remove any source, its own
 * included.
 */
#ifndef CGPU_KERNEL_BASE_LOOP_H
#define CGPU_KERNEL_BASE_LOOP_H

#include <stdbool.h>
#include <stdint.h>

struct loop;
struct loop_source;

typedef void loop_fn(void *data);

/* Creates a loop; NULL when memory is out. */
struct loop *loop_new(void);
void loop_free(struct loop *l);

/* Calls fn while the descriptor (or ZeroMQ socket) is readable; the source lives until
 * loop_remove(). */
struct loop_source *loop_add_fd(struct loop *l, int fd, loop_fn *fn, void *data);
struct loop_source *loop_add_socket(struct loop *l, void *zmq_socket, loop_fn *fn, void *data);
/* Must be called after sending through a socket, since ZeroMQ then takes in what has arrived
 * without waking the loop. */
void loop_sent(struct loop *l, void *zmq_socket);
/* Calls fn once, after ms milliseconds; the source removes itself after the call. */
struct loop_source *loop_add_timer(struct loop *l, uint64_t ms, loop_fn *fn, void *data);
/* Removes a source. NULL is accepted. */
void loop_remove(struct loop *l, struct loop_source *source);

/* Runs callbacks until loop_stop(). */
void loop_run(struct loop *l);
void loop_stop(struct loop *l);

/* Returns the milliseconds of a clock that only goes forward. */
uint64_t loop_now_ms(void);

#endif
