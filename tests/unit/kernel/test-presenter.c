/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel process takes from a presenter that a cell has made its own: this program is also
 * that presenter. It is started as cgpu-presenter from a folder whose name says what it does.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/protocol/ipc.h"
#include "common/protocol/presenter-protocol.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/faults/fault-report.h"
#include "kernel/supervisor/present.h"
#include "kernel/views/presenter-part.h"
#include "kernel/views/presenter-value.h"
#include "kernel/views/presenter-view.h"
#include "kernel/workers/presenter-client.h"
#include "tests/unit/kernel/supervisor-harness.h"

#define PATIENCE_MS 300
#define DEADLINE_MS 180000
#define QUESTIONS 1000

static struct harness h;
static char folder[64];

/* ---- the presenter ---- */

static void tell(uint32_t type, const struct buffer *b)
{
	if (ipc_send(PRESENTER_SOCKET_FD, type, b->data, b->len, NULL, 0, NULL))
		_exit(1);
}

static struct ipc_message receive(void)
{
	struct ipc_message m;

	if (ipc_receive(PRESENTER_SOCKET_FD, -1, &m, NULL) < 0)
		_exit(0);
	return m;
}

/* Waits for a message of this type and returns the length of the bytes in it. */
static size_t await(uint32_t type)
{
	struct ipc_message m;
	struct record r;
	size_t len;

	do {
		m = receive();
	} while (m.type != type);
	r = record_open(m.data, m.len);
	record_bytes(&r, &len);
	return len;
}

static bool wants_view, wants_list;

/* Sends a view whose only text is this, a list with one such part, or a report. */
static void report(const char *evalue)
{
	struct buffer b = BUFFER_INIT;

	if (wants_list) {
		const struct presenter_part p = { .text = evalue };

		presenter_part_put(&p, &b);
		presenter_parts_end(0, &b);
		tell(PRESENTER_PARTS_ARE, &b);
		return;
	}

	if (wants_view) {
		struct presenter_view v = { 0 };

		buffer_puts(&v.text, evalue);
		presenter_view_put(&v, "", &b);
		tell(PRESENTER_VIEW, &b);
		return;
	}
	record_put_str(&b, "Made up");
	record_put_str(&b, evalue);
	record_put_str(&b, evalue);
	record_put_str(&b, "");
	tell(PRESENTER_REPORT, &b);
}

static void ask_memory(uint64_t address)
{
	struct buffer b = BUFFER_INIT;

	record_put_u64(&b, address);
	tell(PRESENTER_ASK_MEMORY, &b);
}

/* Of all addresses only whole pages of the worker are read: this process is not the kernel's. */
static void read_all(void)
{
	static const uint64_t addresses[] = {
		0, 1, 0xfff, UINT64_MAX, UINT64_MAX - 4095, 1ull << 63
	};

	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++) {
		ask_memory(addresses[i]);
		if (await(PRESENTER_MEMORY)) {
			report("got memory");
			return;
		}
	}
	report("got none");
}

static void ask_for_ever(void)
{
	struct buffer b = BUFFER_INIT;

	record_put_str(&b, "no_such_name");
	for (;;) {
		tell(PRESENTER_ASK_ADDRESS, &b);
		await(PRESENTER_ADDRESS);
	}
}

static void act(const char *what)
{
	static char large[PRESENTER_VIEW_MAX + 100];

	if (!strcmp(what, "silent")) {
		pause();
	} else if (!strcmp(what, "other")) {
		tell(99, &(struct buffer)BUFFER_INIT);
		pause();
	} else if (!strcmp(what, "short")) {
		tell(wants_list   ? PRESENTER_PARTS_ARE
		     : wants_view ? PRESENTER_VIEW
				  : PRESENTER_REPORT,
		     &(struct buffer)BUFFER_INIT);
	} else if (!strcmp(what, "large")) {
		memset(large, 'x', sizeof(large) - 1);
		report(large);
	} else if (!strcmp(what, "curious")) {
		ask_for_ever();
	} else if (!strcmp(what, "reader")) {
		read_all();
	} else {
		_exit(3);
	}
}

static _Noreturn void present(char *program)
{
	char *name = strrchr(program, '/');

	*name = '\0';
	await(PRESENTER_CONFINE);
	for (;;) {
		uint32_t type = receive().type;

		wants_view = type == PRESENTER_VALUE || type == PRESENTER_TRACE;
		wants_list = type == PRESENTER_PARTS || type == PRESENTER_VARIABLES;
		if (wants_view || wants_list || type == PRESENTER_FAULT)
			act(strrchr(program, '/') + 1);
	}
}

/* ---- the tests ---- */

static int set_up(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/cgpu-presenters-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	harness_start(&h, NULL, 0);
	h.supervisor->presenter->report_ms = DEADLINE_MS;
	h.supervisor->presenter->questions = QUESTIONS;
	harness_ok(&h, "#include <stdio.h>\nint kept = 7;");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	harness_stop(&h);
	return rmdir(folder);
}

