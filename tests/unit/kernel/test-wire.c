/* SPDX-License-Identifier: Apache-2.0 */
/* kernel/protocol/wire: messages through real sockets, and every way in which one can be malformed.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "kernel/protocol/wire.h"

#define DELIMITER "<IDS|MSG>"
#define HEADER "{\"msg_type\": \"t\",  \"msg_id\": \"7\"}"

struct ends {
	void *context, *kernel, *client;
	struct wire wire;
};

static int open_ends(void **state)
{
	static struct ends e;

	e.context = zmq_ctx_new();
	e.kernel = zmq_socket(e.context, ZMQ_ROUTER);
	e.client = zmq_socket(e.context, ZMQ_DEALER);
	zmq_setsockopt(e.client, ZMQ_ROUTING_ID, "client", 6);
	if (zmq_bind(e.kernel, "inproc://wire") || zmq_connect(e.client, "inproc://wire"))
		return -1;
	*state = &e;
	return wire_init(&e.wire, "hmac-sha256", "key", NULL);
}

static int close_ends(void **state)
{
	struct ends *e = *state;

	wire_release(&e->wire);
	zmq_close(e->kernel);
	zmq_close(e->client);
	return zmq_ctx_term(e->context);
}

/* Sends the frames up to NULL, and waits until they are there; a frame "%" is the right signature
 * of the four behind it. */
static void send_frames(struct ends *e, const char *const *frames)
{
	zmq_pollitem_t item = { e->kernel, 0, ZMQ_POLLIN, 0 };
	char hex[SIGNATURE_MAX];

	for (; *frames; frames++) {
		const char *frame = *frames;
		struct iovec parts[4];

		if (!strcmp(frame, "%")) {
			for (int j = 0; j < 4; j++)
				parts[j] = (struct iovec){ (char *)frames[1 + j],
							   strlen(frames[1 + j]) };
			assert_int_equal(signature_sign(&e->wire.signature, parts, 4, hex, NULL),
					 0);
			frame = hex;
		}
		assert_true(zmq_send(e->client, frame, strlen(frame),
				     frames[1] ? ZMQ_SNDMORE : 0) >= 0);
	}
	assert_int_equal(zmq_poll(&item, 1, -1), 1);
}

static int send_and_receive(struct ends *e, const char *const *frames, struct message *m,
			    struct error *err)
{
	send_frames(e, frames);
	return wire_receive(&e->wire, e->kernel, m, err);
}

static void a_request_and_its_reply(void **state)
{
	struct ends *e = *state;
	const char *frames[] = {
		"hop", DELIMITER, "%", HEADER, "{}", "{\"k\":1}", "{\"c\":\"\\u0000\"}", "raw", NULL
	};
	struct outgoing out = { .type = "t_reply", .content = json_pack("{si}", "answer", 42) };
	struct message m = { 0 }, reply = { 0 };

	assert_int_equal(wire_receive(&e->wire, e->kernel, &m, NULL), 0);
	assert_int_equal(send_and_receive(e, frames, &m, NULL), 1);
	assert_string_equal(m.type, "t");
	assert_string_equal(m.id, "7");
	assert_int_equal(m.n_identities, 2);
	assert_int_equal(json_string_length(json_object_get(m.content, "c")), 1);

	out.parent = &m;
	assert_int_equal(wire_reply(&e->wire, e->kernel, &out, NULL), 0);
	assert_int_equal(wire_receive(&e->wire, e->client, &reply, NULL), 1);
	assert_int_equal(reply.n_identities,
			 1); /* "hop"; the client's own was taken off by its router */
	assert_string_equal(reply.id, out.id);
	assert_int_equal(json_integer_value(json_object_get(reply.content, "answer")), 42);
	/* The parent header is what came, spaces and all. */
	assert_memory_equal(zmq_msg_data(&reply.frames[4]), HEADER, strlen(HEADER));
	assert_string_equal(json_string_value(json_object_get(reply.header, "session")),
			    e->wire.session);
	assert_int_equal(e->wire.refused, 0);
	message_release(&m);
	message_release(&reply);
}

static void ids_never_repeat(void **state)
{
	struct ends *e = *state;
	const char *frames[] = { DELIMITER, "%", HEADER, "{}", "{}", "{}", NULL };
	struct message m = { 0 }, reply = { 0 };
	char last[64] = "";

	assert_int_equal(send_and_receive(e, frames, &m, NULL), 1);
	for (int i = 0; i < 3; i++) {
		struct outgoing out = { .type = "t_reply", .parent = &m, .content = json_object() };

		assert_int_equal(wire_reply(&e->wire, e->kernel, &out, NULL), 0);
		assert_int_equal(wire_receive(&e->wire, e->client, &reply, NULL), 1);
		assert_string_not_equal(reply.id, last);
		strcpy(last, reply.id);
		message_release(&reply);
	}
	message_release(&m);
}

