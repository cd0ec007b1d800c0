/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgpu-presenter: makes the reports of faults, and the texts of values, traces and profiles, for
 * one kernel process. What it reads is made by cells: it has no key, no descriptor but its channel,
 * and is contained; when it dies of what it reads, one text is lost. It keeps nothing from one to
 * the next.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/ipc.h"
#include "common/protocol/presenter-protocol.h"
#include "common/protocol/worker-protocol.h"
#include "common/sandbox/confinement.h"
#include "kernel/faults/fault-record.h"
#include "kernel/faults/fault-report.h"
#include "kernel/presenter/device-view.h"
#include "kernel/presenter/expression-view.h"
#include "kernel/presenter/fault-text.h"
#include "kernel/presenter/session-view.h"
#include "kernel/presenter/stack-view.h"
#include "kernel/presenter/view-make.h"
#include "kernel/views/presenter-part.h"
#include "kernel/views/presenter-value.h"
#include "kernel/views/presenter-view.h"

/* The first message of the kernel process, and the answer. */
static int begin(struct error *err)
{
	const struct confinement_exchange x = { PRESENTER_CONFINE, PRESENTER_HELLO,
						confinement_apply, NULL };
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_u32(&b, PRESENTER_PROTOCOL_VERSION);
	return confinement_begin(PRESENTER_SOCKET_FD, &x, &b, err);
}

/* Takes one struct fault_record. */
static int take_record(struct record *r, struct fault_record *ret, struct error *err)
{
	size_t len;
	const void *bytes = record_bytes(r, &len);

	if (r->failed || len != sizeof(*ret))
		return error_set(err, ERROR_PROTOCOL, "the record of a fault has %zu bytes", len);
	fault_record_take(ret, bytes);
	return 0;
}

static int make_fault(uint32_t type, struct record *r, struct fault_report *ret, struct error *err)
{
	struct session_view view = { .sock = PRESENTER_SOCKET_FD, .reads_debug = record_u8(r) };
	pid_t worker = (pid_t)record_u32(r);
	struct fault_record f;

	view.has_memory = record_u8(r);
	if (take_record(r, &f, err))
		return -1;
	if (type == PRESENTER_FAULT)
		fault_text_make(&f, worker, &view, ret);
	else
		fault_text_place(&f, &view, ret);
	session_view_release(&view);
	return 0;
}

static int make_findings(struct record *r, struct fault_report *ret, struct error *err)
{
	struct session_view view = { .sock = PRESENTER_SOCKET_FD, .reads_debug = record_u8(r) };
	uint32_t n = record_count(r, sizeof(struct fault_record));
	struct fault_record f;
	int failed = 0;

	for (uint32_t i = 1; i <= n && !failed; i++) {
		failed = take_record(r, &f, err);
		if (!failed)
			fault_text_finding(&f, i, &view, ret);
	}
	session_view_release(&view);
	return failed;
}

static int make_value(const struct ipc_message *m, struct session_view *view,
		      struct presenter_view *ret, struct error *err)
{
	struct record r = record_open(m->data, m->len);
	struct presenter_value v = presenter_value_take(&r);

	if (record_check(&r, "PRESENTER_VALUE", err))
		return -1;
	view_make_value(&v, view, ret);
	return 0;
}

static int make_picture(const struct ipc_message *m, struct session_view *view,
			struct presenter_view *ret, struct error *err)
{
	struct record r = record_open(m->data, m->len);
	const struct presenter_part p = presenter_part_take(&r);

	if (record_check(&r, "PRESENTER_PICTURE", err))
		return -1;
	view_make_picture(&p, view, ret);
	return 0;
}

/* What is not as it should be is the answer, too. */
static int show(const struct ipc_message *m, struct error *err)
{
	struct session_view view = { .sock = PRESENTER_SOCKET_FD,
				     .reads_debug = true,
				     .has_memory = true };
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct presenter_view made = { 0 };
	struct error why = ERROR_INIT;
	int failed;

	if (m->type == PRESENTER_VALUE)
		failed = make_value(m, &view, &made, &why);
	else if (m->type == PRESENTER_TRACE)
		failed = view_make_trace(m->data, m->len, &made, &why);
	else if (m->type == PRESENTER_PICTURE)
		failed = make_picture(m, &view, &made, &why);
	else
		failed = view_make_profile(m->data, m->len, &view, &made, &why);
	presenter_view_put(&made, failed ? why.text : "", &b);
	presenter_view_release(&made);
	session_view_release(&view);
	return ipc_send_buffer(PRESENTER_SOCKET_FD, PRESENTER_VIEW, &b, err);
}

