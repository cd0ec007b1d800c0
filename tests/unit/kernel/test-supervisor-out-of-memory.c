/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel/supervisor when memory is out: the n-th allocation fails for every n while a cell's device
 * memory and its unit are taken in. Each failure is an error; after it the tables can be rolled
 * back and take the next cell.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/code/unit.h"
#include "common/protocol/ipc.h"
#include "kernel/base/loop.h"
#include "kernel/state/device-memory.h"
#include "kernel/units/compiled-unit.h"
#include "kernel/units/unit-table.h"
#include "kernel/workers/compiler-client.h"
#include "tests/unit/failing-malloc.h"

#define SIZE (2u << 20)
#define CHUNKS 40

static int take_chunks(struct device_memory *d, struct error *err)
{
	for (uint64_t id = 1; id <= CHUNKS; id++) {
		struct device_preimage p = { 0x300000000000ull + id * SIZE, SIZE, id, 0 };
		int fd = memfd_create("chunk", MFD_CLOEXEC);

		assert_true(fd >= 0);
		if (device_memory_chunk(d, id, SIZE, 0, fd, err) ||
		    device_memory_preimage(d, &p, err))
			return -1;
	}
	return 0;
}

static int device_cell(void *data)
{
	struct device_memory d = { 0 };
	struct device_undo undo = { 0 }, *newest = &undo;
	struct error err = ERROR_INIT;
	int failed = take_chunks(&d, &err);

	(void)data;
	if (!failed) {
		device_memory_commit(&d, &undo);
		failed = !undo.valid;
		if (!failed) {
			failed = device_memory_undo_room(&d, &newest, 1, &err);
			if (!failed)
				device_memory_undo(&d, &newest, 1, NULL);
		}
	} else {
		assert_int_equal(err.code, ERROR_MEMORY);
		device_memory_rollback(&d);
		device_memory_restored(&d, NULL);
		failing_malloc_arm(-1);
		assert_int_equal(take_chunks(&d, &err), 0);
	}
	device_undo_release(&undo);
	device_memory_release(&d);
	return failed ? -1 : 0;
}

static void no_answer(void *data, uint32_t type, const void *payload, size_t len)
{
	(void)data;
	(void)type;
	(void)payload;
	(void)len;
	fail();
}

/* A question is sent as a whole and waits for its answer, or it is an error and nobody has heard of
 * it. */
static int ask_compiler(void *data)
{
	struct compiler_client c = { .process = PROCESS_INIT, .next_id = 1, .said_hello = true };
	cleanup_buffer struct buffer body = BUFFER_INIT;
	struct ipc_message m = { 0 };
	struct error err = ERROR_INIT;
	int ends[2], failed, got;

	(void)data;
	assert_int_equal(ipc_pair(ends, &err), 0);
	c.process.sock = ends[0];
	c.process.pidfd = 0; /* there is a process */
	for (int i = 0; i < 1000; i++)
		record_put_str(&body, "a cell that is long");
	failed = compiler_client_ask(&c, 7, &body, 0, no_answer, NULL, &err);
	failing_malloc_arm(-1);
	got = ipc_receive(ends[1], 0, &m, NULL);
	assert_int_equal(got, !failed);
	assert_int_equal(c.first != NULL, !failed);
	if (failed)
		assert_int_equal(err.code, ERROR_MEMORY);
	else
		assert_int_equal(m.len, body.len + 4);
	ipc_message_release(&m);
	close(ends[1]);
	c.process.pidfd = -1;
	compiler_client_release(&c);
	return failed;
}

static int unit_cell(void *data)
{
	const struct unit_variable *variables;
	struct error err = ERROR_INIT;
	struct compiled_unit *u;
	struct unit_table t;
	int failed;

	unit_table_init(&t);
	u = compiled_unit_of(data, &err);
	failed = !u || unit_table_begin(&t, &u->unit, "int x = 1;", &err);
	if (!failed) {
		unit_table_place(&t, "x", 0x200110000000, 4);
		unit_table_commit(&t);
		failing_malloc_arm(-1);
		assert_int_equal(unit_table_variables(&t, &variables), 1);
	}
	unit_table_release(&t);
	compiled_unit_release(u);
	return failed ? -1 : 0;
}

static void ignore(void *data)
{
	(void)data;
}

static int loop_sources(void *data)
{
	struct loop *l = loop_new();
	int failed = !l;

	(void)data;
	for (int i = 0; i < 20 && !failed; i++)
		failed = !loop_add_timer(l, 1000, ignore, NULL);
	loop_free(l);
	return failed ? -1 : 0;
}

static void device_memory(void **state)
{
	(void)state;
	failing_malloc_run(device_cell, NULL);
}

static void units(void **state)
{
	struct unit_symbol symbol = { "x", false, 4, "int", "i4", 1, 7 };
	struct unit u = { .cell = 1, .cell_name = "In[1]", .symbols = &symbol, .n_symbols = 1 };

	(void)state;
	failing_malloc_run(unit_cell, &u);
}

static void loops(void **state)
{
	(void)state;
	failing_malloc_run(loop_sources, NULL);
}

static void questions(void **state)
{
	(void)state;
	failing_malloc_run(ask_compiler, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_memory),
		cmocka_unit_test(questions),
		cmocka_unit_test(units),
		cmocka_unit_test(loops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
