/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime API over two emulated devices: what each has of its own, and all of it over the death
 * of a worker. */
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
#include "runtime/cuda/reports/device-fault.h"
#include "tests/unit/device-code-units.h"
#include "tests/unit/runtime/device-host.h"
#include "tests/unit/runtime/device-launch.h"

#define N 32
#define MEMORY (64ull << 20) /* of each device */

static int counter;
static float weights[4];
static char bump_stub, weigh_stub;
static struct unit_kernel kernels[] = { { "bump", "_Z4bumpPii", 4 },
					{ "weigh", "_Z5weighPf", 10 } };
static const struct unit unit = { .cell = 2,
				  .ptx = PTX_UNIT_1,
				  .ptx_len = sizeof(PTX_UNIT_1) - 1,
				  .kernels = kernels,
				  .n_kernels = 2 };

/* What a notebook's variables would hold. */
static struct shared {
	int *on[2];
	cudaStream_t stream;
	cudaEvent_t event;
} *shared;

static void use(int i)
{
	WORKER_NEED(!cudaSetDevice(i));
}

static int counter_value(void)
{
	int value = -1;

	WORKER_NEED(
		!cudaMemcpyFromSymbol(&value, &counter, sizeof(value), 0, cudaMemcpyDeviceToHost));
	return value;
}

static void need_content(const int *p, int value)
{
	int copy[N];

	WORKER_NEED(!cudaMemcpy(copy, p, sizeof(copy), cudaMemcpyDefault));
	for (int i = 0; i < N; i++)
		WORKER_NEED(copy[i] == value);
}

/* Threads of the current device write to `out`, and count. */
static void launch(int *out)
{
	dim3 grid = { 1, 1, 1 }, block = { N, 1, 1 };
	int n = N;
	void *args[] = { &out, &n };

	device_launch(&bump_stub, grid, block, NULL, args);
}

static void define(void *data)
{
	struct error err = ERROR_INIT;

	(void)data;
	device_host_begin(2);
	if (device_load(&unit, &err))
		device_host_fail(__FILE__, __LINE__, err.text);
	for (int i = 0; i < 2; i++) {
		use(i);
		WORKER_NEED(!cudaMalloc((void **)&shared->on[i], N * sizeof(int)));
		WORKER_NEED(!cudaMemset(shared->on[i], i + 1, N * sizeof(int)));
	}
	WORKER_NEED(!cudaStreamCreate(&shared->stream) && !cudaEventCreate(&shared->event));
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
	return device_host_worker(define, NULL);
}

static void check_committed(void *data)
{
	struct cudaPointerAttributes what;
	int ordinal, owner;

	(void)data;
	device_host_begin(9);
	WORKER_NEED(!cudaGetDevice(&ordinal) && ordinal == 1);
	for (int i = 0; i < 2; i++) {
		need_content(shared->on[i], (i + 1) * 0x01010101);
		WORKER_NEED(!cudaPointerGetAttributes(&what, shared->on[i]) && what.device == i);
	}
	WORKER_NEED(!cudaStreamGetDevice(shared->stream, &owner) && owner == 1);
	WORKER_NEED(!cudaEventRecord(shared->event, shared->stream) &&
		    !cudaEventSynchronize(shared->event));
	for (int i = 0; i < 2; i++) {
		use(i);
		WORKER_NEED(counter_value() == 5);
		WORKER_NEED(!cudaDeviceSynchronize());
	}
	/* Nobody has opened anything. */
	WORKER_NEED(cudaDeviceDisablePeerAccess(0) == cudaErrorPeerAccessNotEnabled);
	cudaGetLastError();
	use(1);
	device_host_commit();
}

static void each_device_has_its_own(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(check_committed, NULL), 0);
	assert_int_equal(device_host_worker(check_committed, NULL), 0);
}

static void change_all_and_die(void *data)
{
	(void)data;
	device_host_begin(3);
	for (int i = 0; i < 2; i++) {
		use(i);
		launch(shared->on[i]);
		WORKER_NEED(!cudaDeviceSynchronize());
		WORKER_NEED(counter_value() == 5 + N);
	}
	use(0);
	WORKER_NEED(!cudaDeviceEnablePeerAccess(1, 0));
	device_host_die();
}

static void what_a_dead_cell_did_on_both_is_taken_back(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(change_all_and_die, NULL), 0);
	assert_int_equal(device_host_worker(check_committed, NULL), 0);
}

/* Device 0 may write what lies on device 1, after its first launch of the cell and a part of what
 * it reaches was saved. */
static void write_to_the_peer_and_die(void *data)
{
	int copy[N];

	(void)data;
	device_host_begin(3);
	use(0);
	launch(shared->on[0]);
	WORKER_NEED(!cudaDeviceSynchronize());
	WORKER_NEED(!cudaDeviceEnablePeerAccess(1, 0));
	WORKER_NEED(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled);
	launch(shared->on[1]);
	WORKER_NEED(!cudaDeviceSynchronize());
	WORKER_NEED(!cudaMemcpy(copy, shared->on[1], sizeof(copy), cudaMemcpyDeviceToHost) &&
		    copy[3] == 8);
	device_host_die();
}

