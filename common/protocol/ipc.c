/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One sendmsg() a message. The header tells the payload size; when it is larger than IPC_INLINE_MAX
 * the packet holds the header alone and the first passed descriptor is the memfd with the payload.
 *
 * The sender may be an enemy. So a payload is taken from a sealed memfd only, which neither shrinks
 * under the receiver's mapping, an access to which would be SIGBUS, nor changes while it is parsed.
 * Linux says which process has sent a packet (SCM_CREDENTIALS), whoever else has the socket.
 */
#define _GNU_SOURCE
#include "common/protocol/ipc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/whole-io.h"

#define PAYLOAD_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)

struct header {
	uint32_t type;
	uint32_t len;
};

int ipc_pair(int ret_fds[2], struct error *err)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ret_fds))
		return error_errno(err, "socketpair");
	return 0;
}

int ipc_set_send_deadline(int sock, int ms, struct error *err)
{
	struct timeval t = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };

	if (setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t)))
		return error_errno(err, "SO_SNDTIMEO");
	return 0;
}

int ipc_name_senders(int sock, struct error *err)
{
	int on = 1;

	return setsockopt(sock, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on))
		       ? error_errno(err, "SO_PASSCRED")
		       : 0;
}

int ipc_memfd(const char *name, const void *data, size_t len, struct error *err)
{
	cleanup_fd int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return error_errno(err, "memfd_create");
	if (whole_pwrite(fd, data, len, 0) != len)
		return error_errno(err, "cannot write %zu bytes to a memfd", len);
	return steal_fd(&fd);
}

static int send_packet(int sock, struct iovec *iov, int n_iov, const int *fds, unsigned n_fds,
		       struct error *err)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int) * (IPC_FDS_MAX + 1))];
	} control;
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = (size_t)n_iov };

	if (n_fds) {
		struct cmsghdr *c;

		memset(&control, 0, sizeof(control));
		msg.msg_control = control.bytes;
		msg.msg_controllen = CMSG_SPACE(sizeof(int) * n_fds);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * n_fds);
		memcpy(CMSG_DATA(c), fds, sizeof(int) * n_fds);
	}
	while (sendmsg(sock, &msg, MSG_NOSIGNAL) < 0) {
		if (errno == EINTR)
			continue;
		if (errno == EAGAIN)
			return error_set(err, ERROR_TIMEOUT,
					 "the process at the other end takes no messages");
		if (errno == EPIPE || errno == ECONNRESET)
			return error_set(err, ERROR_PEER_GONE,
					 "the process at the other end has ended");
		return error_errno(err, "sendmsg");
	}
	return 0;
}

int ipc_send(int sock, uint32_t type, const void *data, size_t len, const int *fds, unsigned n_fds,
	     struct error *err)
{
	struct header h = { type, (uint32_t)len };
	struct iovec iov[2] = { { &h, sizeof(h) }, { (void *)data, len } };
	cleanup_fd int big = -1;
	int all[IPC_FDS_MAX + 1];

	if (len > IPC_PAYLOAD_MAX || n_fds > IPC_FDS_MAX)
		return error_set(err, ERROR_LIMIT,
				 "message %u of %zu bytes with %u descriptors is too large", type,
				 len, n_fds);
	if (len <= IPC_INLINE_MAX)
		return send_packet(sock, iov, 2, fds, n_fds, err);
	big = ipc_memfd("cgpu-message", data, len, err);
	if (big < 0)
		return -1;
	if (fcntl(big, F_ADD_SEALS, PAYLOAD_SEALS))
		return error_errno(err, "cannot seal a message of %zu bytes", len);
	all[0] = big;
	if (n_fds)
		memcpy(all + 1, fds, sizeof(int) * n_fds);
	return send_packet(sock, iov, 1, all, n_fds + 1, err);
}

int ipc_send_buffer(int sock, uint32_t type, const struct buffer *payload, struct error *err)
{
	if (buffer_check(payload, err))
		return -1;
	return ipc_send(sock, type, payload->data, payload->len, NULL, 0, err);
}

static int wait_readable(int sock, int timeout_ms, struct error *err)
{
	struct timespec start, t;
	int left = timeout_ms;

	clock_gettime(CLOCK_MONOTONIC, &start);
	for (;;) {
		struct pollfd p = { .fd = sock, .events = POLLIN };
		int n = poll(&p, 1, left);

		if (n >= 0)
			return n;
		if (errno != EINTR)
			return error_errno(err, "poll");
		if (timeout_ms <= 0)
			continue;
		clock_gettime(CLOCK_MONOTONIC, &t);
		left = timeout_ms - (int)((t.tv_sec - start.tv_sec) * 1000 +
					  (t.tv_nsec - start.tv_nsec) / 1000000);
		if (left < 0)
			left = 0;
	}
}

