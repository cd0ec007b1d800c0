/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between our processes: a SOCK_SEQPACKET socket, one packet a message: {type, payload
 * size}, the payload, and up to IPC_FDS_MAX passed descriptors. A payload over IPC_INLINE_MAX
 * travels in a sealed memfd that the receiver maps; callers do not see the difference. Order is the
 * order of sending, also after the sender's death.
 *
 * All descriptors made here are close-on-exec.
 */
#ifndef CGPU_COMMON_PROTOCOL_IPC_H
#define CGPU_COMMON_PROTOCOL_IPC_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct buffer;
struct error;

#define IPC_INLINE_MAX (64 * 1024)
#define IPC_PAYLOAD_MAX (1024u * 1024 * 1024)
#define IPC_FDS_MAX 8

struct ipc_message {
	uint32_t type;
	const void *data; /* valid until ipc_message_release() */
	size_t len;
	int fds[IPC_FDS_MAX]; /* take one with steal_fd(); what is left is closed by release */
	unsigned n_fds;
	void *owned;   /* private */
	size_t mapped; /* private: size when `owned` is a mapping */
};

/* Creates a connected pair. */
int ipc_pair(int ret_fds[2], struct error *err);

/* Sets how long a send on this end may wait for a peer that does not read; by default it waits for
 * ever. */
int ipc_set_send_deadline(int sock, int ms, struct error *err);

/*
 * Sends a message. It blocks while the socket is full, up to its deadline: ERROR_TIMEOUT. EPIPE is
 * ERROR_PEER_GONE. The fds stay the caller's.
 */
int ipc_send(int sock, uint32_t type, const void *data, size_t len, const int *fds, unsigned n_fds,
	     struct error *err);
/* The same, without descriptors, for a payload that was put together in a buffer; one that has
 * failed is not sent: ERROR_MEMORY. */
int ipc_send_buffer(int sock, uint32_t type, const struct buffer *payload, struct error *err);

/*
 * Receives one message. timeout_ms: -1 waits for ever, 0 polls. Returns 1 with a message (release
 * it), 0 when nothing came in time, -1 on error; ERROR_PEER_GONE: the peer has ended.
 */
int ipc_receive(int sock, int timeout_ms, struct ipc_message *ret, struct error *err);

/* Has this end learn which process sends each message, from here on. */
int ipc_name_senders(int sock, struct error *err);
/*
 * Receives a message of one process, or, as long as it is not known (0), of any. What others send
 * who have inherited the peer's end, or were given it, is dropped unread: 0, as if nothing had
 * come.
 */
int ipc_receive_of(int sock, pid_t sender, int timeout_ms, struct ipc_message *ret,
		   struct error *err);
void ipc_message_release(struct ipc_message *m);

/* Returns a memfd with this content, for data that is passed by descriptor; -1 on error. */
int ipc_memfd(const char *name, const void *data, size_t len, struct error *err);

#endif
