/* SPDX-License-Identifier: Apache-2.0 */
/* Units of device code: variables that outlive cells, launches through the glue, faults of device
 * code, and all of it over the death of a worker. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <cuda_runtime_api.h>

#include "common/base/error.h"
#include "common/code/unit.h"
#include "common/launch-glue.h"
#include "tests/unit/device-code-units.h"
#include "tests/unit/runtime/device-host.h"
#include "tests/unit/runtime/device-launch.h"

#define N 100

/* The host objects that the compiler makes for device variables and entries: their addresses are
 * what matters. */
static int counter;
static float weights[4];
static char bump_stub, weigh_stub, read_counter_stub;

static struct unit_kernel kernels_1[] = { { "bump", "_Z4bumpPii", 4 },
					  { "weigh", "_Z5weighPf", 10 } };
static struct unit_kernel kernels_2[] = { { "read_counter", "_Z12read_counterPi", 2 } };
static const struct unit unit_1 = { .cell = 2,
				    .ptx = PTX_UNIT_1,
				    .ptx_len = sizeof(PTX_UNIT_1) - 1,
				    .kernels = kernels_1,
				    .n_kernels = 2 };
static const struct unit unit_2 = { .cell = 3,
				    .ptx = PTX_UNIT_2,
				    .ptx_len = sizeof(PTX_UNIT_2) - 1,
				    .kernels = kernels_2,
				    .n_kernels = 1 };

static int **out; /* device buffer of N ints; shared by all workers */

static void load(const struct unit *u)
{
	struct error err = ERROR_INIT;

	if (device_load(u, &err))
		device_host_fail(__FILE__, __LINE__, err.text);
}

static void launch_bump(unsigned blocks, int n)
{
	dim3 grid = { blocks, 1, 1 }, block = { 32, 1, 1 };
	void *args[] = { out, &n };

	device_launch(&bump_stub, grid, block, NULL, args);
}

static int counter_value(void)
{
	int value = -1;

	WORKER_NEED(
		!cudaMemcpyFromSymbol(&value, &counter, sizeof(value), 0, cudaMemcpyDeviceToHost));
	return value;
}

static void define(void *data)
{
	(void)data;
	device_host_begin(2);
	load(&unit_1);
	WORKER_NEED(!cudaMalloc((void **)out, N * sizeof(int)) &&
		    !cudaMemset(*out, 0, N * sizeof(int)));
	device_host_commit();
}

static int fresh_session(void **state)
{
	(void)state;
	device_host_init();
	device_host_define("counter", &counter);
	device_host_define("weights", weights);
	device_host_define("bump", &bump_stub);
	device_host_define("weigh", &weigh_stub);
	device_host_define("read_counter", &read_counter_stub);
	return device_host_worker(define, NULL);
}

static void launch_and_check(void *data)
{
	int result[N];

	(void)data;
	device_host_begin(3);
	WORKER_NEED(counter_value() == 5);
	launch_bump(4, N);
	WORKER_NEED(!cudaMemcpy(result, *out, sizeof(result), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		WORKER_NEED(result[i] == i + 5);
	WORKER_NEED(counter_value() == 5 + N);
	device_host_commit();
}

static void an_entry_of_an_earlier_worker_runs(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(launch_and_check, NULL), 0);
}

static void later_unit(void *data)
{
	dim3 one = { 1, 1, 1 };
	void *args[] = { out };
	int value;

	(void)data;
	device_host_begin(4);
	load(&unit_2);
	launch_bump(1, 7);
	device_launch(&read_counter_stub, one, one, NULL, args);
	WORKER_NEED(!cudaMemcpy(&value, *out, sizeof(value), cudaMemcpyDeviceToHost));
	WORKER_NEED(value == 12);
	device_host_commit();
}

static void later_units_share_variables(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(later_unit, NULL), 0);
}

static void bump_and_die(void *data)
{
	(void)data;
	device_host_begin(3);
	launch_bump(4, N);
	WORKER_NEED(!cudaDeviceSynchronize() && counter_value() == 5 + N);
	device_host_die();
}

static void what_device_code_wrote_is_taken_back(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(bump_and_die, NULL), 0);
	assert_int_equal(device_host_worker(launch_and_check, NULL), 0);
}

static void redefine(void *data)
{
	void *before, *after;

	(void)data;
	device_host_begin(3);
	launch_bump(1, 3);
	WORKER_NEED(counter_value() == 8 && !cudaGetSymbolAddress(&before, &counter));
	load(&unit_1);
	WORKER_NEED(counter_value() == 5 && !cudaGetSymbolAddress(&after, &counter) &&
		    before == after);
	launch_bump(1, 3);
	WORKER_NEED(counter_value() == 8);
	device_host_die();
}

static void a_definition_run_again_keeps_its_place(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(redefine, NULL), 0);
	assert_int_equal(device_host_worker(launch_and_check, NULL), 0);
}