/* What came with a packet. */
struct company {
	int fds[IPC_FDS_MAX + 1];
	unsigned n_fds;
	pid_t sender; /* 0: this end does not learn it */
};

static void take_fds(const struct cmsghdr *c, struct company *ret)
{
	size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

	for (size_t i = 0; i < n; i++) {
		int fd;

		memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
		if (ret->n_fds < IPC_FDS_MAX + 1)
			ret->fds[ret->n_fds++] = fd;
		else
			close(fd);
	}
}

static void take_company(struct msghdr *msg, struct company *ret)
{
	*ret = (struct company){ 0 };
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		struct ucred who;

		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
			take_fds(c, ret);
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS) {
			memcpy(&who, CMSG_DATA(c), sizeof(who));
			ret->sender = who.pid;
		}
	}
}

static int map_payload(struct ipc_message *m, int fd, size_t len, struct error *err)
{
	int seals = fcntl(fd, F_GET_SEALS);
	void *p;

	if (seals < 0 || (seals & PAYLOAD_SEALS) != PAYLOAD_SEALS)
		return error_set(err, ERROR_PROTOCOL, "the payload of message %u is not sealed",
				 m->type);
	if (lseek(fd, 0, SEEK_END) < (off_t)len)
		return error_set(err, ERROR_PROTOCOL, "message %u lost its payload of %zu bytes",
				 m->type, len);
	p = mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (p == MAP_FAILED)
		return error_errno(err, "cannot map a message of %zu bytes", len);
	m->data = m->owned = p;
	m->len = m->mapped = len;
	return 0;
}

static int receive_packet(int sock, struct header *h, char *inline_data, struct company *ret,
			  ssize_t *ret_n, struct error *err)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int) * (IPC_FDS_MAX + 1)) +
			   CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec iov[2] = { { h, sizeof(*h) }, { inline_data, IPC_INLINE_MAX } };
	struct msghdr msg = { .msg_iov = iov,
			      .msg_iovlen = 2,
			      .msg_control = control.bytes,
			      .msg_controllen = sizeof(control) };
	ssize_t n;

	do
		n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		return error_set(err, ERROR_PEER_GONE, "the process at the other end has ended");
	if (n < 0)
		return error_errno(err, "recvmsg");
	take_company(&msg, ret);
	*ret_n = n;
	return 0;
}

static void drop_fds(const struct company *c)
{
	for (unsigned i = 0; i < c->n_fds; i++)
		close(c->fds[i]);
}

int ipc_receive_of(int sock, pid_t sender, int timeout_ms, struct ipc_message *ret,
		   struct error *err)
{
	struct ipc_message m = { 0 };
	struct header h = { 0 };
	struct company all = { 0 };
	unsigned skip = 0;
	ssize_t n = 0;
	cleanup_free char *inline_data = NULL;
	int ready = wait_readable(sock, timeout_ms, err);

	if (ready <= 0)
		return ready;
	inline_data = malloc(IPC_INLINE_MAX);
	if (!inline_data)
		return error_set(err, ERROR_MEMORY, "out of memory for a message");
	if (receive_packet(sock, &h, inline_data, &all, &n, err))
		return -1;
	if (sender && all.sender != sender) {
		drop_fds(&all);
		return 0;
	}
	m.type = h.type;
	if ((size_t)n < sizeof(h) || (h.len <= IPC_INLINE_MAX && (size_t)n != sizeof(h) + h.len) ||
	    (h.len > IPC_INLINE_MAX && all.n_fds == 0) || h.len > IPC_PAYLOAD_MAX) {
		error_set(err, ERROR_PROTOCOL, "message %u is malformed", h.type);
		goto fail;
	}
	if (h.len > IPC_INLINE_MAX) {
		if (map_payload(&m, all.fds[0], h.len, err))
			goto fail;
		close(all.fds[0]);
		skip = 1;
	} else {
		m.len = h.len;
		m.data = m.owned = steal_pointer(&inline_data);
	}
	for (unsigned i = skip; i < all.n_fds; i++) {
		if (m.n_fds < IPC_FDS_MAX)
			m.fds[m.n_fds++] = all.fds[i];
		else
			close(all.fds[i]);
	}
	*ret = m;
	return 1;
fail:
	drop_fds(&all);
	return -1;
}

int ipc_receive(int sock, int timeout_ms, struct ipc_message *ret, struct error *err)
{
	return ipc_receive_of(sock, 0, timeout_ms, ret, err);
}

void ipc_message_release(struct ipc_message *m)
{
	for (unsigned i = 0; i < m->n_fds; i++)
		if (m->fds[i] >= 0)
			close(m->fds[i]);
	if (m->mapped)
		munmap(m->owned, m->mapped);
	else
		free(m->owned);
	*m = (struct ipc_message){ 0 };
}
