/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One text is one exchange: a request, any number of questions with their answers, the text. A
 * presenter that is silent, or does not stop asking, is ended, as is one that says anything else.
 */
#define _GNU_SOURCE
#include "kernel/workers/presenter-client.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/memory/address-map.h"
#include "common/protocol/fault-questions.h"
#include "common/protocol/ipc.h"
#include "common/protocol/presenter-protocol.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/base/cpu-deadline.h"
#include "kernel/faults/fault-record.h"
#include "kernel/faults/fault-report.h"
#include "kernel/faults/memcheck.h"
#include "kernel/sandbox/sandbox.h"
#include "kernel/units/unit-table.h"
#include "kernel/views/presenter-view.h"
#include "kernel/workers/worker.h"

#define END_MS 500
#define ANSWER_MS 100  /* for a worker that waits at its fault */
#define OWNER_MS 1000  /* the same, as kernel/base/cpu-deadline.h counts */
#define LOOK_EVERY 256 /* questions */

struct exchange {
	struct presenter_client *client;
	const struct unit_table *units;
	struct presenter_memory memory; /* all zero: there is none */
	uint32_t wanted;                /* type of the message that ends it */
	struct cpu_deadline deadline;
	unsigned n_questions;
};

void presenter_client_init(struct presenter_client *c, const struct helper_setup *setup)
{
	*c = (struct presenter_client){ .setup = *setup,
					.process = PROCESS_INIT,
					.report_ms = PRESENTER_REPORT_MS,
					.questions = PRESENTER_QUESTIONS };
}

void presenter_client_release(struct presenter_client *c)
{
	process_end(&c->process, END_MS);
	*c = (struct presenter_client){ .process = PROCESS_INIT };
}

static int spawn(struct presenter_client *c, struct error *err)
{
	return helper_setup_start(&c->setup, &c->process, "cgpu-presenter", PRESENTER_CONFINE,
				  sandbox_filter(c->setup.sandbox), err);
}

void presenter_client_prepare(struct presenter_client *c)
{
	struct error err = ERROR_INIT;

	if (!c->process.pid && spawn(c, &err))
		log_info("%s", err.text);
}

/* Sends the request; a process that has died since the last text is started again. */
static int begin(struct presenter_client *c, uint32_t type, const struct buffer *b,
		 struct error *err)
{
	if (c->process.pid && !ipc_send_buffer(c->process.sock, type, b, NULL))
		return 0;
	process_end(&c->process, END_MS);
	return spawn(c, err) || ipc_send_buffer(c->process.sock, type, b, err) ? -1 : 0;
}

/* ---- questions ---- */

static void put_unit(const struct unit_record *r, struct buffer *out)
{
	record_put_u8(out, r != NULL);
	record_put_u64(out, r ? r->serial : 0);
}

static void put_record(const struct unit_record *r, struct buffer *out)
{
	cleanup_buffer struct buffer encoded = BUFFER_INIT;

	if (r)
		unit_record_encode(r, &encoded);
	record_put_bytes(out, encoded.data, encoded.failed ? 0 : encoded.len);
}

static void put_memory(const struct presenter_memory *m, uint64_t address, struct buffer *out)
{
	char page[PRESENTER_PAGE];
	bool is_there = m->read && !(address % PRESENTER_PAGE) &&
			m->read(m->data, address, page, sizeof(page));

	record_put_bytes(out, page, is_there ? sizeof(page) : 0);
}

static void put_owner(const struct presenter_memory *m, uint64_t address, struct buffer *out)
{
	struct address_description d;

	record_put_bytes(out, &d, m->owner && m->owner(m->data, address, &d) ? sizeof(d) : 0);
}

/* ---- a worker that stands at its fault ---- */

static bool read_worker(void *data, uint64_t address, void *ret, size_t len)
{
	const struct presenter_subject *subject = data;

	if (subject->reads_device && address_in_device(address))
		address += DEVICE_ALIAS_OFFSET;
	return subject->control && process_read(subject->pid, address, ret, len);
}

/* A worker that does not answer is not asked again. */
static bool ask_worker(void *data, uint64_t address, struct address_description *ret)
{
	struct presenter_subject *subject = data;
	struct cpu_deadline deadline;

	if (!subject->control)
		return false;
	if (!fault_questions_ask(subject->control, address, ANSWER_MS, ret))
		return true;
	cpu_deadline_begin(&deadline, subject->pid, CPU_DEADLINE_ANSWER);
	while (cpu_deadline_used_ms(&deadline) < OWNER_MS)
		if (!fault_questions_ask(subject->control, address, ANSWER_MS, ret))
			return true;
	subject->control = NULL;
	return false;
}

