/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of comms between the kernel process and a cell: as OUTPUT_COMM records what a cell
 * sends, with WORKER_RUN what a front end has sent. Both are the same record:
 *
 *	u8 enum comm_action, str id, str target, str JSON, [bytes buffer]
 */
#ifndef CGPU_COMMON_PROTOCOL_COMM_MESSAGE_H
#define CGPU_COMMON_PROTOCOL_COMM_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;
struct record;

enum comm_action {
	COMM_OPEN = 1, /* JSON: the state of a widget, or the data of another comm */
	COMM_UPDATE,   /* JSON: an object of what has changed in the state of a widget */
	COMM_MESSAGE,  /* JSON: content of a widget's own message, or data of another comm */
	COMM_CLOSE,    /* from a front end only: a cell that closes a comm takes it off the table */
	/* From a cell only: what follows is shown by this Output widget; id "": below the cell. */
	COMM_REDIRECT,
	COMM_ACTIONS
};

#define COMM_BUFFERS_MAX 256u

struct comm_buffer {
	const void *at; /* borrowed */
	size_t size;
};

struct comm_message {
	uint8_t action; /* enum comm_action */
	const char *id, *target, *json;
	uint32_t n_buffers;
	struct comm_buffer buffers[COMM_BUFFERS_MAX];
};

void comm_message_put(const struct comm_message *m, struct buffer *out);
/* What it takes points into the record. -1: it is no such record. */
int comm_message_take(struct record *r, struct comm_message *ret, struct error *err);

#endif
