/* SPDX-License-Identifier: Apache-2.0 */
/* common/ipc over real socket pairs: sizes around the inline limit, passed descriptors, order, a
 * dead peer. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "common/protocol/ipc.h"

static void sizes_around_the_inline_limit(void **state)
{
	static const size_t sizes[] = {
		0, 1, IPC_INLINE_MAX - 1, IPC_INLINE_MAX, IPC_INLINE_MAX + 1, 5000000
	};
	int s[2];

	(void)state;
	assert_int_equal(ipc_pair(s, NULL), 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *data = malloc(sizes[i] + 1);
		struct ipc_message m;

		for (size_t k = 0; k < sizes[i]; k++)
			data[k] = (char)(k * 31 + i);
		assert_int_equal(ipc_send(s[0], 40 + (uint32_t)i, data, sizes[i], NULL, 0, NULL),
				 0);
		assert_int_equal(ipc_receive(s[1], -1, &m, NULL), 1);
		assert_int_equal(m.type, 40 + i);
		assert_int_equal(m.len, sizes[i]);
		assert_memory_equal(m.data, data, sizes[i]);
		assert_int_equal(m.n_fds, 0);
		ipc_message_release(&m);
		free(data);
	}
	close(s[0]);
	close(s[1]);
}

static void descriptors_arrive_and_are_cloexec(void **state)
{
	int s[2], pipe_fds[2];
	struct ipc_message m;
	char *big = calloc(1, IPC_INLINE_MAX + 1), c;

	(void)state;
	assert_int_equal(ipc_pair(s, NULL), 0);
	assert_int_equal(pipe(pipe_fds), 0);
	for (size_t len = 1; len <= IPC_INLINE_MAX + 1; len += IPC_INLINE_MAX) {
		int fd;

		assert_int_equal(ipc_send(s[0], 1, big, len, &pipe_fds[1], 1, NULL), 0);
		assert_int_equal(ipc_receive(s[1], -1, &m, NULL), 1);
		assert_int_equal(m.n_fds, 1);
		fd = m.fds[0];
		assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
		assert_int_equal(write(fd, "x", 1), 1);
		assert_int_equal(read(pipe_fds[0], &c, 1), 1);
		ipc_message_release(&m);
		assert_int_equal(fcntl(fd, F_GETFD), -1); /* release closed it */
	}
	free(big);
	close(s[0]);
	close(s[1]);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

static void messages_outlive_their_sender(void **state)
{
	struct error err = ERROR_INIT;
	struct ipc_message m;
	int s[2], status;
	pid_t pid;

	(void)state;
	assert_int_equal(ipc_pair(s, NULL), 0);
	pid = fork();
	if (pid == 0) {
		ipc_send(s[1], 1, "a", 1, NULL, 0, NULL);
		ipc_send(s[1], 2, "b", 1, NULL, 0, NULL);
		_exit(0);
	}
	close(s[1]);
	waitpid(pid, &status, 0);
	for (uint32_t type = 1; type <= 2; type++) {
		assert_int_equal(ipc_receive(s[0], -1, &m, NULL), 1);
		assert_int_equal(m.type, type);
		ipc_message_release(&m);
	}
	assert_int_equal(ipc_receive(s[0], -1, &m, &err), -1);
	assert_int_equal(err.code, ERROR_PEER_GONE);
	assert_int_equal(ipc_send(s[0], 1, "a", 1, NULL, 0, &err), -1);
	assert_int_equal(err.code, ERROR_PEER_GONE);
	close(s[0]);
}

static void nothing_in_time_is_no_error(void **state)
{
	struct ipc_message m;
	int s[2];

	(void)state;
	assert_int_equal(ipc_pair(s, NULL), 0);
	assert_int_equal(ipc_receive(s[0], 0, &m, NULL), 0);
	assert_int_equal(ipc_receive(s[0], 5, &m, NULL), 0);
	close(s[0]);
	close(s[1]);
}

