/* SPDX-License-Identifier: Apache-2.0 */
/* The event loop: descriptors, sockets and timers, and callbacks that add and remove sources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

#include "kernel/base/loop.h"

struct probe {
	struct loop *loop;
	struct loop_source *mine, *other;
	int fd;
	int calls;
	char order[8];
	int n_order;
	void *socket, *peer;
};

static void on_pipe(void *data)
{
	struct probe *p = data;
	char c;

	assert_int_equal(read(p->fd, &c, 1), 1);
	p->calls++;
	if (c == 'q')
		loop_stop(p->loop);
}

static void test_descriptor(void **state)
{
	struct probe p = { .loop = loop_new() };
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	p.fd = fds[0];
	assert_non_null(loop_add_fd(p.loop, fds[0], on_pipe, &p));
	assert_int_equal(write(fds[1], "abq", 3), 3);
	loop_run(p.loop);
	assert_int_equal(p.calls, 3);
	close(fds[0]);
	close(fds[1]);
	loop_free(p.loop);
}

static void on_end_of_file(void *data)
{
	struct probe *p = data;
	char c;

	assert_int_equal(read(p->fd, &c, 1), 0);
	loop_stop(p->loop);
}

static void test_end_of_file_wakes(void **state)
{
	struct probe p = { .loop = loop_new() };
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	p.fd = fds[0];
	loop_add_fd(p.loop, fds[0], on_end_of_file, &p);
	close(fds[1]);
	loop_run(p.loop);
	close(fds[0]);
	loop_free(p.loop);
}

static void on_a(void *data)
{
	struct probe *p = data;

	p->order[p->n_order++] = 'a';
}

static void on_b(void *data)
{
	struct probe *p = data;

	p->order[p->n_order++] = 'b';
	loop_stop(p->loop);
}

static void test_timers_in_order_and_once(void **state)
{
	struct probe p = { .loop = loop_new() };

	(void)state;
	loop_add_timer(p.loop, 20, on_b, &p);
	loop_add_timer(p.loop, 1, on_a, &p);
	loop_run(p.loop);
	assert_string_equal(p.order, "ab");
	loop_free(p.loop);
}

static void on_remove_both(void *data)
{
	struct probe *p = data;

	p->calls++;
	loop_remove(p->loop, p->mine);
	loop_remove(p->loop, p->other);
	loop_add_timer(p->loop, 1, on_b, p);
}

/* Both are readable in one pass; the first callback removes both, so the second must not run. */
static void test_remove_within_a_pass(void **state)
{
	struct probe p = { .loop = loop_new() };
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	p.mine = loop_add_fd(p.loop, fds[0], on_remove_both, &p);
	p.other = loop_add_fd(p.loop, fds[0], on_remove_both, &p);
	loop_run(p.loop);
	assert_int_equal(p.calls, 1);
	close(fds[0]);
	close(fds[1]);
	loop_free(p.loop);
}

static void on_socket(void *data)
{
	struct probe *p = data;
	char text[8];

	assert_int_equal(zmq_recv(p->socket, text, sizeof(text), ZMQ_DONTWAIT), 2);
	if (++p->calls == 2)
		loop_stop(p->loop);
}

static void test_zmq_socket(void **state)
{
	struct probe p = { .loop = loop_new() };
	void *context = zmq_ctx_new();
	void *a = zmq_socket(context, ZMQ_PAIR), *b = zmq_socket(context, ZMQ_PAIR);

	(void)state;
	assert_int_equal(zmq_bind(a, "inproc://loop"), 0);
	assert_int_equal(zmq_connect(b, "inproc://loop"), 0);
	p.socket = a;
	loop_add_socket(p.loop, a, on_socket, &p);
	assert_int_equal(zmq_send(b, "hi", 2, 0), 2);
	assert_int_equal(zmq_send(b, "ho", 2, 0), 2);
	loop_run(p.loop);
	assert_int_equal(p.calls, 2);
	zmq_close(a);
	zmq_close(b);
	zmq_ctx_term(context);
	loop_free(p.loop);
}

/* The message comes, and asking for the state takes the signal of the descriptor, as sending does
 * now and then. */
static void on_use(void *data)
{
	struct probe *p = data;
	size_t size = sizeof(int);
	int events;
	char c;

	assert_int_equal(read(p->fd, &c, 1), 1);
	assert_int_equal(zmq_send(p->peer, "hi", 2, 0), 2);
	assert_int_equal(zmq_getsockopt(p->socket, ZMQ_EVENTS, &events, &size), 0);
	assert_true(events & ZMQ_POLLIN);
	p->calls = 1;
	loop_sent(p->loop, p->socket);
}

static void test_zmq_socket_whose_signal_was_taken(void **state)
{
	struct probe p = { .loop = loop_new() };
	void *context = zmq_ctx_new();
	int fds[2];

	(void)state;
	p.socket = zmq_socket(context, ZMQ_PAIR);
	p.peer = zmq_socket(context, ZMQ_PAIR);
	assert_int_equal(zmq_bind(p.socket, "inproc://loop"), 0);
	assert_int_equal(zmq_connect(p.peer, "inproc://loop"), 0);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	p.fd = fds[0];
	loop_add_fd(p.loop, fds[0], on_use, &p);
	loop_add_socket(p.loop, p.socket, on_socket, &p);
	loop_run(p.loop);
	assert_int_equal(p.calls, 2);
	close(fds[0]);
	close(fds[1]);
	zmq_close(p.socket);
	zmq_close(p.peer);
	zmq_ctx_term(context);
	loop_free(p.loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_descriptor),
		cmocka_unit_test(test_end_of_file_wakes),
		cmocka_unit_test(test_timers_in_order_and_once),
		cmocka_unit_test(test_remove_within_a_pass),
		cmocka_unit_test(test_zmq_socket),
		cmocka_unit_test(test_zmq_socket_whose_signal_was_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
