/* SPDX-License-Identifier: Apache-2.0 */
/* Comms as the kernel process keeps them, told by records that no worker would write. Messages go
 * to a socket without subscribers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/protocol/comm-message.h"
#include "kernel/base/loop.h"
#include "kernel/comms/comm-inbox.h"
#include "kernel/comms/comms.h"
#include "kernel/protocol/channels.h"
#include "kernel/protocol/publish.h"
#include "kernel/protocol/replay.h"

struct ends {
	struct channels channels;
	struct wire wire;
	struct replay replay;
	struct publisher publisher;
	struct comms comms;
	zmq_msg_t frames[3];
	struct message parent;
};

static int setup(void **state)
{
	struct ends *e = calloc(1, sizeof(*e));

	assert_non_null(e);
	e->channels.context = zmq_ctx_new();
	e->channels.sockets[CHANNEL_IOPUB] = zmq_socket(e->channels.context, ZMQ_PUB);
	assert_int_equal(wire_init(&e->wire, "hmac-sha256", "key", NULL), 0);
	e->publisher = (struct publisher){ &e->wire, &e->channels, &e->replay };
	comms_init(&e->comms, &e->publisher, NULL, loop_new());
	/* The header is the third frame. */
	for (int i = 0; i < 3; i++)
		zmq_msg_init_size(&e->frames[i], 2);
	memcpy(zmq_msg_data(&e->frames[2]), "{}", 2);
	e->parent = (struct message){ .frames = e->frames, .n_frames = 3, .id = "parent" };
	*state = e;
	return 0;
}

static int teardown(void **state)
{
	struct ends *e = *state;
	struct loop *loop = e->comms.loop;

	comms_release(&e->comms);
	loop_free(loop);
	wire_release(&e->wire);
	zmq_close(e->channels.sockets[CHANNEL_IOPUB]);
	zmq_ctx_term(e->channels.context);
	free(e);
	return 0;
}

static int tell(struct ends *e, enum comm_action action, const char *id, const char *target,
		const char *json, struct error *err)
{
	struct comm_message m = { (uint8_t)action, id, target, json, 0, { { 0 } } };
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct record r;

	comm_message_put(&m, &b);
	r = record_open(b.data, b.len);
	return comms_record(&e->comms, &r, &e->parent, err);
}

static void test_ids_and_targets(void **state)
{
	char target[COMM_TARGET_SIZE + 1];
	struct ends *e = *state;

	memset(target, 'a', COMM_TARGET_SIZE);
	target[COMM_TARGET_SIZE] = '\0';
	assert_int_equal(tell(e, COMM_OPEN, "", "t", "1", NULL), -1);
	assert_int_equal(tell(e, COMM_OPEN, "../x", "t", "1", NULL), -1);
	assert_int_equal(
		tell(e, COMM_OPEN, "0123456789012345678901234567890123456789", "t", "1", NULL), -1);
	assert_int_equal(tell(e, COMM_OPEN, "a", "", "1", NULL), -1);
	assert_int_equal(tell(e, COMM_OPEN, "a", target, "1", NULL), -1);
	assert_int_equal(tell(e, COMM_OPEN, "a", "t", "{", NULL), -1);
	assert_int_equal(tell(e, COMM_ACTIONS, "a", "t", "1", NULL), -1);
	assert_int_equal(e->comms.n, 0);
	assert_int_equal(tell(e, COMM_OPEN, "a", "t", "1", NULL), 0);
	assert_int_equal(tell(e, COMM_OPEN, "a", "t", "1", NULL), -1);
	assert_int_equal(e->comms.n, 1);
}

static void test_there_is_a_limit(void **state)
{
	struct error err = ERROR_INIT;
	struct ends *e = *state;
	char id[16];

	for (unsigned i = 0; i < COMMS_MAX; i++) {
		snprintf(id, sizeof(id), "c%u", i);
		assert_int_equal(tell(e, COMM_OPEN, id, COMM_WIDGET_TARGET, "{}", NULL), 0);
	}
	assert_int_equal(tell(e, COMM_OPEN, "more", "t", "1", &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
}

/* A cell that writes records itself gives a widget ever new members. */
static void test_states_do_not_grow_without_end(void **state)
{
	cleanup_buffer struct buffer json = BUFFER_INIT;
	struct error err = ERROR_INIT;
	struct ends *e = *state;
	int told = 0, failed = 0;

	assert_int_equal(tell(e, COMM_OPEN, "w", COMM_WIDGET_TARGET, "{}", NULL), 0);
	for (int i = 0; i < 120; i++) {
		buffer_clear(&json);
		buffer_printf(&json, "{\"k%d\":\"", i);
		memset(buffer_extend(&json, 1000000), 'a', 1000000);
		buffer_puts(&json, "\"}");
		if (!failed)
			failed = tell(e, COMM_UPDATE, "w", "", buffer_text(&json), &err);
		told += !failed;
	}
	assert_int_equal(failed, -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_true(told > 30 && told < 60);
}

/* Only the address of a request counts. */
#define REQUEST(i) ((struct request *)&requests[i])

static void test_updates_are_folded(void **state)
{
	struct comm comm = { .id = "w", .target = COMM_WIDGET_TARGET },
		    other = { .id = "v", .target = COMM_WIDGET_TARGET };
	static char requests[6];
	json_t *a = json_pack("{si si}", "x", 1, "y", 1), *b = json_pack("{si}", "x", 2);
	struct comm_inbox inbox = { 0 };
	struct delivery *d;

	(void)state;
	assert_null(comm_inbox_add(&inbox, REQUEST(0), COMM_UPDATE, &comm, a, 10));
	assert_null(comm_inbox_add(&inbox, REQUEST(1), COMM_UPDATE, &other, a, 10));
	assert_ptr_equal(comm_inbox_add(&inbox, REQUEST(2), COMM_UPDATE, &comm, b, 10), REQUEST(0));
	assert_null(comm_inbox_add(&inbox, REQUEST(3), COMM_MESSAGE, &comm, b, 10));
	/* Not across a message: a callback would see the value before it. */
	assert_null(comm_inbox_add(&inbox, REQUEST(4), COMM_UPDATE, &comm, b, 10));
	assert_ptr_equal(
		comm_inbox_add(&inbox, REQUEST(5), COMM_MESSAGE, &comm, b, COMM_INBOX_BYTES),
		REQUEST(5));
	assert_int_equal(inbox.n, 4);
	d = comm_inbox_take(&inbox);
	assert_ptr_equal(d->request, REQUEST(2));
	assert_int_equal(json_integer_value(json_object_get(d->data, "x")), 2);
	assert_int_equal(json_integer_value(json_object_get(d->data, "y")), 1);
	do
		delivery_free(d);
	while ((d = comm_inbox_take(&inbox)));
	assert_int_equal(inbox.bytes, 0);
	json_decref(a);
	json_decref(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_ids_and_targets, setup, teardown),
		cmocka_unit_test_setup_teardown(test_there_is_a_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_states_do_not_grow_without_end, setup,
						teardown),
		cmocka_unit_test(test_updates_are_folded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
