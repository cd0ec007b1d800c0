/* SPDX-License-Identifier: Apache-2.0 */
/* The check of synchronisation: each finding with its whole text, and beside it the same program
 * put right. */
#include "emulator/check/sync.h"

#include "tests/unit/emulator/machine.h"

/* %r1: thread, %p1: it is below 16, %p2: it is below 32. */
static void assert_report(const char *body, uint32_t block, const char *expected)
{
	struct sync *sync = sync_new(true, 0);
	struct observer *observers[] = { sync_observer(sync) };
	struct device *d = device_new();
	struct buffer ptx = BUFFER_INIT, out = BUFFER_INIT;
	struct machine_launch l = { .grid = { 2, 1, 1 },
				    .block = { block, 1, 1 },
				    .threads = 1,
				    .observers = observers,
				    .observer_count = 1 };

	buffer_printf(&ptx,
		      ".visible .entry k()\n{\n.reg .pred %%p<8>; .reg .b32 %%r<20>;\nmov.u32 "
		      "%%r1, %%tid.x;\n"
		      "setp.lt.u32 %%p1, %%r1, 16; setp.lt.u32 %%p2, %%r1, 32;\n%s\nret;\n}\n.file "
		      "1 \"In[4]\"\n",
		      body);
	device_load(d, ptx.data);
	l.kernel = ptx_module_function(d->module, "k");
	assert_non_null(sync);
	if (machine_launch(&l, &d->fault, NULL, &d->err))
		fail_msg("%s", d->err.text);
	sync_report(sync, &l, NULL, NULL, &out);
	assert_string_equal(buffer_text(&out), expected);
	sync_free(sync);
	buffer_release(&out);
	buffer_release(&ptx);
	device_free(d);
}

static void a_barrier_for_a_part_of_a_warp(void **state)
{
	(void)state;
	assert_report(
		"@%p1 bra A;\n.loc 1 7 3\nbar.sync 0; bra B; A:\n.loc 1 9 3\nbar.sync 0; B:", 32,
		"========= Barrier error detected. Divergent thread(s) in warp.\n"
		"=========     at k(...)+0x40 in In[4]:7\n"
		"=========     by thread (16,0,0) in block (0,0,0)\n"
		"=========     and at k(...)+0x60 in In[4]:9\n"
		"=========     by thread (0,0,0) in block (0,0,0)\n"
		"=========     All threads of a block must come to the same __syncthreads()\n");
	/* Threads that have ended are not waited for; barrier.sync makes no promise. */
	assert_report("@%p1 exit; bar.sync 0;", 64, "");
	assert_report("@%p1 bra END; bar.sync 0; END:", 64, "");
	assert_report("@%p1 bra A; barrier.sync 0; bra B; A: barrier.sync 0; B:", 32, "");
	assert_report("@%p1 bra A; add.u32 %r2, %r1, 1; A: bar.sync 0;", 40, "");
}

static void two_barriers_of_one_number(void **state)
{
	(void)state;
	assert_report(
		"@%p2 bra A;\n.loc 1 7 3\nbar.sync 0; bra B; A:\n.loc 1 9 3\nbar.sync 0; B:", 64,
		"========= Barrier error detected. Divergent thread(s) in block.\n"
		"=========     at k(...)+0x60 in In[4]:9\n"
		"=========     by thread (0,0,0) in block (0,0,0)\n"
		"=========     and at k(...)+0x40 in In[4]:7\n"
		"=========     by thread (32,0,0) in block (0,0,0)\n"
		"=========     All threads of a block must come to the same __syncthreads()\n");
	assert_report("@%p2 bra A; bar.sync 0; bra B; A: bar.sync 0; B: bar.sync 1;", 32, "");
	/* With a count it is a meeting of two parties. */
	assert_report("@%p2 bra A; bar.sync 1, 64; bra B; A: bar.sync 1, 64; B:", 64, "");
}

static void a_mask_without_the_caller(void **state)
{
	(void)state;
	assert_report(
		".loc 1 5 3\nbar.warp.sync 0xffff;", 32,
		"========= Barrier error detected. Invalid arguments.\n"
		"=========     at k(...)+0x30 in In[4]:5\n"
		"=========     by thread (16,0,0) in block (0,0,0)\n"
		"=========     The mask 0x0000ffff does not name lane 16, which executes it\n");
	assert_report("@!%p1 bra A; bar.warp.sync 0xffff; A:", 32, "");
	assert_report("activemask.b32 %r2; vote.sync.ballot.b32 %r3, %p1, %r2;", 20, "");
}

static void a_shuffle_from_a_lane_that_has_ended(void **state)
{
	(void)state;
	assert_report("@%p1 exit;\n.loc 1 5 3\nshfl.sync.idx.b32 %r2, %r1, 3, 31, 0xffffffff;", 32,
		      "========= Warning: Shuffle from a thread that does not take part.\n"
		      "=========     at k(...)+0x40 in In[4]:5\n"
		      "=========     by thread (16,0,0) in block (0,0,0)\n"
		      "=========     The value of lane 3 is undefined: it is not in the mask "
		      "0xffffffff, or has ended\n");
	assert_report("@%p1 exit; shfl.sync.idx.b32 %r2, %r1, 20, 31, 0xffff0000;", 32, "");
	/* Past the end of the segment a lane reads itself. */
	assert_report("shfl.sync.down.b32 %r2, %r1, 16, 31, 0xffffffff; shfl.sync.up.b32 %r2, %r1, "
		      "16, 0, 0xffffffff;\n"
		      "shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0xffffffff;",
		      32, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_barrier_for_a_part_of_a_warp),
		cmocka_unit_test(two_barriers_of_one_number),
		cmocka_unit_test(a_mask_without_the_caller),
		cmocka_unit_test(a_shuffle_from_a_lane_that_has_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
