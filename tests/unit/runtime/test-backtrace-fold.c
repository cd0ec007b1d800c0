/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of deep stacks: cycles of several lengths, their broken ends, and stacks that have no
 * pattern. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/protocol/worker-protocol.h"
#include "runtime/faults/backtrace-fold.h"

static struct fault_record record;
static struct backtrace_fold fold;

/* One letter a frame. */
static void walk(const char *frames)
{
	backtrace_fold_init(&fold, &record);
	for (; *frames; frames++)
		backtrace_fold_add(&fold, (uint64_t)*frames);
	backtrace_fold_end(&fold);
}

static void expect(const char *frames)
{
	assert_int_equal(record.n_frames, strlen(frames));
	for (uint32_t i = 0; i < record.n_frames; i++)
		assert_int_equal(record.frames[i].pc, frames[i]);
}

static void expect_cycle(uint32_t at, uint32_t length, uint32_t times)
{
	assert_int_equal(record.frames[at].cycle, length);
	assert_int_equal(record.frames[at].times, times);
}

static void test_no_pattern(void **state)
{
	(void)state;
	walk("abcdef");
	expect("abcdef");
	expect_cycle(0, 0, 0);
}

static void test_recursion(void **state)
{
	(void)state;
	walk("xffffffm");
	expect("xfm");
	expect_cycle(1, 1, 6);
}

static void test_mutual_recursion_that_ends_within_a_round(void **state)
{
	(void)state;
	walk("xabcabcabcabm");
	expect("xabcabm");
	expect_cycle(1, 3, 3);
}

static void test_two_cycles(void **state)
{
	(void)state;
	walk("xfffggggm");
	expect("xfgm");
	expect_cycle(1, 1, 3);
	expect_cycle(2, 1, 4);
}

static void test_the_innermost_frame_is_no_return_address(void **state)
{
	(void)state;
	walk("ffff");
	expect("ff");
	expect_cycle(1, 1, 3);
}

/* Frames without a pattern beyond the table: its head and its tail stay. */
static void test_what_is_too_long_loses_its_middle(void **state)
{
	const uint64_t n = 1000;

	(void)state;
	backtrace_fold_init(&fold, &record);
	for (uint64_t i = 0; i < n; i++)
		backtrace_fold_add(&fold, 100 + i * i);
	backtrace_fold_end(&fold);
	assert_int_equal(record.n_frames, FAULT_FRAMES_MAX);
	assert_int_equal(record.n_omitted, n - FAULT_FRAMES_MAX);
	assert_int_equal(record.frames[0].pc, 100);
	assert_int_equal(record.frames[FAULT_FRAMES_MAX - 1].pc, 100 + (n - 1) * (n - 1));
	assert_int_equal(record.frames[record.omitted_at - 1].pc,
			 100 + (record.omitted_at - 1) * (record.omitted_at - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_pattern),
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_mutual_recursion_that_ends_within_a_round),
		cmocka_unit_test(test_two_cycles),
		cmocka_unit_test(test_the_innermost_frame_is_no_return_address),
		cmocka_unit_test(test_what_is_too_long_loses_its_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