static void constants(void *data)
{
	float w[4] = { 1, 2, 3, 4 }, result[4];
	dim3 one = { 1, 1, 1 }, four = { 4, 1, 1 };
	void *args[] = { out };
	size_t size;

	(void)data;
	device_host_begin(3);
	WORKER_NEED(!cudaMemcpyToSymbol(weights, w, sizeof(w), 0, cudaMemcpyHostToDevice));
	WORKER_NEED(cudaMemcpyToSymbol(weights, w, sizeof(w), 4, cudaMemcpyHostToDevice) ==
		    cudaErrorInvalidValue);
	WORKER_NEED(cudaMemcpyToSymbol(w, w, 4, 0, cudaMemcpyHostToDevice) ==
		    cudaErrorInvalidSymbol);
	WORKER_NEED(!cudaGetSymbolSize(&size, weights) && size == 16);
	WORKER_NEED(!cudaLaunchKernel(&weigh_stub, one, four, args, 0, NULL));
	WORKER_NEED(!cudaMemcpy(result, *out, sizeof(result), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 4; i++)
		WORKER_NEED(result[i] == 2 * w[i]);
	device_host_commit();
}

static void constant_memory_is_filled_by_symbol(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(constants, NULL), 0);
}

static void past_the_end(void *data)
{
	static struct fault_record fault;
	int value;

	(void)data;
	device_host_begin(3);
	cgpu_note("&d_small", 5);
	WORKER_NEED(!cudaMalloc((void **)out, 10 * sizeof(int)));
	launch_bump(1, 11);
	WORKER_NEED(cudaGetLastError() == cudaSuccess);
	WORKER_NEED(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
	WORKER_NEED(cudaMemcpy(&value, *out, 4, cudaMemcpyDeviceToHost) == cudaErrorIllegalAddress);
	WORKER_NEED(cudaGetLastError() == cudaErrorIllegalAddress &&
		    cudaGetLastError() == cudaErrorIllegalAddress);
	WORKER_NEED(device_host_end(&fault) == -1 && fault.kind == FAULT_CUDA);
	WORKER_NEED(!strcmp(fault.ename, "CudaIllegalAddress"));
	WORKER_NEED(strstr(fault.text, "in the CUDA kernel bump, line 8 of In[2]"));
	WORKER_NEED(strstr(fault.text, "thread (10,0,0) in block (0,0,0)"));
	WORKER_NEED(strstr(fault.text, "d_small") && strstr(fault.text, "40 bytes"));
	device_host_die();
}

static void a_fault_names_lane_line_and_buffer(void **state)
{
	int *before = *out;

	(void)state;
	assert_int_equal(device_host_worker(past_the_end, NULL), 0);
	*out = before;
	assert_int_equal(device_host_worker(launch_and_check, NULL), 0);
}

static void freed(void *data)
{
	static struct fault_record fault;

	(void)data;
	device_host_begin(3);
	WORKER_NEED(!cudaFree(*out));
	launch_bump(1, 1);
	WORKER_NEED(device_host_end(&fault) == -1 && !strcmp(fault.ename, "CudaIllegalAddress"));
	WORKER_NEED(strstr(fault.text, "freed"));
	device_host_die();
}

static void use_after_free_is_a_fault(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(freed, NULL), 0);
}

static void impossible(void *data)
{
	dim3 one = { 1, 1, 1 }, huge = { 4096, 1, 1 }, none = { 0, 1, 1 };
	struct cudaFuncAttributes a;
	int n = 1;
	void *args[] = { out, &n };

	(void)data;
	device_host_begin(3);
	device_launch(&bump_stub, one, huge, NULL, args);
	WORKER_NEED(cudaGetLastError() == cudaErrorInvalidConfiguration);
	device_launch(&bump_stub, none, one, NULL, args);
	WORKER_NEED(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
	WORKER_NEED(!cudaFuncGetAttributes(&a, &bump_stub) && a.maxThreadsPerBlock == 1024 &&
		    a.ptxVersion == 75);
	device_host_line = 9;
	device_launch(&bump_stub, one, huge, NULL, args);
	device_host_commit();
	WORKER_NEED(strstr(device_host_warnings(),
			   "the launch of bump returned cudaErrorInvalidConfiguration"));
	WORKER_NEED(strstr(device_host_warnings(), "line 9"));
}

static void impossible_launches_are_not_sticky(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(impossible, NULL), 0);
	assert_int_equal(device_host_worker(launch_and_check, NULL), 0);
}

static void unknown_variable(void *data)
{
	struct error err = ERROR_INIT;

	(void)data;
	device_host_begin(2);
	WORKER_NEED(device_load(&unit_2, &err) == -1 && err.code == ERROR_NOT_FOUND &&
		    strstr(err.text, "counter"));
}

static int empty_session(void **state)
{
	(void)state;
	device_host_init();
	return 0;
}

static void an_extern_needs_a_definition(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(unknown_variable, NULL), 0);
}

#define TEST(f) cmocka_unit_test_setup(f, fresh_session)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_entry_of_an_earlier_worker_runs),
		TEST(later_units_share_variables),
		TEST(what_device_code_wrote_is_taken_back),
		TEST(a_definition_run_again_keeps_its_place),
		TEST(constant_memory_is_filled_by_symbol),
		TEST(a_fault_names_lane_line_and_buffer),
		TEST(use_after_free_is_a_fault),
		TEST(impossible_launches_are_not_sticky),
		cmocka_unit_test_setup(an_extern_needs_a_definition, empty_session),
	};

	out = mmap(NULL, sizeof(*out), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
