/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime API as a cell sees it, over the emulated driver: results, last error, cap and ledger,
 * warnings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cuda_runtime_api.h>

#include "common/base/record.h"
#include "runtime/cuda/cudart/cudart.h"
#include "runtime/cuda/exports/cudart-unsupported.h"
#include "runtime/cuda/memory/vmm-pool.h"
#include "runtime/cuda/reports/device-fault.h"
#include "tests/unit/runtime/device-host.h"
#include "tests/unit/runtime/device-launch.h"

#include "common/launch-glue.h"

#define MIB (1024u * 1024)
#define LIMIT (64u * MIB)

static uint32_t cell;

static int begin(void **state)
{
	(void)state;
	device_host_begin(++cell);
	return 0;
}

/* Each test ends as a good cell; what it leaves is freed for the next one. */
static int end(void **state)
{
	struct fault_record fault = { 0 };

	(void)state;
	cudaDeviceReset();
	cudaGetLastError();
	return device_host_end(&fault);
}

static void copies_go_where_they_should(void **state)
{
	char in[1000], out[1000];
	void *d;

	(void)state;
	memset(in, 3, sizeof(in));
	assert_int_equal(cudaMalloc(&d, sizeof(in)), cudaSuccess);
	assert_int_equal((uintptr_t)d % 256, 0);
	assert_int_equal(cudaMemcpy(d, in, sizeof(in), cudaMemcpyHostToDevice), cudaSuccess);
	assert_int_equal(cudaMemset((char *)d + 10, 9, 5), cudaSuccess);
	memset(in + 10, 9, 5);
	assert_int_equal(cudaMemcpy(out, d, sizeof(in), cudaMemcpyDefault), cudaSuccess);
	assert_memory_equal(in, out, sizeof(in));
	assert_int_equal(cudaMemcpy(out, d, 5, 7), cudaErrorInvalidMemcpyDirection);
	assert_int_equal(cudaMemcpy(out, d, 5, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	assert_int_equal(cudaMemcpy(d, in, sizeof(in) + 1, cudaMemcpyHostToDevice),
			 cudaErrorInvalidValue);
	assert_int_equal(cudaMemcpy(d, NULL, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	assert_int_equal(cudaMemset(in, 0, 4), cudaErrorInvalidValue);
	assert_int_equal(cudaMemcpy2D(out, 10, d, 100, 10, 5, cudaMemcpyDeviceToHost), cudaSuccess);
	assert_memory_equal(out + 10, in + 100, 10);
	assert_int_equal(cudaMemcpy2D(out, 5, d, 100, 10, 5, cudaMemcpyDeviceToHost),
			 cudaErrorInvalidPitchValue);
}

static void frees_are_checked(void **state)
{
	void *d, *h;

	(void)state;
	assert_int_equal(cudaMalloc(&d, 100), cudaSuccess);
	assert_int_equal(cudaFree((char *)d + 1), cudaErrorInvalidValue);
	assert_int_equal(cudaFreeHost(d), cudaErrorInvalidValue);
	assert_int_equal(cudaFree(d), cudaSuccess);
	assert_int_equal(cudaFree(d), cudaErrorInvalidValue);
	assert_int_equal(cudaFree(NULL), cudaSuccess);
	assert_int_equal(cudaMalloc(&d, 0), cudaSuccess);
	assert_null(d);
	assert_int_equal(cudaMallocHost(&h, 100), cudaSuccess);
	assert_int_equal(cudaFree(h), cudaErrorInvalidValue);
	assert_int_equal(cudaFreeHost(h), cudaSuccess);
	assert_int_equal(cudaMallocManaged(&h, 100, cudaMemAttachGlobal), cudaSuccess);
	memset(h, 1, 100);
	assert_int_equal(cudaMemset(h, 2, 50), cudaSuccess);
	assert_int_equal(((char *)h)[49], 2);
	assert_int_equal(((char *)h)[50], 1);
	assert_int_equal(cudaFree(h), cudaSuccess);
}

static void last_error_is_kept_until_asked(void **state)
{
	void *d;

	(void)state;
	assert_int_equal(cudaGetLastError(), cudaSuccess);
	assert_int_equal(cudaFree((void *)8), cudaErrorInvalidValue);
	assert_int_equal(cudaMalloc(&d, 4), cudaSuccess);
	assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidValue);
	assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
	assert_int_equal(cudaGetLastError(), cudaSuccess);
	assert_string_equal(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
	assert_string_equal(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
}

static void unchecked_errors_are_warnings_with_their_line(void **state)
{
	struct fault_record fault = { 0 };

	(void)state;
	device_host_line = 12;
	cudaFree((void *)8);
	device_host_line = 14;
	cudaSetDevice(3);
	assert_int_equal(device_host_end(&fault), 0);
	assert_non_null(
		strstr(device_host_warnings(),
		       "cudaFree returned cudaErrorInvalidValue (invalid argument) in line 12"));
	assert_non_null(
		strstr(device_host_warnings(), "cudaSetDevice returned cudaErrorInvalidDevice"));
	device_host_begin(++cell);
	assert_int_equal(cudaGetLastError(), cudaSuccess);
	cudaSetDevice(3);
	assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
	assert_int_equal(device_host_end(&fault), 0);
	assert_string_equal(device_host_warnings(), "");
	device_host_begin(++cell);
}

static void the_cap_says_who_holds_what(void **state)
{
	struct fault_record fault = { 0 };
	void *d, *e;

	(void)state;
	cgpu_note("&d_big", 3);
	assert_int_equal(cudaMalloc(&d, 40 * MIB), cudaSuccess);
	cgpu_note("(void **)&d_more", 4);
	assert_int_equal(cudaMalloc(&e, 40 * MIB), cudaErrorMemoryAllocation);
	assert_null(e);
	assert_int_equal(device_host_end(&fault), -1);
	assert_int_equal(fault.kind, FAULT_CUDA_OUT_OF_MEMORY);
	assert_string_equal(fault.ename, "CudaOutOfMemory");
	assert_non_null(
		strstr(fault.text, "cudaMalloc of 40.0 MiB for `d_more` in line 4 was refused"));
	assert_non_null(strstr(fault.text, "is 64.0 MiB, of which 40.0 MiB are used"));
	assert_non_null(strstr(fault.text, "d_big"));
	assert_string_equal(device_fault_cause(), fault.text);
	/* A program that looks at the error goes on. */
	assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation);
	assert_int_equal(device_host_end(&fault), 0);
	device_host_begin(++cell);
	assert_string_equal(device_fault_cause(), "");
	assert_int_equal(cudaFree(d), cudaSuccess);
	assert_int_equal(cudaMalloc(&e, LIMIT), cudaSuccess);
	assert_int_equal(cudaMalloc(&e, 1), cudaErrorMemoryAllocation);
	cudaGetLastError();
}

static void memory_info_is_the_capped_view(void **state)
{
	size_t free_bytes, total;
	void *d;

	(void)state;
	assert_int_equal(cudaMalloc(&d, 10 * MIB), cudaSuccess);
	assert_int_equal(cudaMemGetInfo(&free_bytes, &total), cudaSuccess);
	assert_int_equal(total, LIMIT);
	assert_int_equal(free_bytes, LIMIT - 10 * MIB);
}

/* Free every other one: the sum of the holes must be there for one request. */
static void fragmentation_refuses_nothing(size_t size)
{
	void *d[32], *whole;
	size_t n = LIMIT / size;

	if (n > 32)
		n = 32;
	for (size_t i = 0; i < n; i++)
		assert_int_equal(cudaMalloc(&d[i], size), cudaSuccess);
	for (size_t i = 0; i < n; i += 2)
		assert_int_equal(cudaFree(d[i]), cudaSuccess);
	assert_int_equal(cudaMalloc(&whole, n / 2 * size), cudaSuccess);
	assert_int_equal(cudaMemset(whole, 1, n / 2 * size), cudaSuccess);
	for (size_t i = 1; i < n; i += 2)
		assert_int_equal(cudaFree(d[i]), cudaSuccess);
	assert_int_equal(cudaFree(whole), cudaSuccess);
}

static void holes_of_all_sizes_can_be_used(void **state)
{
	(void)state;
	fragmentation_refuses_nothing(1000);
	fragmentation_refuses_nothing(300 * 1024);
	fragmentation_refuses_nothing(2 * MIB);
	fragmentation_refuses_nothing(5 * MIB + 4);
}

static void buffers_never_touch(void **state)
{
	uintptr_t low[300], high[300];
	void *d;

	(void)state;
	for (int i = 0; i < 300; i++) {
		size_t size = i % 7 ? (size_t)(i * 37 + 1) : 600 * 1024u;

		assert_int_equal(cudaMalloc(&d, size), cudaSuccess);
		low[i] = (uintptr_t)d;
		high[i] = low[i] + size;
		if (i > 100 && i % 3 == 2) {
			assert_int_equal(cudaFree((void *)low[i - 1]), cudaSuccess);
			low[i - 1] = high[i - 1] = 0;
		}
	}
	for (int i = 0; i < 300; i++)
		for (int j = 0; j < 300; j++)
			if (i != j && low[i] && low[j])
				assert_true(high[i] + VMM_POOL_RED_ZONE <= low[j] ||
					    high[j] + VMM_POOL_RED_ZONE <= low[i]);
}

static void a_loop_of_malloc_and_free_needs_one_buffer(void **state)
{
	size_t before = keeper.n_chunks;
	void *d;

	(void)state;
	for (int i = 0; i < 50; i++) {
		assert_int_equal(cudaMalloc(&d, 30 * MIB), cudaSuccess);
		assert_int_equal(cudaMemset(d, i, 30 * MIB), cudaSuccess);
		assert_int_equal(cudaFree(d), cudaSuccess);
	}
	assert_true(keeper.n_chunks <= before + 1);
}

static void streams_and_events(void **state)
{
	cudaStream_t stream, wild = (cudaStream_t)0x1234;
	cudaEvent_t first, second;
	float ms = -1;
	char byte = 5;
	void *d;

	(void)state;
	assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
	assert_int_equal(cudaEventCreate(&first), cudaSuccess);
	assert_int_equal(cudaEventCreate(&second), cudaSuccess);
	assert_int_equal(cudaMalloc(&d, 1), cudaSuccess);
	assert_int_equal(cudaEventElapsedTime(&ms, first, second), cudaErrorInvalidResourceHandle);
	assert_int_equal(cudaEventRecord(first, stream), cudaSuccess);
	assert_int_equal(cudaMemcpyAsync(d, &byte, 1, cudaMemcpyHostToDevice, stream), cudaSuccess);
	assert_int_equal(cudaEventRecord(second, stream), cudaSuccess);
	assert_int_equal(cudaStreamWaitEvent(stream, second, 0), cudaSuccess);
	assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
	assert_int_equal(cudaStreamQuery(NULL), cudaSuccess);
	assert_int_equal(cudaEventElapsedTime(&ms, first, second), cudaSuccess);
	assert_true(ms >= 0);
	assert_int_equal(cudaMemcpyAsync(d, &byte, 1, cudaMemcpyHostToDevice, wild),
			 cudaErrorInvalidResourceHandle);
	assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
	assert_int_equal(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
	assert_int_equal(cudaEventDestroy(first), cudaSuccess);
	assert_int_equal(cudaEventQuery(first), cudaErrorInvalidResourceHandle);
}

static void device_has_properties(void **state)
{
	struct cudaDeviceProp p;
	int n;

	(void)state;
	assert_int_equal(cudaGetDeviceCount(&n), cudaSuccess);
	assert_int_equal(n, 1);
	assert_int_equal(cudaGetDeviceProperties(&p, 0), cudaSuccess);
	assert_int_equal(p.major, 7);
	assert_int_equal(p.warpSize, 32);
	assert_int_equal(p.maxThreadsDim[2], 64);
	assert_string_equal(p.name, "cgpu emulated device");
	assert_int_equal(cudaGetDeviceProperties(&p, 1), cudaErrorInvalidDevice);
	assert_int_equal(cudaSetDevice(0), cudaSuccess);
}

static void addresses_are_explained(void **state)
{
	struct address_description what;
	void *d;

	(void)state;
	cgpu_note("&d_x", 1);
	assert_int_equal(cudaMalloc(&d, 100), cudaSuccess);
	assert_true(device_describe((uintptr_t)d + 99, &what));
	assert_int_equal(what.owner, OWNER_DEVICE);
	assert_int_equal(what.base, (uintptr_t)d);
	assert_int_equal(what.size, 100);
	assert_string_equal(what.name, "d_x");
	assert_int_equal(cudaFree(d), cudaSuccess);
	assert_true(device_describe((uintptr_t)d, &what));
	assert_int_equal(what.owner, OWNER_DEVICE_FREED);
	assert_int_equal(what.freed_cell, cell);
	assert_false(device_describe((uintptr_t)&what, &what));
}

static void the_report_lists_live_buffers(void **state)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct record r;
	void *d, *e;

	(void)state;
	cgpu_note("&d_kept", 1);
	assert_int_equal(cudaMalloc(&d, 1000), cudaSuccess);
	assert_int_equal(cudaMalloc(&e, 1000), cudaSuccess);
	assert_int_equal(cudaFree(e), cudaSuccess);
	device_report(&b);
	r = record_open(b.data, b.len);
	assert_string_equal(record_str(&r), "cgpu emulated device");
	record_u64(&r);
	assert_int_equal(record_u64(&r), 1024);
	assert_int_equal(record_u64(&r), LIMIT);
	assert_int_equal(record_u64(&r), LIMIT - 1024);
	assert_int_equal(record_u32(&r), 1);
	assert_int_equal(record_u64(&r), (uintptr_t)d);
	assert_int_equal(record_u64(&r), 1000);
	assert_int_equal(record_u32(&r), cell);
	assert_string_equal(record_str(&r), "d_kept");
	assert_string_equal(record_str(&r), "cudaMalloc");
	assert_int_equal(record_u32(&r), 0);
	assert_int_equal(record_u32(&r), 1);
	assert_string_equal(record_str(&r), "cgpu emulated device");
	assert_string_equal(record_str(&r), "0000:00:00.0");
	record_u64(&r);
	assert_int_equal(record_u64(&r), 1024);
	assert_string_equal(record_str(&r), "");
	assert_int_equal(record_check(&r, "report", NULL), 0);
}

static void launches_without_an_entry_are_errors(void **state)
{
	dim3 one = { 1, 1, 1 };
	static char nobody;
	cudaStream_t stream;
	size_t shared;

	(void)state;
	device_launch(&nobody, one, one, NULL, NULL);
	assert_int_equal(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
	/* The stub was called without a configuration. */
	assert_int_equal(__cudaPopCallConfiguration(&one, &one, &shared, &stream),
			 cudaErrorMissingConfiguration);
	assert_int_equal(cudaLaunchKernel(&nobody, one, one, NULL, shared, stream),
			 cudaErrorMissingConfiguration);
	assert_int_equal(cudaGetLastError(), cudaErrorMissingConfiguration);
}

static void every_row_is_found_by_name(void **state)
{
	(void)state;
	assert_ptr_equal(device_symbol("cudaMalloc"), (void *)cudaMalloc);
	assert_ptr_equal(device_symbol("cudaLaunchKernel"), (void *)cudaLaunchKernel);
	assert_null(device_symbol("cudaNoSuchCall"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

/* What public programs call is there, but for what one process with one device and no screen cannot
 * have. */
static void what_programs_use_is_there(void **state)
{
	static const char *const names[] = {
#define USED(name) #name,
#include "tests/unit/runtime/cudart-used.def"
#undef USED
	};
	static const char *const refused[] = { "cudaGraphics", "cudaIpc", "cudaMemPoolExport",
					       "cudaMemPoolImport" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		bool is_refused = false;

		for (size_t k = 0; k < sizeof(refused) / sizeof(refused[0]); k++)
			is_refused |= !strncmp(names[i], refused[k], strlen(refused[k]));
		/* Templates of the headers. */
		if (!strcmp(names[i], "cudaOccupancyMaxPotentialBlockSize"))
			continue;
		if (!device_symbol(names[i]) || !cudart_unsupported(names[i]) != !is_refused)
			fail_msg("%s is not answered as it should be", names[i]);
	}
	assert_non_null(device_symbol("cudaLaunchKernel_ptsz"));
	assert_ptr_equal(device_symbol("cudaMemcpy_ptds"), device_symbol("cudaMemcpy"));
	assert_null(device_symbol("cudaNothing_ptds"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(copies_go_where_they_should),
		TEST(frees_are_checked),
		TEST(last_error_is_kept_until_asked),
		TEST(unchecked_errors_are_warnings_with_their_line),
		TEST(the_cap_says_who_holds_what),
		TEST(memory_info_is_the_capped_view),
		TEST(holes_of_all_sizes_can_be_used),
		TEST(buffers_never_touch),
		TEST(a_loop_of_malloc_and_free_needs_one_buffer),
		TEST(streams_and_events),
		TEST(device_has_properties),
		TEST(addresses_are_explained),
		TEST(the_report_lists_live_buffers),
		TEST(launches_without_an_entry_are_errors),
		TEST(every_row_is_found_by_name),
		TEST(what_programs_use_is_there),
	};

	setenv("CGPU_EMULATED_MEMORY", "256M", 1);
	device_host_init();
	device_host_start(LIMIT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
