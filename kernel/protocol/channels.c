/* SPDX-License-Identifier: Apache-2.0 */
/* Sets socket options and binds; runs the heartbeat thread. */
#include "kernel/protocol/channels.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <zmq.h>

#include "common/base/bug.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "kernel/protocol/ports.h"
#include "kernel/protocol/wire.h"

#define BIND_TRIES 100
#define BIND_PAUSE_MS 20
#define LINGER_MS 1000
/* The default of 1000 loses messages, `idle` among them, when a front end reads slowly. */
#define SEND_QUEUE_MAX 100000
/* Whoever reaches a port can send, before any signature is checked, so larger messages end their
 * connection as soon as their length is known. Requests may carry buffers of widgets; what comes on
 * the other channels are subscriptions and heartbeats. */
#define REQUEST_MAX ((int64_t)256 << 20)
#define BEAT_MAX 4096
/* libzmq keeps a node for each byte of each subscription before anybody is asked. Encryption needs
 * some hundred bytes for a message of its own. */
#define SUBSCRIPTION_MAX 1024
#define SUBSCRIPTIONS_QUEUED 16
/* What one connection may ask for; front ends send one or two subscriptions. */
#define MESSAGES_MAX 256
#define BYTES_MAX 4096

static const int socket_types[CHANNELS] = {
#define CHANNEL(symbol, name, key, type) type,
#include "kernel/protocol/channels.def"
#undef CHANNEL
};

static void set_option(void *socket, int option, int value)
{
	if (zmq_setsockopt(socket, option, &value, sizeof(value)))
		BUG("zmq_setsockopt %d: %s", option, zmq_strerror(errno));
}

static void bound_messages(void *socket, int64_t most)
{
	if (zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &most, sizeof(most)))
		BUG("ZMQ_MAXMSGSIZE: %s", zmq_strerror(errno));
}

static int set_curve(void *socket, const struct connection_file *cf, struct error *err)
{
	int server = 1;

	if (!*cf->curve_public)
		return 0;
	if (zmq_setsockopt(socket, ZMQ_CURVE_SERVER, &server, sizeof(server)) ||
	    zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, cf->curve_public, CURVE_KEY_LEN + 1) ||
	    zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, cf->curve_secret, CURVE_KEY_LEN + 1))
		return error_set(err, ERROR_UNSUPPORTED,
				 "the connection file asks for encryption, but this libzmq refuses "
				 "its keys (%s); it must be built with CURVE",
				 zmq_strerror(errno));
	return 0;
}

