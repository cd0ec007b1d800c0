/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jupyter messages as ZeroMQ frames (Jupyter messaging, "Wire protocol"):
 *
 *	[identity or topic]... <IDS|MSG> signature header parent_header metadata content [buffer]...
 *
 * The signature covers the four JSON frames. What arrives malformed or badly signed is an error for
 * the log and a count; it never reaches a handler.
 */
#ifndef CGPU_KERNEL_PROTOCOL_WIRE_H
#define CGPU_KERNEL_PROTOCOL_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <jansson.h>
#include <zmq.h>

#include "kernel/protocol/signature.h"

struct error;
struct loop;

#define WIRE_VERSION "5.5"

/* State that all messages of this kernel process share. */
struct wire {
	struct signature signature;
	char session[37];  /* one id for the life of the process: JupyterLab drops messages when it
			      changes */
	uint64_t sent;     /* number of messages sent, also in the next msg_id */
	uint64_t refused;  /* malformed or badly signed messages so far */
	struct loop *loop; /* is notified of each sending; NULL: none */
};

int wire_init(struct wire *w, const char *scheme, const char *key, struct error *err);
void wire_release(struct wire *w);

/* A received message. */
struct message {
	zmq_msg_t *frames; /* owned */
	size_t n_frames;
	size_t n_identities;
	json_t *header, *parent, *metadata, *content; /* objects, owned */
	const char *type, *id;                        /* borrowed from header */
	bool unread; /* there was too little memory for the content, which is empty */
	/* Why the content of an execute_request is no JSON, so it is empty; "" where it was read.
	 */
	char malformed[200];
};

/* Receives one frame, over signals: between two frames they would cut a message in two. -1: errno
 * says why. */
int wire_receive_frame(void *socket, zmq_msg_t *frame, int flags);

/* Receives a message without blocking. 1: a message, which the caller releases; 0: none waits; -1:
 * one was refused. */
int wire_receive(struct wire *w, void *socket, struct message *ret, struct error *err);
void message_release(struct message *m);

/* Return the number of buffers behind the content, and one of them, borrowed. */
size_t message_buffers(const struct message *m);
struct iovec message_buffer(const struct message *m, size_t i);

/* Makes a message that can only be used as a parent, and that outlives m. */
int message_keep_header(struct message *ret, const struct message *m);

/* A message to send. All members are borrowed, but metadata and content are taken over (also on
 * failure). */
struct outgoing {
	const char *type;
	const struct message *parent; /* NULL: parent_header is {} */
	json_t *metadata;             /* NULL: {} */
	json_t *content;              /* NULL: memory was out while it was made; sending fails */
	const struct iovec *buffers;  /* behind the content */
	size_t n_buffers;
	const char *subshell; /* subshell_id of the header, a UUID; NULL: none */
	char id[64];          /* set by sending */
};

/* Sends m to the sender of the parent, with that one's identities in front. */
int wire_reply(struct wire *w, void *socket, struct outgoing *m, struct error *err);
/* Sends m to all subscribers of the topic. */
int wire_publish(struct wire *w, void *socket, const char *topic, struct outgoing *m,
		 struct error *err);

#define WIRE_DATE_MAX 40
/* Writes the current time as ISO 8601 with time zone. */
void wire_date(char ret[WIRE_DATE_MAX]);
/* Parses an ISO 8601 date with time and zone to microseconds since 1970; -1 if it is none. */
int wire_parse_date(const char *text, int64_t *ret_us);

#endif
