/* SPDX-License-Identifier: Apache-2.0 */
/* Workers that die by SIGKILL, and what the next one finds: committed buffers, addresses and
 * handles, nothing else. */
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

#include "tests/unit/runtime/device-host.h"

#define SMALL 1000
#define LARGE (3u * 1024 * 1024 + 5)

/* Seen by all workers: what a notebook's variables would hold. */
struct shared {
	char *small, *large, *pinned;
	cudaStream_t stream;
	cudaEvent_t event;
};

static struct shared *shared;

static void fill(char *p, size_t size, int value)
{
	WORKER_NEED(!cudaMemset(p, value, size));
}

static void need_content(const char *p, size_t size, int value)
{
	char *copy = malloc(size);

	WORKER_NEED(copy && !cudaMemcpy(copy, p, size, cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < size; i++)
		WORKER_NEED(copy[i] == value);
	free(copy);
}

static void make_buffers(void *data)
{
	(void)data;
	device_host_begin(1);
	WORKER_NEED(!cudaMalloc((void **)&shared->small, SMALL) &&
		    !cudaMalloc((void **)&shared->large, LARGE));
	WORKER_NEED(!cudaMallocHost((void **)&shared->pinned, 5000));
	WORKER_NEED(!cudaStreamCreate(&shared->stream) && !cudaEventCreate(&shared->event));
	fill(shared->small, SMALL, 1);
	fill(shared->large, LARGE, 2);
	memset(shared->pinned, 3, 5000);
	device_host_commit();
}

static void check_buffers(void *data)
{
	void *device_pointer;

	(void)data;
	device_host_begin(5);
	need_content(shared->small, SMALL, 1);
	need_content(shared->large, LARGE, 2);
	WORKER_NEED(!cudaHostGetDevicePointer(&device_pointer, shared->pinned, 0) &&
		    shared->pinned[4999] == 3);
	WORKER_NEED(!cudaEventRecord(shared->event, shared->stream) &&
		    !cudaStreamSynchronize(shared->stream));
	WORKER_NEED(cudaFree(shared->small + 1) == cudaErrorInvalidValue);
	cudaGetLastError();
	device_host_commit();
}

static int fresh_session(void **state)
{
	(void)state;
	device_host_init();
	return device_host_worker(make_buffers, NULL);
}

static void buffers_outlive_the_worker(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(check_buffers, NULL), 0);
	assert_int_equal(device_host_worker(check_buffers, NULL), 0);
}

static void overwrite_and_die(void *data)
{
	(void)data;
	device_host_begin(2);
	fill(shared->small + 10, 100, 77);
	fill(shared->large, LARGE, 78);
	memset(shared->pinned, 79, 5000);
	device_host_die();
}

static void what_a_dead_cell_wrote_is_taken_back(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(overwrite_and_die, NULL), 0);
	assert_int_equal(device_host_worker(check_buffers, NULL), 0);
}

/* The worker that restores dies too, before it has committed anything. */
static void only_attach(void *data)
{
	(void)data;
}

static void restoring_may_fail_and_be_done_again(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(overwrite_and_die, NULL), 0);
	assert_int_equal(device_host_worker(only_attach, NULL), 0);
	assert_int_equal(device_host_worker(check_buffers, NULL), 0);
}

static void free_and_reuse_and_die(void *data)
{
	char *p;

	(void)data;
	device_host_begin(2);
	WORKER_NEED(!cudaFree(shared->small) && !cudaFree(shared->large));
	WORKER_NEED(!cudaStreamDestroy(shared->stream) && !cudaEventDestroy(shared->event));
	for (int i = 0; i < 40; i++) {
		WORKER_NEED(!cudaMalloc((void **)&p, i % 2 ? SMALL : LARGE));
		fill(p, i % 2 ? SMALL : LARGE, 80 + i);
	}
	device_host_die();
}

static void what_a_dead_cell_freed_is_back(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(free_and_reuse_and_die, NULL), 0);
	assert_int_equal(device_host_worker(check_buffers, NULL), 0);
}

static void overwrite_and_commit(void *data)
{
	char *p;

	(void)data;
	device_host_begin(3);
	fill(shared->small, SMALL, 5);
	WORKER_NEED(!cudaFree(shared->large) && !cudaMalloc((void **)&p, 100));
	device_host_commit();
	/* A second cell of the same worker dies. */
	device_host_begin(4);
	fill(shared->small, SMALL, 6);
	device_host_die();
}

static void check_overwritten(void *data)
{
	char byte;

	(void)data;
	device_host_begin(6);
	need_content(shared->small, SMALL, 5);
	WORKER_NEED(cudaMemcpy(&byte, shared->large, 1, cudaMemcpyDeviceToHost) ==
		    cudaErrorInvalidValue);
	cudaGetLastError();
	device_host_commit();
}

static void what_was_committed_stays(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(overwrite_and_commit, NULL), 0);
	assert_int_equal(device_host_worker(check_overwritten, NULL), 0);
	assert_int_equal(keeper.n_chunks, 1);
}

#define TEST(f) cmocka_unit_test_setup(f, fresh_session)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(buffers_outlive_the_worker),
		TEST(what_a_dead_cell_wrote_is_taken_back),
		TEST(restoring_may_fail_and_be_done_again),
		TEST(what_a_dead_cell_freed_is_back),
		TEST(what_was_committed_stays),
	};

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
