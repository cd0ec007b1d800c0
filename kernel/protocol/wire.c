/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts between messages and frames. The header of sent messages is formatted by hand, since
 * nothing in it needs escaping; the parent's header is sent back byte for byte.
 */
#define _GNU_SOURCE

#include "kernel/protocol/wire.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <uuid/uuid.h>

#include "common/base/error.h"
#include "kernel/base/loop.h"

#define DELIMITER "<IDS|MSG>"
#define FRAMES_MAX 1024
#define LARGE_TEXT ((size_t)1 << 20)

enum {
	FRAME_SIGNATURE = 1,
	FRAME_HEADER,
	FRAME_PARENT,
	FRAME_METADATA,
	FRAME_CONTENT,
	FRAME_BUFFERS
};

int wire_init(struct wire *w, const char *scheme, const char *key, struct error *err)
{
	uuid_t id;

	memset(w, 0, sizeof(*w));
	uuid_generate_random(id);
	uuid_unparse_lower(id, w->session);
	return signature_init(&w->signature, scheme, key, err);
}

void wire_release(struct wire *w)
{
	signature_release(&w->signature);
}

void wire_date(char ret[WIRE_DATE_MAX])
{
	struct timespec at;
	struct tm tm;
	size_t n;

	clock_gettime(CLOCK_REALTIME, &at);
	gmtime_r(&at.tv_sec, &tm);
	n = strftime(ret, WIRE_DATE_MAX, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(ret + n, WIRE_DATE_MAX - n, ".%06ldZ", at.tv_nsec / 1000);
}

/* Parses "Z", "+02:00" or "-07:30" to seconds. */
static int parse_zone(const char *text, int *ret)
{
	int hours, minutes, end = 0;

	*ret = 0;
	if (!strcmp(text, "Z"))
		return 0;
	if ((*text != '+' && *text != '-') ||
	    sscanf(text + 1, "%2d:%2d%n", &hours, &minutes, &end) != 2 || text[1 + end])
		return -1;
	*ret = (*text == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
	return 0;
}

int wire_parse_date(const char *text, int64_t *ret_us)
{
	struct tm tm = { 0 };
	const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	int64_t fraction = 0, unit = 1000000;
	int zone;

	if (!rest)
		return -1;
	if (*rest == '.')
		for (rest++; *rest >= '0' && *rest <= '9'; rest++) {
			unit /= 10;
			fraction += unit * (*rest - '0');
		}
	if (parse_zone(rest, &zone))
		return -1;
	*ret_us = (int64_t)(timegm(&tm) - zone) * 1000000 + fraction;
	return 0;
}

void message_release(struct message *m)
{
	for (size_t i = 0; i < m->n_frames; i++)
		zmq_msg_close(&m->frames[i]);
	free(m->frames);
	json_decref(m->header);
	json_decref(m->parent);
	json_decref(m->metadata);
	json_decref(m->content);
	memset(m, 0, sizeof(*m));
}

static struct iovec frame_bytes(const struct message *m, size_t i)
{
	zmq_msg_t *frame = &m->frames[i];

	return (struct iovec){ zmq_msg_data(frame), zmq_msg_size(frame) };
}

size_t message_buffers(const struct message *m)
{
	return m->n_frames - m->n_identities - FRAME_BUFFERS;
}

struct iovec message_buffer(const struct message *m, size_t i)
{
	return frame_bytes(m, m->n_identities + FRAME_BUFFERS + i);
}

/* Returns the received header, which is sent again as parent_header, byte for byte. */
static struct iovec message_header(const struct message *m)
{
	return frame_bytes(m, m->n_identities + FRAME_HEADER);
}

int message_keep_header(struct message *ret, const struct message *m)
{
	struct message copy = { .n_frames = FRAME_HEADER + 1,
				.frames = calloc(FRAME_HEADER + 1, sizeof(*copy.frames)) };
	int failed;

	if (!copy.frames)
		return -1;
	for (size_t i = 0; i < copy.n_frames; i++)
		zmq_msg_init(&copy.frames[i]);
	failed = zmq_msg_copy(&copy.frames[FRAME_HEADER],
			      &m->frames[m->n_identities + FRAME_HEADER]);
	if (failed)
		message_release(&copy);
	else
		*ret = copy;
	return failed ? -1 : 0;
}

int wire_receive_frame(void *socket, zmq_msg_t *frame, int flags)
{
	int rc;

	do
		rc = zmq_msg_recv(frame, socket, flags);
	while (rc < 0 && errno == EINTR);
	return rc < 0 ? -1 : 0;
}

/* Receives all frames of one message, even when it will be refused, so that the rest is not taken
 * for the next one. */
static int receive_frames(void *socket, struct message *m, struct error *err)
{
	size_t cap = 0;
	int more = 1;

	while (more) {
		zmq_msg_t frame;

		zmq_msg_init(&frame);
		if (wire_receive_frame(socket, &frame, ZMQ_DONTWAIT)) {
			zmq_msg_close(&frame);
			if (errno == EAGAIN && !m->n_frames)
				return 0;
			return error_errno(err, "cannot receive");
		}
		more = zmq_msg_more(&frame);
		if (m->n_frames == cap && cap < FRAMES_MAX) {
			zmq_msg_t *grown = realloc(m->frames, (cap + 16) * sizeof(*grown));

			if (grown) {
				m->frames = grown;
				cap += 16;
			}
		}
		if (m->n_frames < cap)
			m->frames[m->n_frames++] = frame;
		else
			zmq_msg_close(&frame);
	}
	return 1;
}

static json_t *parse_frame(const struct message *m, int which, const char *name, struct error *err)
{
	struct iovec text = frame_bytes(m, m->n_identities + which);
	json_error_t why;
	json_t *value = json_loadb(text.iov_base, text.iov_len, JSON_ALLOW_NUL, &why);

	if (!value)
		error_set(err, ERROR_INPUT, "the %s is not JSON: %s", name, why.text);
	else if (!json_is_object(value))
		error_set(err, ERROR_INPUT, "the %s is not an object", name);
	else
		return value;
	json_decref(value);
	return NULL;
}

/* Tells whether memory was too little for parsing. A parser without memory reports the text as
 * wrong; it needs several times the text, since it copies its data when that doubles. */
static bool has_no_room(size_t len)
{
	char *volatile needed = malloc(5 * len);

	free(needed);
	return !needed;
}

static int parse_content(struct message *m, struct error *err)
{
	size_t len = frame_bytes(m, m->n_identities + FRAME_CONTENT).iov_len;
	struct error why = ERROR_INIT;

	/* The parser would read a large text to its end all the same, with a request for memory
	 * that fails for each byte. */
	m->unread = len >= LARGE_TEXT && has_no_room(len);
	m->content = m->unread ? NULL : parse_frame(m, FRAME_CONTENT, "content", &why);
	if (m->content)
		return 0;
	m->unread = m->unread || has_no_room(len);
	/* A front end waits for the end of a cell, so a cell that cannot be read ends, too. */
	if (!m->unread && strcmp(m->type, "execute_request"))
		return error_set(err, why.code, "%s", why.text);
	if (!m->unread)
		snprintf(m->malformed, sizeof(m->malformed), "%.190s", why.text);
	m->content = json_object();
	return m->content ? 0 : -1;
}

static int parse_frames(struct wire *w, struct message *m, struct error *err)
{
	struct iovec parts[4], given;
	size_t at = 0;

	for (;; at++) {
		if (at == m->n_frames)
			return error_set(err, ERROR_INPUT, "no delimiter among its %zu frames",
					 m->n_frames);
		given = frame_bytes(m, at);
		if (given.iov_len == strlen(DELIMITER) &&
		    !memcmp(given.iov_base, DELIMITER, given.iov_len))
			break;
	}
	m->n_identities = at;
	if (m->n_frames - at < FRAME_BUFFERS)
		return error_set(err, ERROR_INPUT, "%zu frames after the delimiter instead of 5",
				 m->n_frames - at - 1);
	for (int i = 0; i < 4; i++)
		parts[i] = frame_bytes(m, at + FRAME_HEADER + i);
	given = frame_bytes(m, at + FRAME_SIGNATURE);
	if (!signature_check(&w->signature, parts, 4, given.iov_base, given.iov_len))
		return error_set(err, ERROR_INPUT, "its signature is wrong");
	if (!(m->header = parse_frame(m, FRAME_HEADER, "header", err)) ||
	    !(m->parent = parse_frame(m, FRAME_PARENT, "parent header", err)) ||
	    !(m->metadata = parse_frame(m, FRAME_METADATA, "metadata", err)))
		return -1;
	m->type = json_string_value(json_object_get(m->header, "msg_type"));
	m->id = json_string_value(json_object_get(m->header, "msg_id"));
	if (!m->type || !m->id)
		return error_set(err, ERROR_INPUT, "msg_type and msg_id must be strings");
	return parse_content(m, err);
}

int wire_receive(struct wire *w, void *socket, struct message *ret, struct error *err)
{
	struct message m = { 0 };
	int rc = receive_frames(socket, &m, err);

	if (rc == 1 && !parse_frames(w, &m, err)) {
		*ret = m;
		return 1;
	}
	message_release(&m);
	if (!rc)
		return 0;
	w->refused++;
	return -1;
}

/* The frames from the delimiter on. They are made before the first one is sent, so that a message
 * is sent whole or not at all. */
struct encoded {
	char header[448];
	char signature[SIGNATURE_MAX];
	char *metadata, *content;
	struct iovec frames[6];
};

static void encoded_release(struct encoded *e)
{
	free(e->metadata);
	free(e->content);
}

#define cleanup_encoded __attribute__((cleanup(encoded_release)))

static int encode(struct wire *w, struct outgoing *m, struct encoded *ret, struct error *err)
{
	struct iovec *parts = ret->frames + 2;
	char date[WIRE_DATE_MAX];

	ret->metadata = m->metadata ? json_dumps(m->metadata, JSON_COMPACT) : strdup("{}");
	ret->content = json_dumps(m->content, JSON_COMPACT);
	json_decref(m->metadata);
	json_decref(m->content);
	m->metadata = m->content = NULL;
	if (!ret->metadata || !ret->content)
		return error_set(err, ERROR_MEMORY, "%s: out of memory", m->type);
	snprintf(m->id, sizeof(m->id), "%s_%llu", w->session, (unsigned long long)w->sent++);
	wire_date(date);
	parts[0] = (struct iovec){
		ret->header,
		snprintf(ret->header, sizeof(ret->header),
			 "{\"msg_id\":\"%s\",\"session\":\"%s\",\"username\":\"kernel\",\"date\":"
			 "\"%s\",\"msg_type\":\"%s\",\"version\":\"" WIRE_VERSION "\"%s%s%s}",
			 m->id, w->session, date, m->type, m->subshell ? ",\"subshell_id\":\"" : "",
			 m->subshell ? m->subshell : "", m->subshell ? "\"" : "")
	};
	parts[1] = m->parent ? message_header(m->parent) : (struct iovec){ "{}", 2 };
	parts[2] = (struct iovec){ ret->metadata, strlen(ret->metadata) };
	parts[3] = (struct iovec){ ret->content, strlen(ret->content) };
	if (signature_sign(&w->signature, parts, 4, ret->signature, err))
		return error_wrap(err, "%s", m->type);
	ret->frames[0] = (struct iovec){ DELIMITER, strlen(DELIMITER) };
	ret->frames[1] = (struct iovec){ ret->signature, strlen(ret->signature) };
	return 0;
}

static int send_frames(struct wire *w, void *socket, const struct iovec *frames, size_t n,
		       bool more, struct error *err)
{
	if (w->loop)
		loop_sent(w->loop, socket);
	for (size_t i = 0; i < n; i++) {
		int flags = ZMQ_DONTWAIT | (more || i + 1 < n ? ZMQ_SNDMORE : 0);

		while (zmq_send(socket, frames[i].iov_base, frames[i].iov_len, flags) < 0)
			if (errno != EINTR)
				return error_errno(err, "cannot send");
	}
	return 0;
}

int wire_reply(struct wire *w, void *socket, struct outgoing *m, struct error *err)
{
	const struct message *to = m->parent;
	struct encoded e cleanup_encoded = { 0 };

	if (encode(w, m, &e, err))
		return -1;
	for (size_t i = 0; i < to->n_identities; i++) {
		struct iovec identity = frame_bytes(to, i);

		if (send_frames(w, socket, &identity, 1, true, err))
			return error_wrap(err, "%s", m->type);
	}
	if (send_frames(w, socket, e.frames, 6, false, err))
		return error_wrap(err, "%s", m->type);
	return 0;
}

int wire_publish(struct wire *w, void *socket, const char *topic, struct outgoing *m,
		 struct error *err)
{
	struct encoded e cleanup_encoded = { 0 };
	struct iovec first = { (char *)topic, strlen(topic) };

	if (encode(w, m, &e, err))
		return -1;
	if (send_frames(w, socket, &first, 1, true, err) ||
	    send_frames(w, socket, e.frames, 6, m->n_buffers > 0, err) ||
	    send_frames(w, socket, m->buffers, m->n_buffers, false, err))
		return error_wrap(err, "%s", m->type);
	return 0;
}
