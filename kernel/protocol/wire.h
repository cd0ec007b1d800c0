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

/* What all messages of this kernel process share. */
struct wire {
	struct signature signature;
	char session[37];  /* one id for the life of the process: JupyterLab drops messages when it
			      changes */
	uint64_t sent;     /* also the number in the next msg_id */
	uint64_t refused;  /* malformed or badly signed messages so far */
	struct loop *loop; /* is told of what is sent; NULL: nobody is */
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
	bool unread; /* memory was too little for the content: it is empty */
};

/* 1 with a message (release it), 0 when none waits, -1 when one was refused. Never blocks. */
int wire_receive(struct wire *w, void *socket, struct message *ret, struct error *err);
void message_release(struct message *m);

/* A message that is good for nothing but being a parent, and lives on when m is released. */
int message_keep_header(struct message *ret, const struct message *m);

/* A message to send. Borrowed all, but metadata and content are taken over (also on failure). */
struct outgoing {
	const char *type;
	const struct message *parent; /* NULL: parent_header is {} */
	json_t *metadata;             /* NULL: {} */
	json_t *content;              /* NULL: memory was out while it was made; sending fails */
	char id[64];                  /* set by sending */
};

/* To the sender of the parent: its identities go in front. */
int wire_reply(struct wire *w, void *socket, struct outgoing *m, struct error *err);
/* To all subscribers of the topic. */
int wire_publish(struct wire *w, void *socket, const char *topic, struct outgoing *m,
		 struct error *err);

#define WIRE_DATE_MAX 40
/* This moment as ISO 8601 with time zone. */
void wire_date(char ret[WIRE_DATE_MAX]);
/* Microseconds since 1970 of an ISO 8601 date with time and zone; -1 if it is none. */
int wire_parse_date(const char *text, int64_t *ret_us);

#endif
