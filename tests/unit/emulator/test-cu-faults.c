/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The emulated driver API on a device that breaks: faults of device code, every kind of injected
 * failure. Each test breaks a device of its own in a child process and checks there.
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tests/unit/device-code-units.h"
#include "tests/unit/emulator.h"

/* In a child: leave with the line number of what does not hold. */
#define NEED(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                    \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

static void check_in_child(void (*body)(void))
{
	int status = emulator_in_child(body);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* The entry `bump` writes n ints to out. */
static CUfunction load_bump(void)
{
	CUmodule m;
	CUfunction f;

	emulator_start();
	NEED(!EMU(cuModuleLoadData)(&m, PTX_UNIT_1));
	NEED(!EMU(cuModuleGetFunction)(&f, m, "_Z4bumpPii"));
	NEED(EMU(cuModuleGetFunction)(&f, m, "nobody") == CUDA_ERROR_NOT_FOUND);
	return f;
}

static CUresult launch_bump(CUfunction f, CUdeviceptr out, int n)
{
	void *args[] = { &out, &n };

	return EMU(cuLaunchKernel)(f, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL);
}

static void overrun(void)
{
	CUfunction f = load_bump();
	struct emulator_fault fault;
	CUdeviceptr p, q;
	const char *name;
	int n = 0;

	NEED(!EMU(cuMemAlloc)(&p, 16) && !extension->last_fault(&fault));
	NEED(!launch_bump(f, p, 4) && !EMU(cuCtxSynchronize)());
	NEED(!EMU(cuMemcpyDtoH)(&n, p + 12, 4) && n == 8);
	/* The launch is accepted; who synchronises is told, and everybody after. */
	NEED(!launch_bump(f, p, 5) && !launch_bump(f, p, 4));
	NEED(EMU(cuStreamSynchronize)(NULL) == CUDA_ERROR_ILLEGAL_ADDRESS);
	NEED(EMU(cuMemAlloc)(&q, 4) == CUDA_ERROR_ILLEGAL_ADDRESS);
	NEED(EMU(cuMemcpyDtoH)(&n, p, 4) == CUDA_ERROR_ILLEGAL_ADDRESS);
	NEED(launch_bump(f, p, 4) == CUDA_ERROR_ILLEGAL_ADDRESS);
	NEED(EMU(cuDevicePrimaryCtxReset)(0) == CUDA_ERROR_ILLEGAL_ADDRESS);
	NEED(!EMU(cuGetErrorName)(CUDA_ERROR_ILLEGAL_ADDRESS, &name));
	NEED(extension->last_fault(&fault) && fault.code == 700 && fault.address == p + 16);
	NEED(fault.thread[0] == 4 && fault.line == 8 &&
	     strstr(fault.text, "Invalid __global__ write of size 4"));
}

static void faults_stick(void **state)
{
	(void)state;
	check_in_child(overrun);
}

static void annotated(void)
{
	CUfunction f = load_bump();
	struct emulator_annotation a = { .size = 8, .name = "d_two", .cell = 7 };
	struct emulator_fault fault;
	CUdeviceptr p;

	NEED(!EMU(cuMemAlloc)(&p, 4096));
	a.address = p + 256;
	NEED(!extension->annotate(&a) && !launch_bump(f, p + 256, 2) && !EMU(cuCtxSynchronize)());
	NEED(extension->annotate_freed(p + 300, 8) == CUDA_ERROR_INVALID_VALUE);
	NEED(!launch_bump(f, p + 256, 3) && EMU(cuCtxSynchronize)() == CUDA_ERROR_ILLEGAL_ADDRESS);
	NEED(extension->last_fault(&fault) && strstr(fault.text, "`d_two`") &&
	     strstr(fault.text, "cell 7"));
}

static void annotated_memory_ends_where_its_buffer_ends(void **state)
{
	(void)state;
	check_in_child(annotated);
}

static void injected_fault(void)
{
	CUfunction f = load_bump();
	CUdeviceptr p;
	CUresult result;

	NEED(!EMU(cuMemAlloc)(&p, 16) && !extension->inject("launch=719:2"));
	NEED(!launch_bump(f, p, 4) && !EMU(cuCtxSynchronize)());
	NEED(!launch_bump(f, p, 4));
	while ((result = EMU(cuStreamQuery)(NULL)) == CUDA_ERROR_NOT_READY)
		sched_yield();
	NEED(result == CUDA_ERROR_LAUNCH_FAILED);
	NEED(EMU(cuCtxSynchronize)() == CUDA_ERROR_LAUNCH_FAILED);
}

static void a_sticky_error_can_be_asked_for(void **state)
{
	(void)state;
	check_in_child(injected_fault);
}

static void hang(void)
{
	CUfunction f = load_bump();
	CUdeviceptr p;
	CUevent e;

	NEED(!EMU(cuMemAlloc)(&p, 16) && !EMU(cuEventCreate)(&e, 0) &&
	     !extension->inject("launch=hang"));
	NEED(!launch_bump(f, p, 4) && !EMU(cuEventRecord)(e, NULL));
	NEED(EMU(cuStreamQuery)(NULL) == CUDA_ERROR_NOT_READY &&
	     EMU(cuEventQuery)(e) == CUDA_ERROR_NOT_READY);
	extension->stop(1);
	NEED(EMU(cuCtxSynchronize)() == CUDA_ERROR_LAUNCH_TIMEOUT);
}

static void a_hang_can_be_asked_for(void **state)
{
	(void)state;
	check_in_child(hang);
}

static void refused(void)
{
	struct emulator_fault fault;
	CUdeviceptr p, q;
	CUstream stream;
	const char *name;
	int n = 5;

	emulator_start();
	NEED(!EMU(cuMemAlloc)(&p, 4) && !EMU(cuMemcpyHtoD)(p, &n, 4));
	NEED(!EMU(cuStreamCreate)(&stream, 0));
	NEED(!extension->last_fault(&fault));
	NEED(!extension->inject("cuCtxSynchronize=304:2"));
	NEED(!EMU(cuCtxSynchronize)());
	NEED(EMU(cuCtxSynchronize)() == CUDA_ERROR_OPERATING_SYSTEM);
	NEED(!EMU(cuCtxSynchronize)());
	NEED(!EMU(cuMemcpyDtoH)(&n, p, 4) && n == 5);
	NEED(!EMU(cuMemAlloc)(&q, 4));
	NEED(!extension->inject("cuMemAlloc=700"));
	NEED(EMU(cuMemAlloc)(&q, 4) == CUDA_ERROR_ILLEGAL_ADDRESS);
	NEED(EMU(cuMemcpyDtoH)(&n, p, 4) == CUDA_ERROR_ILLEGAL_ADDRESS);
	NEED(!EMU(cuGetErrorName)(700, &name));
}

static void refused_calls_stick_as_on_hardware(void **state)
{
	(void)state;
	check_in_child(refused);
}

static void out_of_memory(void)
{
	CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
				     .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE } };
	CUmemGenericAllocationHandle handle;

	setenv("CGPU_EMULATED_FAIL", "cuMemCreate=2:2", 1);
	emulator_start();
	NEED(!EMU(cuMemCreate)(&handle, 2u << 20, &prop, 0));
	NEED(EMU(cuMemCreate)(&handle, 2u << 20, &prop, 0) == CUDA_ERROR_OUT_OF_MEMORY);
	NEED(!EMU(cuMemCreate)(&handle, 2u << 20, &prop, 0));
}