static int bind_socket(void *socket, const char *endpoint, struct error *err)
{
	const struct timespec pause = { .tv_nsec = BIND_PAUSE_MS * 1000000L };

	for (int i = 0; zmq_bind(socket, endpoint); i++) {
		if (errno != EADDRINUSE || i == BIND_TRIES)
			return error_set(err, ERROR_SYSTEM, "cannot listen on %s: %s", endpoint,
					 zmq_strerror(errno));
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int64_t message_max(enum channel which)
{
	if (which == CHANNEL_HEARTBEAT)
		return BEAT_MAX;
	return which == CHANNEL_IOPUB ? SUBSCRIPTION_MAX : REQUEST_MAX;
}

/* Learns the port that Linux has chosen. */
static int find_port(void *socket, unsigned *ret, struct error *err)
{
	char endpoint[CONNECTION_TEXT_MAX + 32] = "";
	size_t size = sizeof(endpoint);
	const char *port;

	if (*ret)
		return 0;
	if (zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, endpoint, &size))
		return error_set(err, ERROR_SYSTEM, "no port: %s", zmq_strerror(errno));
	port = strrchr(endpoint, ':');
	*ret = port ? (unsigned)strtoul(port + 1, NULL, 10) : 0;
	return *ret ? 0 : error_set(err, ERROR_SYSTEM, "no port in %s", endpoint);
}

/* Opens a socket. *listening belongs to libzmq once it is bound. */
static int open_socket(struct channels *c, struct connection_file *cf, enum channel which,
		       int *listening, struct error *err)
{
	void *context = which == CHANNEL_HEARTBEAT ? c->heartbeat_context : c->context;
	void *socket = zmq_socket(context, socket_types[which]);
	char endpoint[CONNECTION_TEXT_MAX + 32];

	if (!socket)
		return error_set(err, ERROR_SYSTEM, "no socket: %s", zmq_strerror(errno));
	c->sockets[which] = socket;
	set_option(socket, ZMQ_LINGER, which == CHANNEL_HEARTBEAT ? 0 : LINGER_MS);
	set_option(socket, ZMQ_SNDHWM, SEND_QUEUE_MAX);
	bound_messages(socket, message_max(which));
	if (which == CHANNEL_IOPUB)
		set_option(socket, ZMQ_RCVHWM, SUBSCRIPTIONS_QUEUED);
	if (socket_types[which] == ZMQ_ROUTER)
		set_option(socket, ZMQ_ROUTER_HANDOVER,
			   1); /* a client that reconnects takes over its identity */
	else
		set_option(socket, ZMQ_XPUB_MANUAL,
			   1); /* nothing reaches a subscriber before its welcome */
	if (strchr(cf->ip, ':'))
		set_option(socket, ZMQ_IPV6, 1);
	connection_file_endpoint(cf, which, endpoint, sizeof(endpoint));
	if (which == CHANNEL_IOPUB && cf->ipc)
		snprintf(c->iopub_path, sizeof(c->iopub_path), "%s", endpoint + strlen("ipc://"));
	if (*listening >= 0)
		set_option(socket, ZMQ_USE_FD, steal_fd(listening));
	if (set_curve(socket, cf, err) || bind_socket(socket, endpoint, err) ||
	    (!cf->ipc && find_port(socket, &cf->ports[which], err)))
		return error_wrap(err, "%s channel", channel_name(which));
	if (which == CHANNEL_IOPUB && !cf->ipc)
		c->iopub_port = htons((uint16_t)cf->ports[which]);
	return 0;
}

/* Echoes every message, frame by frame, until its context is shut down. */
static void *beat(void *socket)
{
	zmq_msg_t frame;
	int flags;

	for (;;) {
		zmq_msg_init(&frame);
		if (wire_receive_frame(socket, &frame, 0)) {
			zmq_msg_close(&frame);
			if (errno == ETERM)
				break;
			continue;
		}
		flags = zmq_msg_more(&frame) ? ZMQ_SNDMORE : 0;
		while (zmq_msg_send(&frame, socket, flags) < 0 && errno == EINTR)
			;
		zmq_msg_close(&frame);
	}
	zmq_close(socket);
	return NULL;
}

int channels_open(struct channels *c, struct connection_file *cf, struct error *err)
{
	int rc, listening[CHANNELS];

	memset(c, 0, sizeof(*c));
	ports_take(cf, listening);
	c->context = zmq_ctx_new();
	c->heartbeat_context = zmq_ctx_new();
	if (!c->context || !c->heartbeat_context) {
		error_set(err, ERROR_SYSTEM, "no ZeroMQ context: %s", zmq_strerror(errno));
		goto fail;
	}
	for (int i = 0; i < CHANNELS; i++)
		if (open_socket(c, cf, i, &listening[i], err))
			goto fail;
	rc = pthread_create(&c->heartbeat, NULL, beat, c->sockets[CHANNEL_HEARTBEAT]);
	if (!rc)
		return 0;
	c->heartbeat = 0;
	error_set(err, ERROR_SYSTEM, "no heartbeat thread: %s", strerror(rc));
fail:
	for (int i = 0; i < CHANNELS; i++)
		if (listening[i] >= 0)
			close(listening[i]);
	channels_close(c);
	return -1;
}

void channels_close(struct channels *c)
{
	if (c->heartbeat) {
		zmq_ctx_shutdown(c->heartbeat_context);
		pthread_join(c->heartbeat, NULL);
		c->sockets[CHANNEL_HEARTBEAT] = NULL;
	}
	for (int i = 0; i < CHANNELS; i++)
		if (c->sockets[i])
			zmq_close(c->sockets[i]);
	if (c->context)
		zmq_ctx_term(c->context);
	if (c->heartbeat_context)
		zmq_ctx_term(c->heartbeat_context);
	free(c->subscribers);
	memset(c, 0, sizeof(*c));
}

/* Finds the connection of a descriptor, which libzmq may have closed meanwhile; NULL: memory is
 * out, or the descriptor is no socket any more. */
static struct subscriber *find_subscriber(struct channels *c, int fd)
{
	socklen_t size = sizeof(uint64_t);
	uint64_t cookie;

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &size))
		return NULL;
	if ((size_t)fd >= c->n_subscribers) {
		size_t n = 2 * (size_t)fd + 1;
		struct subscriber *grown = realloc(c->subscribers, n * sizeof(*grown));

		if (!grown)
			return NULL;
		memset(grown + c->n_subscribers, 0, (n - c->n_subscribers) * sizeof(*grown));
		c->subscribers = grown;
		c->n_subscribers = n;
	}
	if (c->subscribers[fd].cookie != cookie)
		c->subscribers[fd] = (struct subscriber){ .cookie = cookie };
	return &c->subscribers[fd];
}

