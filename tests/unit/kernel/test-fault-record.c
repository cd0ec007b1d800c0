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

#include "kernel/faults/fault-record.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_has_texts_that_end_and_counts_that_fit),
		cmocka_unit_test(a_record_that_is_right_is_copied_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