static void malformed_messages_are_counted(void **state)
{
	struct ends *e = *state;
	const struct {
		const char *says, *frames[9];
	} cases[] = {
		{ "no delimiter", { "a", "b", "c" } },
		{ "no delimiter", { "" } },
		{ "frames after", { DELIMITER, "x", HEADER, "{}", "{}" } },
		{ "signature", { DELIMITER, "", HEADER, "{}", "{}", "{}" } },
		{ "signature", { DELIMITER, "00", HEADER, "{}", "{}", "{}" } },
		{ "header is not JSON", { DELIMITER, "%", "{", "{}", "{}", "{}" } },
		{ "header is not JSON", { DELIMITER, "%", "{\"x\": \"\xff\"}", "{}", "{}", "{}" } },
		{ "header is not an object", { DELIMITER, "%", "[]", "{}", "{}", "{}" } },
		{ "metadata is not", { DELIMITER, "%", HEADER, "{}", "7", "{}" } },
		{ "content is not JSON", { DELIMITER, "%", HEADER, "{}", "{}", "NaN" } },
		{ "must be strings",
		  { DELIMITER, "%", "{\"msg_type\":1,\"msg_id\":\"a\"}", "{}", "{}", "{}" } },
		{ "must be strings", { DELIMITER, "%", "{\"msg_type\":\"a\"}", "{}", "{}", "{}" } },
	};
	const char *good[] = { DELIMITER, "%", HEADER, "{}", "{}", "{}", NULL };
	struct message m = { 0 };
	size_t n = sizeof(cases) / sizeof(cases[0]);

	for (size_t i = 0; i < n; i++) {
		struct error err = ERROR_INIT;

		assert_int_equal(send_and_receive(e, cases[i].frames, &m, &err), -1);
		if (!strstr(err.text, cases[i].says))
			fail_msg("case %zu: %s", i, err.text);
		assert_int_equal(e->wire.refused, i + 1);
	}
	assert_int_equal(send_and_receive(e, good, &m, NULL), 1);
	message_release(&m);
}

/* More frames than are kept: refused as one message, and the next one is read from its start. */
static void floods_of_frames_are_one_message(void **state)
{
	struct ends *e = *state;
	const char *good[] = { DELIMITER, "%", HEADER, "{}", "{}", "{}", NULL };
	struct message m = { 0 };

	for (int i = 0; i < 5000; i++)
		assert_int_equal(zmq_send(e->client, "x", 1, i < 4999 ? ZMQ_SNDMORE : 0), 1);
	assert_int_equal(send_and_receive(e, good, &m, NULL), -1);
	assert_int_equal(wire_receive(&e->wire, e->kernel, &m, NULL), 1);
	message_release(&m);
}

static void on_alarm(int number)
{
	(void)number;
}

/* A signal between two frames of a message does not end it. */
static void signals_interrupt_no_message(void **state)
{
	const char *const frames[] = { DELIMITER, "%", HEADER, "{}", "{}", "{}", NULL };
	const struct itimerval often = { { 0, 20 }, { 0, 20 } }, never = { { 0, 0 }, { 0, 0 } };
	const struct sigaction act = { .sa_handler = on_alarm };
	struct ends *e = *state;
	struct sigaction before;

	sigaction(SIGALRM, &act, &before);
	for (int i = 0; i < 20000; i++) {
		struct message m;
		int received;

		send_frames(e, frames);
		setitimer(ITIMER_REAL, &often, NULL);
		received = wire_receive(&e->wire, e->kernel, &m, NULL);
		setitimer(ITIMER_REAL, &never, NULL);
		assert_int_equal(received, 1);
		message_release(&m);
	}
	sigaction(SIGALRM, &before, NULL);
}

static void content_that_could_not_be_made_is_not_sent(void **state)
{
	struct ends *e = *state;
	const char *frames[] = { DELIMITER, "%", HEADER, "{}", "{}", "{}", NULL };
	struct message m = { 0 }, reply = { 0 };
	struct outgoing out = { .type = "t_reply", .parent = &m, .content = NULL };
	struct error err = ERROR_INIT;

	assert_int_equal(send_and_receive(e, frames, &m, NULL), 1);
	assert_int_equal(wire_reply(&e->wire, e->kernel, &out, &err), -1);
	assert_int_equal(err.code, ERROR_MEMORY);
	assert_int_equal(wire_receive(&e->wire, e->client, &reply, NULL), 0);
	message_release(&m);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_ends, close_ends)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_request_and_its_reply),
		TEST(ids_never_repeat),
		TEST(malformed_messages_are_counted),
		TEST(floods_of_frames_are_one_message),
		TEST(signals_interrupt_no_message),
		TEST(content_that_could_not_be_made_is_not_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