/* Writes the answer and returns its type; 0: that is no question. */
static uint32_t answer(struct exchange *x, const struct ipc_message *m, struct buffer *out)
{
	const struct unit_table *units = x->units;
	struct record r = record_open(m->data, m->len);

	switch (m->type) {
	case PRESENTER_ASK_UNIT:
		put_unit(unit_table_find(units, record_u32(&r)), out);
		return PRESENTER_UNIT;
	case PRESENTER_ASK_DEFINER:
		put_unit(unit_table_definer(units, record_str(&r)), out);
		return PRESENTER_DEFINER;
	case PRESENTER_ASK_RECORD:
		put_record(unit_table_with_serial(units, record_u64(&r)), out);
		return PRESENTER_RECORD;
	case PRESENTER_ASK_ADDRESS:
		record_put_u64(out, unit_table_address(units, record_str(&r)));
		return PRESENTER_ADDRESS;
	case PRESENTER_ASK_MEMORY:
		put_memory(&x->memory, record_u64(&r), out);
		return PRESENTER_MEMORY;
	case PRESENTER_ASK_OWNER:
		put_owner(&x->memory, record_u64(&r), out);
		return PRESENTER_OWNER;
	case PRESENTER_ASK_TEXT:
		record_put_str(out, unit_table_text(units, record_str(&r)));
		return PRESENTER_TEXT;
	}
	return 0;
}

/* ---- the exchange ---- */

static void take_hello(const struct presenter_client *c, struct record *r)
{
	uint32_t version = record_u32(r);

	if (helper_setup_speaks(&c->process, "cgpu-presenter", version, PRESENTER_PROTOCOL_VERSION))
		helper_setup_take_report(&c->setup, "reports of faults", r);
}

static int check_patience(struct exchange *x, struct error *err)
{
	if (x->n_questions > x->client->questions)
		return error_set(err, ERROR_LIMIT, "it does not stop asking");
	if (cpu_deadline_used_ms(&x->deadline) > x->client->report_ms)
		return error_set(err, ERROR_TIMEOUT, "it takes too long");
	return 0;
}

/* Takes one message. 1: it is the wanted one, which the caller releases; 0: go on. */
static int step(struct exchange *x, struct ipc_message *ret, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	int n = ipc_receive(x->client->process.sock, CPU_DEADLINE_LOOK_MS, ret, err);
	uint32_t type = 0;

	if (n < 0)
		return -1;
	if (!n)
		return check_patience(x, err);
	if (ret->type == x->wanted)
		return 1;
	if (ret->type == PRESENTER_HELLO) {
		struct record r = record_open(ret->data, ret->len);

		take_hello(x->client, &r);
		ipc_message_release(ret);
		return 0;
	}
	type = answer(x, ret, &b);
	if (!type)
		error_set(err, ERROR_PROTOCOL, "message %u", ret->type);
	ipc_message_release(ret);
	if (!type || ipc_send_buffer(x->client->process.sock, type, &b, err))
		return -1;
	return ++x->n_questions % LOOK_EVERY ? 0 : check_patience(x, err);
}

/* Reads the report into ret: behind what is there, but for the name of the error. */
static int take_report(const struct ipc_message *m, struct fault_report *ret, struct error *err)
{
	struct record r = record_open(m->data, m->len);
	const char *ename = record_str(&r), *evalue = record_str(&r), *traceback = record_str(&r),
		   *missing = record_str(&r);

	if (m->len > PRESENTER_REPORT_MAX)
		return error_set(err, ERROR_LIMIT, "a report of %zu bytes", m->len);
	if (record_check(&r, "PRESENTER_REPORT", err))
		return -1;
	if (*ename)
		fault_report_begin(ret, ename);
	buffer_puts(&ret->evalue, evalue);
	buffer_puts(&ret->traceback, traceback);
	snprintf(ret->missing, sizeof(ret->missing), "%s", missing);
	return 0;
}

/* Why there is no text, from what is known of the process. */
static void say_why(struct presenter_client *c, struct error *err)
{
	char how[64];
	siginfo_t info;

	if (err->code == ERROR_PEER_GONE && c->process.pidfd >= 0 &&
	    process_wait(c->process.pidfd, END_MS) && !process_reap(&c->process, &info))
		error_set(err, ERROR_PEER_GONE, "it %s", process_death(&info, how, sizeof(how)));
	log_warning("cgpu-presenter made no text: %s", err->text);
	process_end(&c->process, END_MS);
}

/* Sends the request and takes messages up to the wanted one, which the caller releases. */
static int converse(struct exchange *x, uint32_t type, const struct buffer *request,
		    struct ipc_message *ret, struct error *err)
{
	int n = 0;

