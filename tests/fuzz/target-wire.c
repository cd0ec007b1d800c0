/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_receive(): the frames of whoever has the key, or of anybody where messages are not signed.
 * Input: [u16 length, bytes] for each frame; a real pair of sockets carries them.
 */
#include "kernel/protocol/wire.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "tests/fuzz/fuzz.h"

#define WAIT_MS 10000

static struct {
	void *context, *kernel, *client;
	struct wire wire;
} ends;

static void close_ends(void)
{
	wire_release(&ends.wire);
	zmq_close(ends.kernel);
	zmq_close(ends.client);
	zmq_ctx_term(ends.context);
}

static void open_ends(void)
{
	if (ends.context)
		return;
	ends.context = zmq_ctx_new();
	ends.kernel = zmq_socket(ends.context, ZMQ_ROUTER);
	ends.client = zmq_socket(ends.context, ZMQ_DEALER);
	if (zmq_bind(ends.kernel, "inproc://fuzz") || zmq_connect(ends.client, "inproc://fuzz") ||
	    wire_init(&ends.wire, "hmac-sha256", "", NULL) || atexit(close_ends))
		abort();
}

/* Sends the frames; false when there are none. */
static bool send_frames(const uint8_t *data, size_t size)
{
	uint16_t len;
	bool sent = false;

	for (size_t at = 0; at + sizeof(len) <= size; at += len, sent = true) {
		memcpy(&len, data + at, sizeof(len));
		at += sizeof(len);
		if (len > size - at)
			len = (uint16_t)(size - at);
		if (zmq_send(ends.client, data + at, len,
			     at + len + sizeof(len) <= size ? ZMQ_SNDMORE : 0) < 0)
			abort();
	}
	return sent;
}

static void use(const struct message *m)
{
	struct outgoing out = { .type = "t_reply", .parent = m, .content = json_object() };
	struct message kept;
	int64_t us;

	if (!message_keep_header(&kept, m))
		message_release(&kept);
	wire_parse_date(json_string_value(json_object_get(m->header, "date")) ?: "", &us);
	/* The identities may be nobody's; then there is no one to get the reply. */
	wire_reply(&ends.wire, ends.kernel, &out, NULL);
	while (zmq_recv(ends.client, NULL, 0, ZMQ_DONTWAIT) >= 0)
		continue;
}

static bool one(const uint8_t *data, size_t size)
{
	zmq_pollitem_t item;
	struct message m = { 0 };
	bool taken = false;

	open_ends();
	if (!send_frames(data, size))
		return false;
	item = (zmq_pollitem_t){ ends.kernel, 0, ZMQ_POLLIN, 0 };
	if (zmq_poll(&item, 1, WAIT_MS) != 1)
		abort();
	taken = wire_receive(&ends.wire, ends.kernel, &m, NULL) == 1;
	if (taken) {
		use(&m);
		message_release(&m);
	}
	/* A message is read to its end, whatever is wrong with it. */
	if (zmq_poll(&item, 1, 0))
		abort();
	return taken;
}

static void put(struct buffer *to, const char *frame)
{
	uint16_t len = (uint16_t)strlen(frame);

	buffer_append(to, &len, sizeof(len));
	buffer_append(to, frame, len);
}

static bool seed(unsigned i, struct buffer *to)
{
	static const char *const contents[] = {
		"{}",
		"{\"code\": \"1 + 1\", \"silent\": false, \"user_expressions\": {\"a\": \"b\"}}",
		"{\"code\": \"\\u0000\\ud83d\\ude00\", \"cursor_pos\": 12345678901234567890123}",
		"{\"data\": [[[[[[[[{}, 1e308, -0.0, true, null]]]]]]]]}"
	};

	if (i >= sizeof(contents) / sizeof(contents[0]))
		return false;
	if (i % 2)
		put(to, "hop");
	put(to, "<IDS|MSG>");
	put(to, "");
	put(to, "{\"msg_id\": \"7\", \"msg_type\": \"execute_request\", \"session\": \"s\", "
		"\"username\": \"u\", \"version\": \"5.3\", \"date\": \"2026-11-01T12:00:00.5Z\"}");
	put(to, i % 2 ? "{\"msg_id\": \"6\"}" : "{}");
	put(to, "{\"deletedCells\": []}");
	put(to, contents[i]);
	if (i % 2)
		put(to, "a buffer");
	return true;
}

const struct fuzz_target fuzz_wire = { one, seed, 20000 };
