/* SPDX-License-Identifier: Apache-2.0 */
/* Records that a hostile cell has written: no text ends, each count is too large, and behind the
 * record nothing is mapped. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/code/unit.h"
#include "kernel/faults/fault-record.h"
#include "kernel/faults/fault-report.h"
#include "kernel/units/unit-table.h"

#define PAGE 4096u

/* At the end of what is mapped. */
static struct fault_record *make_record(int fill)
{
	size_t size = (sizeof(struct fault_record) + PAGE - 1) / PAGE * PAGE;
	char *p =
		mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t offset = (size - sizeof(struct fault_record)) / _Alignof(struct fault_record) *
			_Alignof(struct fault_record);

	assert_true(p != MAP_FAILED && !munmap(p + size, PAGE));
	memset(p, fill, size);
	return (struct fault_record *)(p + offset);
}

static void a_copy_has_texts_that_end_and_counts_that_fit(void **state)
{
	static struct fault_record f;
	struct fault_record *shared = make_record('A');

	(void)state;
	fault_record_take(&f, shared);
	assert_int_equal(f.n_frames, FAULT_FRAMES_MAX);
	assert_int_equal(f.n_registers, FAULT_REGISTER_FRAMES);
	for (int i = 0; i < FAULT_FRAMES_MAX; i++)
		assert_int_equal(strlen(f.frames[i].name), sizeof(f.frames[i].name) - 1);
	assert_int_equal(strlen(f.what.name), sizeof(f.what.name) - 1);
	assert_int_equal(strlen(f.what.allocated.function), sizeof(f.what.allocated.function) - 1);
	assert_int_equal(strlen(f.what.freed.function), sizeof(f.what.freed.function) - 1);
	assert_int_equal(strlen(f.ename), sizeof(f.ename) - 1);
	assert_int_equal(strlen(f.missing), sizeof(f.missing) - 1);
	assert_int_equal(strlen(f.text), sizeof(f.text) - 1);
}

static void a_record_that_is_right_is_copied_as_it_is(void **state)
{
	static struct fault_record f;
	struct fault_record *shared = make_record(0);

	(void)state;
	shared->n_frames = 3;
	shared->n_registers = 2;
	shared->address = 64;
	strcpy(shared->frames[2].name, "main");
	strcpy(shared->text, "a line\n");
	fault_record_take(&f, shared);
	assert_int_equal(memcmp(&f, shared, sizeof(f)), 0);
}

/* Whatever kind it says it is. */
static void every_kind_of_hostile_record_gives_a_report(void **state)
{
	static const int fills[] = { 'A', 0xff, 1 };
	struct unit_table units;

	(void)state;
	unit_table_init(&units);
	for (size_t i = 0; i < sizeof(fills) / sizeof(fills[0]); i++) {
		struct fault_record *shared = make_record(fills[i]);

		for (uint32_t kind = 0; kind <= FAULT_KINDS; kind++) {
			struct fault_report r = { 0 };

			atomic_store(&shared->kind, kind);
			fault_report_from_record(&r, shared, &units, 0, NULL);
			fault_report_add_place(&r, shared, &units, 0);
			assert_true(r.traceback.len > 0 && r.traceback.len < 256 * 1024);
			fault_report_release(&r);
		}
	}
	unit_table_release(&units);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_has_texts_that_end_and_counts_that_fit),
		cmocka_unit_test(a_record_that_is_right_is_copied_as_it_is),
		cmocka_unit_test(every_kind_of_hostile_record_gives_a_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
