/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc_receive(): a packet that a process which a cell has taken over sends by hand. Input: [u8]
 * what comes with it, then the packet.
 */
#define _GNU_SOURCE
#include "common/protocol/ipc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "tests/fuzz/fuzz.h"

#define LARGE 100000
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)
#define FDS 10

enum company { WITH_MEMFD = 1, IS_SEALED = 2, WITH_MORE = 4, IS_SHORT = 8 };

static int make_memfd(unsigned company)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, company & IS_SHORT ? LARGE / 2 : LARGE) ||
	    (company & IS_SEALED && fcntl(fd, F_ADD_SEALS, SEALS)))
		abort();
	return fd;
}

static void send_packet(int sock, unsigned company, const uint8_t *data, size_t size)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int) * FDS)];
	} control = { 0 };
	struct iovec iov = { (void *)data, size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	unsigned n = company & WITH_MORE ? FDS : 1;
	int fds[FDS];

	for (unsigned i = 0; i < n; i++)
		fds[i] = make_memfd(company);
	if (company & WITH_MEMFD) {
		msg.msg_control = control.bytes;
		msg.msg_controllen = CMSG_SPACE(sizeof(int) * n);
		control.align = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
						  .cmsg_type = SCM_RIGHTS,
						  .cmsg_len = CMSG_LEN(sizeof(int) * n) };
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&msg)), fds, sizeof(int) * n);
	}
	sendmsg(sock, &msg, MSG_NOSIGNAL);
	for (unsigned i = 0; i < n; i++)
		close(fds[i]);
}

static bool one(const uint8_t *data, size_t size)
{
	struct ipc_message m = { 0 };
	unsigned sum = 0;
	int socks[2];
	bool taken;

	if (size < 2 || size > IPC_INLINE_MAX || ipc_pair(socks, NULL))
		return false;
	send_packet(socks[0], data[0], data + 1, size - 1);
	taken = ipc_receive(socks[1], 0, &m, NULL) == 1;
	if (taken) {
		for (size_t i = 0; i < m.len; i++)
			sum += ((const uint8_t *)m.data)[i];
		taken = sum < UINT32_MAX;
		ipc_message_release(&m);
	}
	close(socks[0]);
	close(socks[1]);
	return taken;
}

static void put(struct buffer *to, uint8_t company, uint32_t len, const char *payload)
{
	const uint32_t head[2] = { 7, len };

	buffer_append(to, &company, 1);
	buffer_append(to, head, sizeof(head));
	buffer_puts(to, payload);
}

static bool seed(unsigned i, struct buffer *to)
{
	if (i == 0)
		put(to, 0, 5, "hello");
	else if (i == 1)
		put(to, WITH_MEMFD | IS_SEALED, LARGE, "");
	else if (i == 2)
		put(to, WITH_MEMFD, 5, "hello");
	else
		return false;
	return true;
}

const struct fuzz_target fuzz_ipc = { one, seed, 10000 };
