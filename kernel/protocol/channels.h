/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sockets of the connection file, bound. Shell, control, stdin and iopub belong to the thread
 * of the event loop; the heartbeat has a thread and a ZeroMQ context of its own, so that it beats
 * whatever the kernel does.
 */
#ifndef CGPU_KERNEL_PROTOCOL_CHANNELS_H
#define CGPU_KERNEL_PROTOCOL_CHANNELS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/protocol/connection-file.h"

struct error;

/* What a connection to iopub has asked for since it began. */
struct subscriber {
	uint64_t cookie; /* Linux's number of the socket, which is no other's */
	unsigned messages;
	size_t bytes;
};

struct channels {
	void *context;
	void *sockets[CHANNELS]; /* ZeroMQ sockets; that of the heartbeat is its thread's */
	void *heartbeat_context;
	pthread_t heartbeat;
	struct subscriber *subscribers; /* by descriptor */
	size_t n_subscribers;
	uint16_t iopub_port; /* in network order; 0: iopub is a file */
	char iopub_path[CONNECTION_TEXT_MAX + 32];
};

/*
 * Binds all sockets. After a restart the previous kernel may still be closing the same ports, so a
 * port in use is tried again for two seconds. A port that the file leaves open becomes known.
 */
int channels_open(struct channels *c, struct connection_file *cf, struct error *err);
/* Sends queued messages for up to a second, then closes. A zeroed struct is accepted. */
void channels_close(struct channels *c);

/*
 * Accepts the next subscription on iopub: 1 with its topic in ret, 0 when there is none. From then
 * on its client receives messages, so a welcome sent next is the first that it sees. Topics that
 * are not printable are accepted too, but not returned. A connection that asks for more than any
 * front end would is ended.
 */
int channels_subscription(struct channels *c, char *ret, size_t size);

#endif