static char said[1 << 16];

/* A presenter that acts so, in place of the one that is installed. Only one that says nothing is
 * given up soon: a busy machine takes its time for the others. */
struct impostor {
	const char *dir; /* of the other one */
	char place[128], program[192];
};

static void impostor_begin(struct impostor *i, const char *how)
{
	struct presenter_client *p = h.supervisor->presenter;
	char own[PATH_MAX] = "";

	assert_true(readlink("/proc/self/exe", own, sizeof(own) - 1) > 0);
	snprintf(i->place, sizeof(i->place), "%s/%s", folder, how);
	snprintf(i->program, sizeof(i->program), "%s/cgpu-presenter", i->place);
	assert_int_equal(mkdir(i->place, 0700), 0);
	assert_int_equal(symlink(own, i->program), 0);
	process_end(&p->process, 1000);
	i->dir = p->setup.dir;
	p->setup.dir = i->place;
	if (!strcmp(how, "silent"))
		p->report_ms = PATIENCE_MS;
}

static void impostor_end(struct impostor *i)
{
	struct presenter_client *p = h.supervisor->presenter;

	p->setup.dir = i->dir;
	p->report_ms = DEADLINE_MS;
	process_end(&p->process, 1000);
	assert_int_equal(unlink(i->program) || rmdir(i->place), 0);
}

/* A fault is reported by a presenter that acts so, to `said`. The next report is whole. */
static void fault(const char *how, const char *ename)
{
	struct impostor i;

	impostor_begin(&i, how);
	harness_fault(&h, "kept = 8; *(volatile int *)0 = 1;", ename);
	snprintf(said, sizeof(said), "%s", buffer_text(&h.last.traceback));
	impostor_end(&i);
	assert_string_equal(harness_ok(&h, "printf(\"%d\", kept);"), "7");
	harness_fault(&h, "int *p = 0;\n*p = 1;", "SegmentationFault");
	assert_non_null(strstr(buffer_text(&h.last.traceback), "p = 0x0"));
}

static void expect(const char *how, const char *why)
{
	fault(how, "SegmentationFault");
	if (!strstr(said, "Where this was is not known") || !strstr(said, why))
		fail_msg("%s: '%s' is not in: %s", how, why, said);
}

static void test_what_is_no_report(void **state)
{
	(void)state;
	expect("silent", "it takes too long");
	expect("other", "message 99");
	expect("short", "PRESENTER_REPORT");
	expect("large", "a report of");
	expect("dies", "exited with status 3");
	expect("curious", "it does not stop asking");
}

static void test_memory_of_the_worker_only(void **state)
{
	(void)state;
	fault("reader", "Made up");
	assert_non_null(strstr(said, "got none"));
}

/* By the presenter that is installed: whatever kind a record says it is, and with no text that ends
 * and no count that fits. */
static void test_every_kind_of_hostile_record(void **state)
{
	static const int fills[] = { 'A', 0xff, 1 };
	static struct fault_record shared;
	const struct presenter_subject subject = { .units = &h.supervisor->units };

	(void)state;
	for (size_t i = 0; i < sizeof(fills) / sizeof(fills[0]); i++) {
		memset(&shared, fills[i], sizeof(shared));
		for (uint32_t kind = 0; kind <= FAULT_KINDS; kind++) {
			struct fault_report r = { 0 };
			pid_t pid = h.supervisor->presenter->process.pid;

			atomic_store(&shared.kind, kind);
			presenter_client_report(h.supervisor->presenter, &shared, &subject, &r);
			presenter_client_add_place(h.supervisor->presenter, &shared, &subject, &r);
			assert_true(r.traceback.len > 0 && r.traceback.len < 256 * 1024);
			assert_true(pid && h.supervisor->presenter->process.pid == pid);
			fault_report_release(&r);
		}
	}
}

/* ---- views ---- */

static const char *shown(const struct presenter_value *v)
{
	static struct buffer text;

	buffer_clear(&text);
	present_value(h.supervisor, v, &text);
	return buffer_text(&text);
}

static void expect_no_value(const char *how, const char *why)
{
	static const int seven = 7;
	const struct presenter_value v = {
		.type = "int", .code = "i4", .bytes = &seven, .len = sizeof(seven)
	};
	struct impostor i;

	impostor_begin(&i, how);
	snprintf(said, sizeof(said), "%s", shown(&v));
	impostor_end(&i);
	if (strncmp(said, "<4 bytes of int: ", 17) != 0 || !strstr(said, why))
		fail_msg("%s: '%s' is not in: %s", how, why, said);
	assert_string_equal(shown(&v), "7");
}

static void test_what_is_no_view(void **state)
{
	(void)state;
	expect_no_value("silent", "it takes too long");
	expect_no_value("other", "message 99");
	expect_no_value("short", "PRESENTER_VIEW");
	expect_no_value("large", "a view of");
	expect_no_value("dies", "exited with status 3");
	expect_no_value("curious", "it does not stop asking");
}