static void the_environment_can_ask_for_failures(void **state)
{
	(void)state;
	check_in_child(out_of_memory);
}

static void no_init(void)
{
	setenv("CGPU_EMULATED_FAIL", "cuInit=304", 1);
	emulator_open();
	NEED(EMU(cuInit)(0) == CUDA_ERROR_OPERATING_SYSTEM);
	NEED(!EMU(cuInit)(0));
}

static void initialisation_can_fail(void **state)
{
	(void)state;
	check_in_child(no_init);
}

static void slow(void)
{
	struct timespec before, after;

	setenv("CGPU_EMULATED_FAIL", "init=slow:120", 1);
	emulator_open();
	clock_gettime(CLOCK_MONOTONIC, &before);
	NEED(!EMU(cuInit)(0));
	clock_gettime(CLOCK_MONOTONIC, &after);
	NEED((after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000 >=
	     119);
}

static void initialisation_can_be_slow(void **state)
{
	(void)state;
	check_in_child(slow);
}

static void malformed(void **state)
{
	(void)state;
	assert_int_equal(extension->inject("nonsense"), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(extension->inject("a=b"), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(extension->inject("cuX=1:0"), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(extension->inject("cuX=1,cuY=2:3"), CUDA_SUCCESS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults_stick),
		cmocka_unit_test(annotated_memory_ends_where_its_buffer_ends),
		cmocka_unit_test(a_sticky_error_can_be_asked_for),
		cmocka_unit_test(a_hang_can_be_asked_for),
		cmocka_unit_test(refused_calls_stick_as_on_hardware),
		cmocka_unit_test(the_environment_can_ask_for_failures),
		cmocka_unit_test(initialisation_can_fail),
		cmocka_unit_test(initialisation_can_be_slow),
		cmocka_unit_test(malformed),
	};

	emulator_open();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