static void too_large_is_refused(void **state)
{
	struct error err = ERROR_INIT;
	int fds[IPC_FDS_MAX + 1] = { 0 }, s[2];

	(void)state;
	assert_int_equal(ipc_pair(s, NULL), 0);
	assert_int_equal(ipc_send(s[0], 1, NULL, (size_t)IPC_PAYLOAD_MAX + 1, NULL, 0, &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_int_equal(ipc_send(s[0], 1, "", 0, fds, IPC_FDS_MAX + 1, &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	close(s[0]);
	close(s[1]);
}

static void foreign_packets_are_an_error(void **state)
{
	struct error err = ERROR_INIT;
	struct ipc_message m;
	int s[2];

	(void)state;
	assert_int_equal(ipc_pair(s, NULL), 0);
	assert_int_equal(write(s[0], "abc", 3), 3);
	assert_int_equal(ipc_receive(s[1], -1, &m, &err), -1);
	assert_int_equal(err.code, ERROR_PROTOCOL);
	assert_int_equal(write(s[0], "\1\0\0\0\xff\0\0\0ab", 10), 10);
	assert_int_equal(ipc_receive(s[1], -1, &m, &err), -1);
	assert_int_equal(err.code, ERROR_PROTOCOL);
	close(s[0]);
	close(s[1]);
}

static void a_peer_that_does_not_read_ends_the_send(void **state)
{
	static const char data[IPC_INLINE_MAX];
	struct error err = ERROR_INIT;
	int s[2], sent = 0;

	(void)state;
	assert_int_equal(ipc_pair(s, NULL), 0);
	assert_int_equal(ipc_set_send_deadline(s[0], 50, NULL), 0);
	while (!ipc_send(s[0], 1, data, sizeof(data), NULL, 0, &err))
		sent++;
	assert_int_equal(err.code, ERROR_TIMEOUT);
	/* What was sent before is whole. */
	for (int i = 0; i < sent; i++) {
		struct ipc_message m;

		assert_int_equal(ipc_receive(s[1], 0, &m, NULL), 1);
		assert_int_equal(m.len, sizeof(data));
		ipc_message_release(&m);
	}
	close(s[0]);
	close(s[1]);
}

/* A packet with a header alone, that promises a payload of so many bytes in `fd`. */
static void send_promise(int sock, uint32_t len, int fd)
{
	uint32_t header[2] = { 9, len };
	struct iovec iov = { header, sizeof(header) };
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control.bytes,
			      .msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(int));
	assert_int_equal(sendmsg(sock, &msg, 0), sizeof(header));
}

static void payloads_that_can_change_are_refused(void **state)
{
	const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
	const int seals[] = { 0, F_SEAL_SHRINK, all & ~F_SEAL_WRITE, all & ~F_SEAL_SHRINK, all };
	size_t len = 4 * IPC_INLINE_MAX;
	struct error err = ERROR_INIT;
	struct ipc_message m;
	int s[2], ends[2], fd;

	(void)state;
	assert_int_equal(ipc_pair(s, NULL), 0);
	for (size_t i = 0; i < sizeof(seals) / sizeof(seals[0]); i++) {
		fd = memfd_create("payload", MFD_ALLOW_SEALING);
		assert_int_equal(ftruncate(fd, (off_t)len), 0);
		assert_int_equal(fcntl(fd, F_ADD_SEALS, seals[i]), 0);
		send_promise(s[0], (uint32_t)len, fd);
		close(fd);
		if (seals[i] == all) {
			assert_int_equal(ipc_receive(s[1], -1, &m, &err), 1);
			ipc_message_release(&m);
		} else {
			assert_int_equal(ipc_receive(s[1], -1, &m, &err), -1);
			assert_int_equal(err.code, ERROR_PROTOCOL);
		}
	}
	assert_int_equal(pipe(ends), 0);
	send_promise(s[0], (uint32_t)len, ends[0]);
	assert_int_equal(ipc_receive(s[1], -1, &m, &err), -1);
	fd = memfd_create("payload", MFD_ALLOW_SEALING);
	assert_int_equal(ftruncate(fd, 1ll << 33), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, all), 0);
	send_promise(s[0], IPC_PAYLOAD_MAX + 1, fd);
	assert_int_equal(ipc_receive(s[1], -1, &m, &err), -1);
	assert_int_equal(err.code, ERROR_PROTOCOL);
	close(fd);
	close(ends[0]);
	close(ends[1]);
	close(s[0]);
	close(s[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_around_the_inline_limit),
		cmocka_unit_test(descriptors_arrive_and_are_cloexec),
		cmocka_unit_test(messages_outlive_their_sender),
		cmocka_unit_test(nothing_in_time_is_no_error),
		cmocka_unit_test(too_large_is_refused),
		cmocka_unit_test(payloads_that_can_change_are_refused),
		cmocka_unit_test(foreign_packets_are_an_error),
		cmocka_unit_test(a_peer_that_does_not_read_ends_the_send),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