/* Only whole pages of the session's committed memory, which this address is not in. */
static void test_memory_of_the_session_only(void **state)
{
	static int mine = 7;
	const int *pointer = &mine;
	const struct presenter_value v = { .type = "int *",
					   .code = "pi4",
					   .bytes = &pointer,
					   .len = sizeof(pointer),
					   .pointers = PRESENTER_POINTERS_OWNERS };
	struct impostor i;

	(void)state;
	assert_null(strstr(shown(&v), "->"));
	impostor_begin(&i, "reader");
	assert_string_equal(shown(&v), "got none");
	impostor_end(&i);
	pointer = (const int *)(uintptr_t)unit_table_address(&h.supervisor->units, "kept");
	assert_non_null(strstr(shown(&v), " -> 7 [kept"));
}

/* ---- lists ---- */

static const struct presenter_part two = {
	.name = "", .type = "int[2]", .code = "a2i4", .is_elsewhere = true
};

/* Lists the parts to `said`: the text of the first, or why there are none. */
static void list_parts(void)
{
	const struct presenter_range all = { 0 };
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct presenter_parts parts = { 0 };
	struct error err = ERROR_INIT;

	if (present_parts(h.supervisor, &two, &all, &b, &err) ||
	    presenter_parts_take(b.data, b.len, &parts, &err))
		snprintf(said, sizeof(said), "%s", err.text);
	else
		snprintf(said, sizeof(said), "%s", parts.n ? parts.at[0].text : "none");
	presenter_parts_release(&parts);
}

static void expect_no_list(const char *how, const char *why)
{
	struct impostor i;

	impostor_begin(&i, how);
	list_parts();
	impostor_end(&i);
	if (!strstr(said, why))
		fail_msg("%s: '%s' is not in: %s", how, why, said);
	list_parts();
	assert_string_equal(said, "<on the device>");
}

static void test_what_is_no_list(void **state)
{
	(void)state;
	expect_no_list("silent", "it takes too long");
	expect_no_list("other", "message 99");
	expect_no_list("short", "PRESENTER_PARTS");
	expect_no_list("large", "a list of");
	expect_no_list("dies", "exited with status 3");
	expect_no_list("curious", "it does not stop asking");
	expect_no_list("reader", "got none");
}

/* By the presenter that is installed, which says what it can of a part of any shape. */
static void test_parts_of_any_shape(void **state)
{
	static const char *const codes[] = { "", "a", "s8(", "t", "a99999999999i4", "pa9pi4" };
	struct presenter_part p = two;

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		cleanup_buffer struct buffer b = BUFFER_INIT;
		const struct presenter_range which = { UINT64_MAX - i, UINT64_MAX, i % 2 };
		struct presenter_parts parts = { 0 };
		struct presenter_view view;

		p.code = codes[i];
		p.address = UINT64_MAX - i;
		p.first = p.count = UINT64_MAX / (i + 1);
		assert_int_equal(present_parts(h.supervisor, &p, &which, &b, NULL), 0);
		assert_int_equal(presenter_parts_take(b.data, b.len, &parts, NULL), 0);
		presenter_parts_release(&parts);
		buffer_clear(&b);
		assert_int_equal(present_variables(h.supervisor, &p, 1, &b, NULL), 0);
		assert_int_equal(presenter_parts_take(b.data, b.len, &parts, NULL), 0);
		assert_int_equal(parts.n, 1);
		presenter_parts_release(&parts);
		assert_int_equal(present_picture(h.supervisor, &p, &view, NULL), 0);
		presenter_view_release(&view);
	}
}

/* By the presenter that is installed, which goes on. */
static void test_bytes_that_are_no_trace_and_no_profile(void **state)
{
	unsigned char bytes[4096];

	(void)state;
	for (int fill = 0; fill < 256; fill += 5) {
		struct presenter_view view;
		struct error err = ERROR_INIT;
		pid_t pid = h.supervisor->presenter->process.pid;

		memset(bytes, fill, sizeof(bytes));
		assert_int_equal(present_trace(h.supervisor, bytes, sizeof(bytes), &view, &err),
				 -1);
		assert_int_equal(err.code, ERROR_PROTOCOL);
		presenter_view_release(&view);
		assert_int_equal(present_profile(h.supervisor, bytes, sizeof(bytes), &view, &err),
				 -1);
		presenter_view_release(&view);
		assert_true(pid && h.supervisor->presenter->process.pid == pid);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_no_view),
		cmocka_unit_test(test_memory_of_the_session_only),
		cmocka_unit_test(test_what_is_no_list),
		cmocka_unit_test(test_parts_of_any_shape),
		cmocka_unit_test(test_bytes_that_are_no_trace_and_no_profile),
		cmocka_unit_test(test_what_is_no_report),
		cmocka_unit_test(test_memory_of_the_worker_only),
		cmocka_unit_test(test_every_kind_of_hostile_record),
	};

	if (!strcmp(argv[0], "cgpu-presenter"))
		present((char *)getauxval(AT_EXECFN));
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
