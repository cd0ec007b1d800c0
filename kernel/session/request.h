/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request of a front end, from its arrival to `idle`. A handler reads its fields, replies, and
 * returns; then the request ends. A handler that answers later calls request_keep() and must call
 * request_end() itself.
 */
#ifndef CGPU_KERNEL_SESSION_REQUEST_H
#define CGPU_KERNEL_SESSION_REQUEST_H

#include <stdbool.h>

#include "kernel/protocol/connection-file.h"
#include "kernel/protocol/wire.h"

struct session;

struct request {
	struct session *session;
	enum channel channel;
	struct message message; /* owned */
	bool kept;
};

/* Creates a request that takes the message over; NULL when memory is out. */
struct request *request_new(struct session *s, enum channel channel, struct message *message);
static inline void request_keep(struct request *r)
{
	r->kept = true;
}
/* Publishes `busy`. */
void request_begin(struct request *r);
/* Publishes `idle` and frees the request. If a cell is at work, `busy` is published again, since
 * servers end idle kernels: for the cell, or behind a debug_request for that. */
void request_end(struct request *r);

/* Sends X_reply to an X_request, with status "ok" if content has none. content is taken over. */
void request_reply(struct request *r, json_t *content);
/* Does the same with metadata, which is taken over. */
void request_reply_with(struct request *r, json_t *metadata, json_t *content);
/* Replies with an error, which an execute_request also shows. What is no X_request has no reply, so
 * it gets none. */
void request_fail(struct request *r, const char *ename, const char *evalue);

/* Return fields of the content; a missing or mistyped one gives the default ("" for texts). */
const char *request_text(const struct request *r, const char *key);
bool request_flag(const struct request *r, const char *key, bool otherwise);
json_int_t request_number(const struct request *r, const char *key, json_int_t otherwise);
/* Returns the field cursor_pos, which counts characters, as bytes of the code; by default its
 * end. */
size_t request_cursor(const struct request *r, const char *code);

#endif
