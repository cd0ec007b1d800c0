/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA side when the device fails: each injected failure, and what the cell and the user are
 * told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include <cuda_runtime_api.h>

#include "common/base/error.h"
#include "common/code/unit.h"
#include "runtime/cuda/driver/device-state.h"
#include "tests/unit/device-code-units.h"
#include "tests/unit/runtime/device-host.h"
#include "tests/unit/runtime/device-launch.h"

#define MIB (1024u * 1024)

static struct unit_kernel kernels[] = { { "bump", "_Z4bumpPii", 4 } };
static const struct unit unit = { .cell = 2,
				  .ptx = PTX_UNIT_1,
				  .ptx_len = sizeof(PTX_UNIT_1) - 1,
				  .kernels = kernels,
				  .n_kernels = 1 };

static int fresh_session(void **state)
{
	(void)state;
	unsetenv("CGPU_EMULATED_FAIL");
	setenv("CGPU_EMULATED_MEMORY", "64M", 1);
	device_host_may_lack_device = false;
	device_host_init();
	return 0;
}

static void inject(const char *spec)
{
	WORKER_NEED(!device.driver->extension->inject(spec));
}

static char bump_stub;

static void launch_bump(void *out, int n)
{
	dim3 one = { 1, 1, 1 }, block = { 32, 1, 1 };
	void *args[] = { &out, &n };

	device_launch(&bump_stub, one, block, NULL, args);
}

static void load(void)
{
	struct error err = ERROR_INIT;

	device_host_define("bump", &bump_stub);
	if (device_load(&unit, &err))
		device_host_fail(__FILE__, __LINE__, err.text);
}

static void no_device(void *data)
{
	struct fault_record fault = { 0 };
	struct error err = ERROR_INIT;
	int n = 7;
	void *p;

	(void)data;
	WORKER_NEED(strstr(device_host_info.problem, "cannot be initialised: OS call failed"));
	device_host_begin(1);
	WORKER_NEED(cudaMalloc(&p, 4) == cudaErrorOperatingSystem);
	WORKER_NEED(cudaGetDeviceCount(&n) == cudaErrorOperatingSystem && n == 0);
	WORKER_NEED(device_load(&unit, &err) == -1 && strstr(err.text, "OS call failed"));
	WORKER_NEED(!device_host_end(&fault));
	WORKER_NEED(strstr(device_host_warnings(), "cudaErrorOperatingSystem") &&
		    strstr(device_host_warnings(), "OS call failed"));
}

static void a_worker_without_a_device_says_why(void **state)
{
	(void)state;
	setenv("CGPU_EMULATED_FAIL", "cuInit=304", 1);
	device_host_may_lack_device = true;
	assert_int_equal(device_host_worker(no_device, NULL), 0);
}

static void busy_device(void *data)
{
	(void)data;
	WORKER_NEED(strstr(device_host_info.problem, "busy or unavailable"));
}

static void a_context_can_be_refused(void **state)
{
	(void)state;
	setenv("CGPU_EMULATED_FAIL", "cuDevicePrimaryCtxRetain=46", 1);
	device_host_may_lack_device = true;
	assert_int_equal(device_host_worker(busy_device, NULL), 0);
}

static void out_of_memory(void *data)
{
	static struct fault_record fault;
	void *p;

	(void)data;
	device_host_begin(1);
	inject("cuMemCreate=2");
	WORKER_NEED(cudaMalloc(&p, MIB) == cudaErrorMemoryAllocation && !p);
	WORKER_NEED(cudaMalloc(&p, MIB) == cudaSuccess && p);
	WORKER_NEED(device_host_end(&fault) == -1 && !strcmp(fault.ename, "CudaOutOfMemory"));
	WORKER_NEED(strstr(fault.text, "the device has no more memory to give"));
}

static void memory_that_the_device_refuses_is_named(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(out_of_memory, NULL), 0);
}

static void *kept;

static void fill_device(void *data)
{
	struct fault_record fault = { 0 };

	(void)data;
	device_host_begin(1);
	WORKER_NEED(!cudaMalloc(&kept, 60 * MIB) && !cudaMemset(kept, 4, 60 * MIB) &&
		    !device_host_end(&fault));
	device_host_begin(2);
	WORKER_NEED(!cudaMemset(kept, 5, 60 * MIB));
}

