/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of the emulated driver: what begins without a call that waits, what waits for what, what
 * a deadlock is, and what a child process finds. The entries spin on memory that both sides reach.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/emulator.h"

/* wait_for(flag, value, out): spins until *flag is value, then adds 1 to *out. */
static const char source[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry wait_for(.param .u64 flag, .param .u32 value, .param .u64 out)\n"
	"{\n"
	"	.reg .b64 %p<3>;\n	.reg .b32 %v<4>;\n	.reg .pred %q;\n"
	"	ld.param.u64 %p1, [flag];\n	ld.param.u32 %v1, [value];\n	ld.param.u64 %p2, "
	"[out];\n"
	"again:\n"
	"	ld.volatile.global.u32 %v2, [%p1];\n	setp.ne.u32 %q, %v2, %v1;\n	@%q bra "
	"again;\n"
	"	ld.global.u32 %v3, [%p2];\n	add.u32 %v3, %v3, 1;\n	st.global.u32 [%p2], "
	"%v3;\n	ret;\n"
	"}\n";

struct shared {
	volatile int flag;
	int out;
};

static struct shared *shared;
static CUfunction wait_for;
static CUstream one, two;

static int setup(void **state)
{
	(void)state;
	memset(shared, 0, sizeof(*shared));
	return EMU(cuStreamCreate)(&one, 0) || EMU(cuStreamCreate)(&two, CU_STREAM_NON_BLOCKING);
}

static int teardown(void **state)
{
	(void)state;
	return EMU(cuStreamDestroy)(one) || EMU(cuStreamDestroy)(two);
}

static CUresult launch(CUstream s, int value)
{
	void *flag = (void *)&shared->flag, *out = &shared->out;
	void *args[] = { &flag, &value, &out };

	return EMU(cuLaunchKernel)(wait_for, 1, 1, 1, 1, 1, 1, 0, s, args, NULL);
}

static void a_launch_begins_without_a_call_that_waits(void **state)
{
	(void)state;
	shared->flag = 1;
	assert_int_equal(launch(one, 1), 0);
	while (!*(volatile int *)&shared->out)
		sched_yield();
	assert_int_equal(EMU(cuStreamSynchronize)(one), 0);
}

static void streams_do_not_wait_for_each_other(void **state)
{
	int seen = 5;

	(void)state;
	assert_int_equal(launch(one, 1), 0);
	assert_int_equal(EMU(cuMemcpyAsync)((uintptr_t)&seen, (uintptr_t)&shared->out, 4, two), 0);
	assert_int_equal(EMU(cuStreamSynchronize)(two), 0);
	assert_int_equal(seen, 0);
	assert_int_equal(EMU(cuStreamQuery)(one), CUDA_ERROR_NOT_READY);
	assert_int_equal(EMU(cuStreamQuery)(NULL), CUDA_ERROR_NOT_READY);
	assert_int_equal(EMU(cuStreamQuery)(two), 0);
	shared->flag = 1;
	assert_int_equal(EMU(cuMemcpy)((uintptr_t)&seen, (uintptr_t)&shared->out, 4), 0);
	assert_int_equal(seen, 1);
}

static void an_event_is_done_when_what_is_before_it_is(void **state)
{
	CUevent e;

	(void)state;
	assert_int_equal(EMU(cuEventCreate)(&e, 0), 0);
	assert_int_equal(EMU(cuEventQuery)(e), 0);
	assert_int_equal(launch(one, 1), 0);
	assert_int_equal(EMU(cuEventRecord)(e, one), 0);
	assert_int_equal(launch(one, 2), 0);
	assert_int_equal(EMU(cuStreamWaitEvent)(two, e, 0), 0);
	assert_int_equal(EMU(cuEventQuery)(e), CUDA_ERROR_NOT_READY);
	assert_int_equal(EMU(cuStreamQuery)(two), CUDA_ERROR_NOT_READY);
	shared->flag = 1;
	assert_int_equal(EMU(cuStreamSynchronize)(two), 0);
	assert_int_equal(EMU(cuEventSynchronize)(e), 0);
	assert_int_equal(EMU(cuStreamQuery)(one), CUDA_ERROR_NOT_READY);
	assert_int_equal(shared->out, 1);
	/* A destroyed event is no loss to who has recorded it. */
	assert_int_equal(EMU(cuEventRecord)(e, one), 0);
	assert_int_equal(EMU(cuEventDestroy)(e), 0);
	shared->flag = 2;
	assert_int_equal(EMU(cuCtxSynchronize)(), 0);
	assert_int_equal(shared->out, 2);
}

/* Also of another stream, and nobody has to begin anything for that. */
static void an_event_is_done_with_the_last_that_it_waits_for(void **state)
{
	CUstream blocking;
	CUevent begin, after;
	float ms;

	(void)state;
	assert_int_equal(EMU(cuStreamCreate)(&blocking, 0), 0);
	assert_int_equal(EMU(cuEventCreate)(&begin, 0), 0);
	assert_int_equal(EMU(cuEventCreate)(&after, 0), 0);
	extension->pause(1);
	assert_int_equal(EMU(cuEventRecord)(begin, NULL), 0);
	assert_int_equal(launch(blocking, 1), 0);
	assert_int_equal(EMU(cuEventRecord)(after, NULL), 0);
	assert_int_equal(EMU(cuEventQuery)(after), CUDA_ERROR_NOT_READY);
	shared->flag = 1;
	assert_int_equal(EMU(cuStreamSynchronize)(blocking), 0);
	assert_int_equal(EMU(cuEventElapsedTime)(&ms, begin, after), 0);
	extension->pause(0);
	assert_int_equal(EMU(cuEventDestroy)(begin), 0);
	assert_int_equal(EMU(cuEventDestroy)(after), 0);
	assert_int_equal(EMU(cuStreamDestroy)(blocking), 0);
}

static void a_destroyed_stream_ends_its_work(void **state)
{
	CUstream s;

	(void)state;
	assert_int_equal(EMU(cuStreamCreate)(&s, 0), 0);
	assert_int_equal(launch(s, 1), 0);
	assert_int_equal(launch(s, 1), 0);
	assert_int_equal(EMU(cuStreamDestroy)(s), 0);
	shared->flag = 1;
	assert_int_equal(EMU(cuCtxSynchronize)(), 0);
	assert_int_equal(shared->out, 2);
}

static void host_sees_status(CUstream s, CUresult status, void *data)
{
	(void)s;
	*(CUresult *)data = status;
}

static void in_host_function(void *data)
{
	*(CUresult *)data = EMU(cuCtxSynchronize)();
}

static void host_functions_may_not_call_the_driver(void **state)
{
	CUresult inside = CUDA_SUCCESS, status = CUDA_ERROR_UNKNOWN;

	(void)state;
	assert_int_equal(EMU(cuLaunchHostFunc)(one, in_host_function, &inside), 0);
	assert_int_equal(EMU(cuStreamAddCallback)(one, host_sees_status, &status, 0), 0);
	assert_int_equal(EMU(cuStreamSynchronize)(one), 0);
	assert_int_equal(inside, CUDA_ERROR_NOT_PERMITTED);
	assert_int_equal(status, CUDA_SUCCESS);
}

/* While paused only calls that wait go on. */
static void work_can_be_held(void **state)
{
	(void)state;
	shared->flag = 1;
	extension->pause(1);
	assert_int_equal(launch(one, 1), 0);
	assert_int_equal(launch(two, 1), 0);
	assert_int_equal(EMU(cuStreamSynchronize)(one), 0);
	assert_int_equal(EMU(cuStreamQuery)(two), CUDA_ERROR_NOT_READY);
	assert_int_equal(shared->out, 1);
	extension->pause(0);
	while (EMU(cuStreamQuery)(two) == CUDA_ERROR_NOT_READY)
		sched_yield();
	assert_int_equal(shared->out, 2);
}

static atomic_bool asked;

/* The driver asks when it would call the launch a deadlock: the thread that waits for it, and the
 * other one. */
static int count_threads(void)
{
	asked = true;
	return 2;
}

static void *raise_when_asked(void *unused)
{
	while (!asked)
		sched_yield();
	shared->flag = 1;
	return unused;
}

/* Another thread of the program may free it, so it is no deadlock although it takes as long as one.
 */
static void a_thread_of_the_program_frees_a_launch(void **state)
{
	pthread_t t;

	(void)state;
	extension->set_threads(count_threads, NULL, NULL);
	assert_int_equal(launch(one, 1), 0);
	assert_int_equal(pthread_create(&t, NULL, raise_when_asked, NULL), 0);
	assert_int_equal(EMU(cuStreamSynchronize)(one), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	extension->set_threads(NULL, NULL, NULL);
	assert_int_equal(shared->out, 1);
}

/* The allocator of gcc's AddressSanitizer stays locked in a child when another thread was in it. */
#ifndef __SANITIZE_ADDRESS__
static void child(void)
{
	/* What the parent has left is not here, and new work runs. */
	shared->flag = 2;
	if (EMU(cuCtxSynchronize)() || launch(one, 2) || EMU(cuStreamSynchronize)(one))
		_exit(1);
}

static void a_child_process_begins_anew(void **state)
{
	(void)state;
	assert_int_equal(launch(one, 1), 0);
	assert_int_equal(EMU(cuStreamQuery)(one), CUDA_ERROR_NOT_READY);
	assert_int_equal(emulator_in_child(child), 0);
	shared->flag = 1;
	assert_int_equal(EMU(cuStreamSynchronize)(one), 0);
}
#endif

/* Last: the device is lost. Two launches wait for what only the other could give. */
static void launches_that_nobody_can_free_are_a_deadlock(void **state)
{
	struct emulator_fault fault;

	(void)state;
	assert_int_equal(launch(one, 1), 0);
	assert_int_equal(launch(two, 2), 0);
	assert_int_equal(EMU(cuCtxSynchronize)(), CUDA_ERROR_LAUNCH_TIMEOUT);
	assert_int_equal(extension->last_fault(&fault), 1);
	assert_non_null(strstr(fault.text, "Deadlock"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(a_launch_begins_without_a_call_that_waits),
		TEST(streams_do_not_wait_for_each_other),
		TEST(an_event_is_done_when_what_is_before_it_is),
		TEST(an_event_is_done_with_the_last_that_it_waits_for),
		TEST(a_destroyed_stream_ends_its_work),
		TEST(host_functions_may_not_call_the_driver),
		TEST(work_can_be_held),
		TEST(a_thread_of_the_program_frees_a_launch),
#ifndef __SANITIZE_ADDRESS__
		TEST(a_child_process_begins_anew),
#endif
		cmocka_unit_test_setup(launches_that_nobody_can_free_are_a_deadlock, setup),
	};
	CUmodule m;

	setenv("CGPU_EMULATED_MEMORY", "64M", 1);
	emulator_start();
	if (EMU(cuModuleLoadData)(&m, source) ||
	    EMU(cuModuleGetFunction)(&wait_for, m, "wait_for") ||
	    EMU(cuMemAllocHost)((void **)&shared, sizeof(*shared)))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