/* Tells whether a socket is a connection to iopub: the number may be another's already. */
static bool is_connection(const struct channels *c, int fd)
{
	struct sockaddr_storage at = { 0 };
	socklen_t len = sizeof(at);

	if (getsockname(fd, (struct sockaddr *)&at, &len))
		return false;
	if (at.ss_family == AF_UNIX)
		return !strcmp(((struct sockaddr_un *)&at)->sun_path, c->iopub_path);
	return (at.ss_family == AF_INET || at.ss_family == AF_INET6) && c->iopub_port &&
	       (at.ss_family == AF_INET ? ((struct sockaddr_in *)&at)->sin_port
					: ((struct sockaddr_in6 *)&at)->sin6_port) == c->iopub_port;
}

/* Counts what a connection asks for; false when it is too much, which ends the connection. What
 * libzmq says when a connection has ended is nobody's. */
static bool admit(struct channels *c, zmq_msg_t *frame)
{
	int fd = zmq_msg_get(frame, ZMQ_SRCFD);
	struct subscriber *s = find_subscriber(c, fd);

	if (!s)
		return fd < 0;
	s->messages++;
	s->bytes += zmq_msg_size(frame);
	if (s->messages <= MESSAGES_MAX && s->bytes <= BYTES_MAX)
		return true;
	if (is_connection(c, fd)) {
		log_warning("iopub: a connection that asks for more than %d topics, or for more "
			    "than %d bytes of them, is ended",
			    MESSAGES_MAX, BYTES_MAX);
		shutdown(fd, SHUT_RDWR);
	}
	return false;
}

static bool is_topic(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return true;
}

/* Accepts a subscription with the frame unchanged: also a topic that this kernel does not use is
 * its client's filter. */
static bool accept_subscription(void *socket, zmq_msg_t *frame, char *ret, size_t size)
{
	const char *text = zmq_msg_data(frame);
	size_t len = zmq_msg_size(frame);

	if (zmq_msg_more(frame) || !len || (text[0] != 0 && text[0] != 1))
		return false;
	zmq_setsockopt(socket, text[0] ? ZMQ_SUBSCRIBE : ZMQ_UNSUBSCRIBE, text + 1, len - 1);
	if (!text[0] || len > size || !is_topic(text + 1, len - 1))
		return false;
	memcpy(ret, text + 1, len - 1);
	ret[len - 1] = '\0';
	return true;
}

int channels_subscription(struct channels *c, char *ret, size_t size)
{
	void *socket = c->sockets[CHANNEL_IOPUB];
	bool found = false;

	while (!found) {
		zmq_msg_t frame;

		zmq_msg_init(&frame);
		if (wire_receive_frame(socket, &frame, ZMQ_DONTWAIT)) {
			zmq_msg_close(&frame);
			return 0;
		}
		found = admit(c, &frame) && accept_subscription(socket, &frame, ret, size);
		zmq_msg_close(&frame);
	}
	return 1;
}