static void what_was_written_to_a_peer_is_taken_back(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(write_to_the_peer_and_die, NULL), 0);
	assert_int_equal(device_host_worker(check_committed, NULL), 0);
}

static void open_to_the_peer(void *data)
{
	(void)data;
	device_host_begin(3);
	use(0);
	WORKER_NEED(!cudaDeviceEnablePeerAccess(1, 0));
	device_host_commit();
}

static void use_the_peer(void *data)
{
	(void)data;
	device_host_begin(4);
	launch(shared->on[1]);
	WORKER_NEED(!cudaDeviceSynchronize());
	WORKER_NEED(!cudaDeviceDisablePeerAccess(1));
	device_host_commit();
}

static void what_is_open_stays_so(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(open_to_the_peer, NULL), 0);
	assert_int_equal(device_host_worker(use_the_peer, NULL), 0);
}

static void reach_for_the_peer(void *data)
{
	struct fault_record fault = { 0 };

	(void)data;
	device_host_begin(3);
	use(0);
	launch(shared->on[1]);
	WORKER_NEED(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
	WORKER_NEED(device_host_end(&fault));
	WORKER_NEED(strstr(fault.text, "which is memory of device 1: this is device 0"));
}

static void memory_of_a_peer_is_closed(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(reach_for_the_peer, NULL), 0);
	assert_int_equal(device_host_worker(check_committed, NULL), 0);
}

static void errors(void *data)
{
	cudaEvent_t event;
	size_t free_bytes, total;
	void *p, *q;
	int can;

	(void)data;
	device_host_begin(3);
	WORKER_NEED(cudaSetDevice(2) == cudaErrorInvalidDevice);
	WORKER_NEED(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorInvalidDevice);
	WORKER_NEED(!cudaDeviceCanAccessPeer(&can, 0, 1) && can &&
		    !cudaDeviceCanAccessPeer(&can, 1, 1) && !can);
	use(0);
	WORKER_NEED(!cudaEventCreate(&event));
	WORKER_NEED(cudaEventRecord(event, shared->stream) == cudaErrorInvalidResourceHandle);
	WORKER_NEED(!cudaStreamWaitEvent(NULL, shared->event, 0) &&
		    !cudaStreamSynchronize(shared->stream));
	/* A launch needs a stream of its device, a copy does not. */
	device_launch(&bump_stub, (dim3){ 1, 1, 1 }, (dim3){ 1, 1, 1 }, shared->stream,
		      (void *[]){ &shared->on[0], &(int){ 1 } });
	WORKER_NEED(cudaGetLastError() == cudaErrorInvalidResourceHandle);
	WORKER_NEED(!cudaMemcpyAsync(shared->on[0], shared->on[1], N, cudaMemcpyDefault,
				     shared->stream));
	WORKER_NEED(!cudaMemcpyPeer(shared->on[1], 1, shared->on[0], 0, N));
	WORKER_NEED(cudaMemcpyPeer(shared->on[1], 2, shared->on[0], 0, N) ==
		    cudaErrorInvalidDevice);
	/* Each has its memory, and the session's limit is for both. */
	WORKER_NEED(!cudaMemGetInfo(&free_bytes, &total) && total == MEMORY);
	WORKER_NEED(!cudaMalloc(&p, MEMORY / 4 * 3));
	WORKER_NEED(cudaMalloc(&q, MEMORY / 2) == cudaErrorMemoryAllocation);
	WORKER_NEED(strstr(device_fault_cause(), "the device 0 has"));
	use(1);
	WORKER_NEED(!cudaMalloc(&q, MEMORY / 2) && !cudaFree(p) && !cudaFree(q));
	device_set_limit(MEMORY);
	WORKER_NEED(!cudaMalloc(&p, MEMORY / 2));
	use(0);
	WORKER_NEED(cudaMalloc(&q, MEMORY / 4 * 3) == cudaErrorMemoryAllocation);
	WORKER_NEED(strstr(device_fault_cause(), "the limit of device memory"));
	cudaGetLastError();
}

static void each_call_has_its_device(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(errors, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, fresh_session)
		TEST(each_device_has_its_own),
		TEST(what_a_dead_cell_did_on_both_is_taken_back),
		TEST(what_was_written_to_a_peer_is_taken_back),
		TEST(what_is_open_stays_so),
		TEST(memory_of_a_peer_is_closed),
		TEST(each_call_has_its_device),
	};

	setenv("CGPU_EMULATED_DEVICES", "2", 1);
	setenv("CGPU_EMULATED_MEMORY", "64M", 1);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