static void check_filled(void *data)
{
	char byte = 0;

	device_host_begin(2);
	WORKER_NEED(!cudaMemcpy(&byte, (char *)data + 60 * MIB - 1, 1, cudaMemcpyDeviceToHost) &&
		    byte == 4);
}

static void pre_images_go_to_the_host_when_the_device_is_full(void **state)
{
	uint64_t address = 0;

	(void)state;
	assert_int_equal(device_host_worker(fill_device, NULL), 0);
	for (size_t i = 0; i < keeper.n_chunks; i++)
		if (keeper.chunks[i].address)
			address = keeper.chunks[i].address;
	assert_int_equal(keeper.n_preimages, 1);
	assert_int_equal(device_host_worker(check_filled, (void *)(uintptr_t)address), 0);
}

static void no_room_for_the_copy(void *data)
{
	static struct fault_record fault;
	struct rlimit before, none;

	(void)data;
	device_host_begin(1);
	WORKER_NEED(!cudaMalloc(&kept, MIB) && !device_host_end(&fault));
	device_host_begin(2);
	inject("cuMemCreate=2");
	getrlimit(RLIMIT_NOFILE, &before);
	none = (struct rlimit){ 0, before.rlim_max };
	setrlimit(RLIMIT_NOFILE, &none);
	WORKER_NEED(cudaMemset(kept, 5, MIB) == cudaErrorMemoryAllocation);
	setrlimit(RLIMIT_NOFILE, &before);
	WORKER_NEED(device_host_end(&fault) == -1 &&
		    strstr(fault.text, "there is no memory for the copy"));
}

static void without_a_copy_nothing_is_written(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(no_room_for_the_copy, NULL), 0);
}

static void sticky(void *data)
{
	static struct fault_record fault;
	void *p;

	(void)data;
	device_host_begin(1);
	load();
	WORKER_NEED(!cudaMalloc(&p, 400));
	inject("launch=716");
	launch_bump(p, 100);
	WORKER_NEED(cudaGetLastError() == cudaSuccess);
	WORKER_NEED(device_host_end(&fault) == -1 && fault.kind == FAULT_CUDA);
	WORKER_NEED(!strcmp(fault.ename, "CudaMisalignedAddress"));
	WORKER_NEED(cudaGetLastError() == cudaErrorMisalignedAddress &&
		    cudaFree(p) == cudaErrorMisalignedAddress);
}

static void a_fault_that_nobody_waited_for_ends_the_cell(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(sticky, NULL), 0);
}

static void take_and_free(unsigned mib)
{
	size_t before, after, total;
	void *a, *b;

	WORKER_NEED(!cudaMemGetInfo(&before, &total));
	WORKER_NEED(!cudaMalloc(&a, mib * MIB) && !cudaMalloc(&b, mib * MIB));
	WORKER_NEED(!cudaFree(a) && !cudaFree(b));
	WORKER_NEED(!cudaMemGetInfo(&after, &total) && before == after);
}

static void sizes_in_turn(void *data)
{
	static struct fault_record fault;

	(void)data;
	device_host_begin(1);
	for (int i = 0; i < 3; i++) {
		take_and_free(14);
		take_and_free(28);
	}
	WORKER_NEED(!device_host_end(&fault));
}

static void memory_that_a_cell_has_freed_is_there_for_other_sizes(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(sizes_in_turn, NULL), 0);
}

static void hang(void *data)
{
	static struct fault_record fault;
	void *p;

	(void)data;
	device_host_begin(1);
	load();
	WORKER_NEED(!cudaMalloc(&p, 400));
	inject("launch=hang");
	launch_bump(p, 100);
	WORKER_NEED(cudaStreamQuery(NULL) == cudaErrorNotReady);
	device_stop();
	WORKER_NEED(device_host_end(&fault) == -1 && !strcmp(fault.ename, "CudaLaunchTimeout"));
}

static void a_launch_that_never_ends_can_be_stopped(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(hang, NULL), 0);
}

#define TEST(f) cmocka_unit_test_setup(f, fresh_session)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_worker_without_a_device_says_why),
		TEST(a_context_can_be_refused),
		TEST(memory_that_the_device_refuses_is_named),
		TEST(memory_that_a_cell_has_freed_is_there_for_other_sizes),
		TEST(pre_images_go_to_the_host_when_the_device_is_full),
		TEST(without_a_copy_nothing_is_written),
		TEST(a_fault_that_nobody_waited_for_ends_the_cell),
		TEST(a_launch_that_never_ends_can_be_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
