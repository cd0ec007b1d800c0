/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sockets of the connection file, bound. Shell, control, stdin and iopub belong to the thread
 * of the event loop; the heartbeat has a thread and a ZeroMQ context of its own, so that it beats
 * whatever the kernel does.
 */
#ifndef CGPU_KERNEL_PROTOCOL_CHANNELS_H
#define CGPU_KERNEL_PROTOCOL_CHANNELS_H

#include <pthread.h>

#include "kernel/protocol/connection-file.h"

struct error;

struct channels {
	void *context;
	void *sockets[CHANNELS]; /* ZeroMQ sockets; that of the heartbeat is its thread's */
	void *heartbeat_context;
	pthread_t heartbeat;
};

/*
 * Binds all sockets. After a restart the previous kernel may still be closing the same ports, so a
 * port in use is tried again for two seconds.
 */
int channels_open(struct channels *c, const struct connection_file *cf, struct error *err);
/* Sends queued messages for up to a second, then closes. A zeroed struct is accepted. */
void channels_close(struct channels *c);

/*
 * Accepts the next subscription on iopub: 1 with its topic in ret, 0 when there is none. From then
 * on its client receives messages, so a welcome sent next is the first that it sees. Topics that
 * are not printable or longer than size are accepted too, but not returned.
 */
int channels_subscription(struct channels *c, char *ret, size_t size);

#endif