	if (buffer_check(request, err) || begin(x->client, type, request, err))
		return -1;
	cpu_deadline_begin(&x->deadline, x->client->process.pid, CPU_DEADLINE_ANSWER);
	while (!n)
		n = step(x, ret, err);
	return n > 0 ? 0 : -1;
}

static int attempt(struct presenter_client *c, uint32_t type, bool reads_debug,
		   const struct buffer *request, const struct presenter_subject *subject,
		   struct fault_report *ret, struct error *err)
{
	struct presenter_subject at_fault = *subject;
	struct exchange x = { .client = c,
			      .units = subject->units,
			      .memory = { read_worker, ask_worker, &at_fault },
			      .wanted = PRESENTER_REPORT };
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct ipc_message m = { 0 };
	int failed;

	record_put_u8(&b, reads_debug);
	buffer_append(&b, request->data, request->len);
	b.failed |= request->failed;
	failed = converse(&x, type, &b, &m, err) || take_report(&m, ret, err);
	ipc_message_release(&m);
	if (failed)
		say_why(c, err);
	return failed ? -1 : 0;
}

/* Makes a report, without debugging information if it has to be. */
static int make(struct presenter_client *c, uint32_t type, const struct buffer *request,
		const struct presenter_subject *subject, struct fault_report *ret,
		struct error *err)
{
	struct error why = ERROR_INIT;

	if (!attempt(c, type, true, request, subject, ret, &why))
		return 0;
	if (attempt(c, type, false, request, subject, ret, err))
		return -1;
	buffer_printf(&ret->traceback,
		      "\nLines and values are not known: the process that reads the debugging "
		      "information of cells gave up (%s).\n",
		      why.text);
	return 0;
}

/* ---- views ---- */

static int take_view(const struct ipc_message *m, struct presenter_view *ret,
		     const char **ret_failure, struct error *err)
{
	if (m->len > PRESENTER_VIEW_MAX)
		return error_set(err, ERROR_LIMIT, "a view of %zu bytes", m->len);
	return presenter_view_take(m->data, m->len, ret, ret_failure, err);
}

int presenter_client_view(struct presenter_client *c, uint32_t type, const struct buffer *body,
			  const struct unit_table *units, const struct presenter_memory *memory,
			  struct presenter_view *ret, struct error *err)
{
	struct exchange x = {
		.client = c, .units = units, .memory = *memory, .wanted = PRESENTER_VIEW
	};
	struct ipc_message m = { 0 };
	const char *failure = "";
	int failed;

	*ret = (struct presenter_view){ 0 };
	failed = converse(&x, type, body, &m, err) || take_view(&m, ret, &failure, err);
	if (failed) {
		say_why(c, err);
		error_wrap(err, "the process that makes texts, cgpu-presenter, made none");
	} else if (*failure) {
		failed = error_set(err, ERROR_PROTOCOL, "%s", failure);
	}
	ipc_message_release(&m);
	return failed ? -1 : 0;
}

/* Asks for a list, and appends it. */
static int ask_list(struct exchange *x, uint32_t type, const struct buffer *body,
		    struct buffer *ret, struct error *err)
{
	struct presenter_client *c = x->client;
	struct ipc_message m = { 0 };
	int failed = converse(x, type, body, &m, err);

	if (!failed && m.len > PRESENTER_VIEW_MAX)
		failed = error_set(err, ERROR_LIMIT, "a list of %zu bytes", m.len);
	if (failed) {
		say_why(c, err);
		error_wrap(err, "the process that makes texts, cgpu-presenter, made none");
	} else {
		buffer_append(ret, m.data, m.len);
		failed = buffer_check(ret, err);
	}
	ipc_message_release(&m);
	return failed ? -1 : 0;
}

int presenter_client_list(struct presenter_client *c, uint32_t type, const struct buffer *body,
			  const struct unit_table *units, const struct presenter_memory *memory,
			  struct buffer *ret, struct error *err)
{
	struct exchange x = {
		.client = c, .units = units, .memory = *memory, .wanted = PRESENTER_PARTS_ARE
	};

	return ask_list(&x, type, body, ret, err);
}

struct presenter_memory presenter_client_memory_of(struct presenter_subject *subject)
{
	return (struct presenter_memory){ read_worker, ask_worker, subject };
}

/* ---- reports ---- */

static void put_request(const struct fault_record *shared, const struct presenter_subject *subject,
			struct buffer *out)
{
	record_put_u32(out, (uint32_t)subject->pid);
	record_put_u8(out, subject->control != NULL);
	record_put_bytes(out, shared, sizeof(*shared));
}