static int report(const struct ipc_message *m, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct record r = record_open(m->data, m->len);
	struct fault_report made = { 0 };
	int failed;

	if (m->type == PRESENTER_FINDINGS)
		failed = make_findings(&r, &made, err);
	else
		failed = make_fault(m->type, &r, &made, err);
	record_put_str(&b, made.ename);
	record_put_str(&b, buffer_text(&made.evalue));
	record_put_str(&b, buffer_text(&made.traceback));
	record_put_str(&b, made.missing);
	fault_report_release(&made);
	return failed ? -1 : ipc_send_buffer(PRESENTER_SOCKET_FD, PRESENTER_REPORT, &b, err);
}

/* Lists parts, or tells of variables. */
static int list(const struct ipc_message *m, struct error *err)
{
	struct session_view view = { .sock = PRESENTER_SOCKET_FD,
				     .reads_debug = true,
				     .has_memory = true };
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct record r = record_open(m->data, m->len);

	while (m->type == PRESENTER_VARIABLES && r.at < r.end && !r.failed) {
		const struct presenter_part p = presenter_part_take(&r);

		if (!r.failed)
			view_make_variable(&p, false, &view, &b);
	}
	if (m->type == PRESENTER_PARTS) {
		const struct presenter_part p = presenter_part_take(&r);
		const struct presenter_range which = presenter_range_take(&r);

		device_view_open(&view, record_u64(&r));
		if (!r.failed)
			view_make_parts(&p, &which, &view, &b);
	} else {
		presenter_parts_end(0, &b);
	}
	session_view_release(&view);
	if (record_check(&r, "PRESENTER_PARTS", err))
		return -1;
	return ipc_send_buffer(PRESENTER_SOCKET_FD, PRESENTER_PARTS_ARE, &b, err);
}

/* Reads what is asked about a call. */
static struct expression_question take_question(uint32_t type, struct record *r)
{
	struct expression_question q = { 0 };

	if (type == PRESENTER_STACK)
		return q;
	q.frame = record_u32(r);
	q.call = record_u32(r);
	if (type == PRESENTER_EXPRESSION)
		q.program = record_bytes(r, &q.len);
	return q;
}

/* Lists the calls of a cell that stands, or the variables of one, or computes with them. */
static int look_at_stack(const struct ipc_message *m, struct error *err)
{
	struct record r = record_open(m->data, m->len);
	struct session_view view = { .sock = PRESENTER_SOCKET_FD, .reads_debug = record_u8(&r) };
	uint32_t answer = PRESENTER_PARTS_ARE;
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct expression_question q;
	struct fault_record f;

	record_u32(&r); /* the pid is for the report of a fault */
	view.has_memory = record_u8(&r);
	if (take_record(&r, &f, err))
		return -1;
	q = take_question(m->type, &r);
	if (record_check(&r, "PRESENTER_STACK", err))
		return -1;
	if (m->type == PRESENTER_STACK) {
		stack_view_calls(&f, &view, &b);
		answer = PRESENTER_STACK_IS;
	} else if (m->type == PRESENTER_EXPRESSION) {
		expression_view_put(&f, &q, &view, &b);
		answer = PRESENTER_EXPRESSION_IS;
	} else {
		stack_view_locals(&f, q.frame, q.call, &view, &b);
	}
	session_view_release(&view);
	return ipc_send_buffer(PRESENTER_SOCKET_FD, answer, &b, err);
}

static int answer(const struct ipc_message *m, struct error *err)
{
	switch (m->type) {
	case PRESENTER_FAULT:
	case PRESENTER_PLACE:
	case PRESENTER_FINDINGS:
		return report(m, err);
	case PRESENTER_VALUE:
	case PRESENTER_TRACE:
	case PRESENTER_PROFILE:
	case PRESENTER_PICTURE:
		return show(m, err);
	case PRESENTER_VARIABLES:
	case PRESENTER_PARTS:
		return list(m, err);
	case PRESENTER_STACK:
	case PRESENTER_LOCALS:
	case PRESENTER_EXPRESSION:
		return look_at_stack(m, err);
	}
	return error_set(err, ERROR_PROTOCOL, "message %u from the kernel process", m->type);
}

static int serve(struct error *err)
{
	if (begin(err))
		return -1;
	for (;;) {
		struct ipc_message m = { 0 };
		int failed;

		if (ipc_receive(PRESENTER_SOCKET_FD, -1, &m, err) < 0)
			return -1;
		failed = answer(&m, err);
		ipc_message_release(&m);
		if (failed)
			return -1;
	}
}

int main(void)
{
	struct error err = ERROR_INIT;

	log_init("cgpu-presenter");
	serve(&err);
	if (err.code == ERROR_PEER_GONE)
		return EXIT_SUCCESS;
	log_error("%s", err.text);
	return EXIT_FAILURE;
}