int presenter_client_stack(struct presenter_client *c, uint32_t type,
			   const struct fault_record *shared, struct presenter_subject *subject,
			   const struct buffer *body, struct buffer *ret, struct error *err)
{
	cleanup_buffer struct buffer request = BUFFER_INIT;
	struct exchange x = { .client = c,
			      .units = subject->units,
			      .memory = presenter_client_memory_of(subject),
			      .wanted = type == PRESENTER_STACK        ? PRESENTER_STACK_IS
					: type == PRESENTER_EXPRESSION ? PRESENTER_EXPRESSION_IS
								       : PRESENTER_PARTS_ARE };

	record_put_u8(&request, true);
	put_request(shared, subject, &request);
	buffer_append(&request, body->data, body->len);
	return ask_list(&x, type, &request, ret, err);
}

void presenter_client_report(struct presenter_client *c, const struct fault_record *shared,
			     const struct presenter_subject *subject, struct fault_report *ret)
{
	cleanup_buffer struct buffer request = BUFFER_INIT, more = BUFFER_INIT;
	struct error err = ERROR_INIT;
	struct fault_record f;

	put_request(shared, subject, &request);
	if (!make(c, PRESENTER_FAULT, &request, subject, ret, &err))
		return;
	fault_record_take(&f, shared);
	f.text[strcspn(f.text, "\n")] = '\0';
	buffer_printf(
		&more,
		"Where this was is not known: the process that makes reports, cgpu-presenter, "
		"made none: %s. It is started again for the next report.",
		err.text);
	fault_report_plain(ret, fault_record_ename(f.kind), *f.text ? f.text : "no more is known",
			   buffer_text(&more));
}

void presenter_client_report_gone(struct presenter_client *c, const struct worker *w,
				  const struct unit_table *units, struct fault_report *ret)
{
	const struct presenter_subject subject = { .units = units, .pid = w->pid };

	presenter_client_report(c, &w->control->fault, &subject, ret);
}

void presenter_client_add_place(struct presenter_client *c, const struct fault_record *shared,
				const struct presenter_subject *subject, struct fault_report *r)
{
	cleanup_buffer struct buffer request = BUFFER_INIT;
	struct error err = ERROR_INIT;

	put_request(shared, subject, &request);
	make(c, PRESENTER_PLACE, &request, subject, r, &err);
}

/* ---- findings ---- */

static uint32_t count(const struct memcheck_findings *found)
{
	return found->n < MEMCHECK_FINDINGS_MAX ? found->n : MEMCHECK_FINDINGS_MAX;
}

/* Puts n findings in words: the first in ret->evalue, all of them in ret->traceback. */
static void describe(struct presenter_client *c, const struct memcheck_findings *found, uint32_t n,
		     const struct unit_table *units, struct fault_report *ret)
{
	const struct presenter_subject subject = { .units = units };
	cleanup_buffer struct buffer request = BUFFER_INIT;
	struct error err = ERROR_INIT;

	record_put_u32(&request, n);
	for (uint32_t i = 0; i < n; i++)
		record_put_bytes(&request, &found->at[i], sizeof(found->at[i]));
	if (make(c, PRESENTER_FINDINGS, &request, &subject, ret, &err)) {
		fault_report_begin(ret, "");
		buffer_puts(&ret->evalue, "a bad access to memory");
		buffer_printf(&ret->traceback,
			      "\nWhat was found is not known: the process that makes reports, "
			      "cgpu-presenter, made none: %s.\n",
			      err.text);
	}
	if (found->total > n)
		buffer_printf(
			&ret->traceback,
			"\n%" PRIu64
			" bad accesses in all; each place is shown once, and %d places at most.\n",
			found->total, MEMCHECK_FINDINGS_MAX);
}

bool presenter_client_findings(struct presenter_client *c, const struct memcheck *m,
			       const struct memcheck_findings *found,
			       const struct unit_table *units, struct fault_report *ret)
{
	cleanup_buffer struct buffer first = BUFFER_INIT;
	struct fault_report said = { 0 };
	uint32_t n = count(found);

	if (!n)
		return false;
	describe(c, found, n, units, &said);
	if (n > 1)
		buffer_printf(&first, "%u errors, the first: ", n);
	buffer_puts(&first, buffer_text(&said.evalue));
	memcheck_report(m, buffer_text(&first), buffer_text(&said.traceback), ret);
	fault_report_release(&said);
	return true;
}

void presenter_client_add_findings(struct presenter_client *c, const struct memcheck *m,
				   const struct memcheck_findings *found,
				   const struct unit_table *units, struct fault_report *r)
{
	struct fault_report said = { 0 };
	uint32_t n = m->on ? count(found) : 0;

	if (!m->on)
		return;
	if (n)
		describe(c, found, n, units, &said);
	memcheck_add(m, buffer_text(&said.traceback), r);
	fault_report_release(&said);
}
