/* SPDX-License-Identifier: Apache-2.0 */
/* The emulated driver API on a healthy device: what a CUDA program that uses the driver would see.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "common/memory/address-map.h"
#include "tests/unit/emulator.h"

#define CHUNK (2u * 1024 * 1024)

static const CUmemAllocationProp device_memory = {
	.type = CU_MEM_ALLOCATION_TYPE_PINNED,
	.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
	.location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 },
};
static const CUmemAccessDesc read_write = {
	.location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 },
	.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
};

/* Nothing may have touched the driver before this. */
static void nothing_works_before_init(void **state)
{
	CUdeviceptr p;
	int n;

	(void)state;
	assert_int_equal(EMU(cuDeviceGetCount)(&n), CUDA_ERROR_NOT_INITIALIZED);
	assert_int_equal(EMU(cuMemAlloc)(&p, 1), CUDA_ERROR_NOT_INITIALIZED);
	assert_int_equal(EMU(cuInit)(1), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuInit)(0), CUDA_SUCCESS);
	assert_int_equal(EMU(cuMemAlloc)(&p, 1), CUDA_ERROR_INVALID_CONTEXT);
}

static void device_describes_itself(void **state)
{
	char name[64];
	size_t total;
	int value;

	(void)state;
	assert_int_equal(EMU(cuDeviceGetCount)(&value), 0);
	assert_int_equal(value, 1);
	assert_int_equal(EMU(cuDeviceGetName)(name, sizeof(name), 0), 0);
	assert_string_equal(name, "cgpu emulated device");
	assert_int_equal(
		EMU(cuDeviceGetAttribute)(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0),
		0);
	assert_int_equal(value, 7);
	assert_int_equal(EMU(cuDeviceGetAttribute)(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0), 0);
	assert_int_equal(value, 32);
	assert_int_equal(EMU(cuDeviceGetAttribute)(&value, 0, 0), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuDeviceTotalMem)(&total, 0), 0);
	assert_int_equal(total, 64u * 1024 * 1024);
	assert_int_equal(EMU(cuDeviceTotalMem)(&total, 1), CUDA_ERROR_INVALID_DEVICE);
	assert_int_equal(EMU(cuDriverGetVersion)(&value), 0);
	assert_int_equal(value, 13000);
}

static void contexts_nest(void **state)
{
	CUcontext primary, second, current;
	size_t limit;

	(void)state;
	assert_int_equal(EMU(cuDevicePrimaryCtxRetain)(&primary, 0), 0);
	assert_int_equal(EMU(cuCtxSetCurrent)(primary), 0);
	assert_int_equal(EMU(cuCtxCreate)(&second, NULL, 0, 0), 0);
	assert_int_equal(EMU(cuCtxGetCurrent)(&current), 0);
	assert_ptr_equal(current, second);
	assert_int_equal(EMU(cuCtxDestroy)(second), 0);
	assert_int_equal(EMU(cuCtxGetCurrent)(&current), 0);
	assert_ptr_equal(current, primary);
	assert_int_equal(EMU(cuCtxPushCurrent)(second), CUDA_ERROR_INVALID_CONTEXT);
	assert_int_equal(EMU(cuCtxSetLimit)(CU_LIMIT_STACK_SIZE, 4096), 0);
	assert_int_equal(EMU(cuCtxGetLimit)(&limit, CU_LIMIT_STACK_SIZE), 0);
	assert_int_equal(limit, 4096);
	assert_int_equal(EMU(cuCtxSetLimit)(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 5000), 0);
	assert_int_equal(EMU(cuCtxGetLimit)(&limit, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT), 0);
	assert_int_equal(limit, 5000);
	assert_int_equal(EMU(cuCtxGetLimit)(&limit, CU_LIMIT_MAX), CUDA_ERROR_UNSUPPORTED_LIMIT);
}

static void every_row_can_be_looked_up(void **state)
{
	static const char *const names[] = {
#define DRIVER_API(name) #name,
#include "emulator/driver/api/driver-api.def"
#undef DRIVER_API
	};
	void *p;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(EMU(cuGetProcAddress)(names[i], &p, 13000, 0, NULL), 0);
		assert_non_null(p);
	}
	assert_int_equal(EMU(cuGetProcAddress)("cuNoSuchCall", &p, 13000, 0, NULL),
			 CUDA_ERROR_NOT_FOUND);
	EMU(cuGetProcAddress)("cuMemAlloc", &p, 13000, 0, NULL);
	assert_ptr_equal(p, EMU(cuMemAlloc));
}

/* Returns how many pages of device memory the host has. */
static size_t pages_of(CUdeviceptr p, size_t size)
{
	static unsigned char present[4096];
	size_t n = 0;

	assert_true(size / 4096 <= sizeof(present));
	assert_int_equal(mincore((void *)(uintptr_t)(p + DEVICE_ALIAS_OFFSET), size, present), 0);
	for (size_t i = 0; i < size / 4096; i++)
		n += present[i] & 1;
	return n;
}

/* The parts of a large buffer that nobody has written stay without memory, and what lay in their
 * place is zero. */
static void copies_leave_out_what_was_never_written(void **state)
{
	enum { SIZE = 8 << 20, FROM = 100, TO = 5000, N = SIZE - 8192 };
	char *out = calloc(1, SIZE), *expected = calloc(1, SIZE);
	CUdeviceptr p, q;

	(void)state;
	assert_int_equal(EMU(cuMemAlloc)(&p, SIZE), 0);
	assert_int_equal(EMU(cuMemAlloc)(&q, SIZE), 0);
	assert_int_equal(EMU(cuMemsetD8)(p + (1 << 20) + 5, 3, 10000), 0);
	assert_int_equal(EMU(cuMemsetD8)(p + (4 << 20), 4, 1), 0);
	assert_int_equal(EMU(cuMemsetD8)(q, 9, SIZE), 0);
	assert_int_equal(pages_of(q, SIZE), SIZE / 4096);
	assert_int_equal(EMU(cuMemcpyDtoD)(q + TO, p + FROM, N), 0);
	assert_in_range(pages_of(p, SIZE), 1, 8);
	assert_in_range(pages_of(q, SIZE), 1, 16);
	memset(expected, 9, TO);
	memset(expected + TO + N, 9, SIZE - TO - N);
	memset(expected + (1 << 20) + 5 - FROM + TO, 3, 10000);
	expected[(4 << 20) - FROM + TO] = 4;
	assert_int_equal(EMU(cuMemcpyDtoH)(out, q, SIZE), 0);
	assert_memory_equal(out, expected, SIZE);
	memset(out, 9, SIZE);
	assert_int_equal(EMU(cuMemcpyDtoH)(out + 1, q + 1, SIZE - 1), 0);
	assert_memory_equal(out + 1, expected + 1, SIZE - 1);
	assert_in_range(pages_of(q, SIZE), 1, 16);
	/* Within one buffer, over itself. */
	assert_int_equal(EMU(cuMemcpyDtoD)(q + 4096, q, SIZE - 4096), 0);
	assert_int_equal(EMU(cuMemcpyDtoH)(out, q, SIZE), 0);
	assert_memory_equal(out + 4096, expected, SIZE - 4096);
	assert_int_equal(EMU(cuMemFree)(p), 0);
	assert_int_equal(EMU(cuMemFree)(q), 0);
	free(out);
	free(expected);
}

static void copies_and_fills(void **state)
{
	char out[300], in[300];
	CUdeviceptr p, q;
	size_t pitch;

	(void)state;
	memset(in, 7, sizeof(in));
	assert_int_equal(EMU(cuMemAlloc)(&p, 300), 0);
	assert_int_equal(EMU(cuMemAlloc)(&q, 300), 0);
	assert_int_equal(p % 256, 0);
	assert_int_equal(EMU(cuMemcpyHtoD)(p, in, 300), 0);
	assert_int_equal(EMU(cuMemcpyHtoD)(p, in, 301), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuMemsetD16)(p + 2, 0x1234, 1), 0);
	assert_int_equal(EMU(cuMemsetD32)(p + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuMemcpyDtoD)(q, p, 300), 0);
	assert_int_equal(EMU(cuMemcpyDtoH)(out, q, 300), 0);
	in[2] = 0x34;
	in[3] = 0x12;
	assert_memory_equal(in, out, 300);
	assert_int_equal(EMU(cuMemAllocPitch)(&p, &pitch, 10, 3, 4), 0);
	assert_int_equal(pitch, 512);
	assert_int_equal(EMU(cuMemsetD2D8)(p, pitch, 1, 10, 3), 0);
	CUDA_MEMCPY2D c = { .srcMemoryType = CU_MEMORYTYPE_DEVICE,
			    .srcDevice = p,
			    .srcPitch = pitch,
			    .dstMemoryType = CU_MEMORYTYPE_HOST,
			    .dstHost = out,
			    .dstPitch = 10,
			    .WidthInBytes = 10,
			    .Height = 3 };
	assert_int_equal(EMU(cuMemcpy2D)(&c), 0);
	for (int i = 0; i < 30; i++)
		assert_int_equal(out[i], 1);
	assert_int_equal(EMU(cuMemFree)(p), 0);
	assert_int_equal(EMU(cuMemFree)(p), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuMemcpyHtoD)(p, in, 1), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuMemFree)(q), 0);
	assert_int_equal(EMU(cuMemFree)(q + 1), CUDA_ERROR_INVALID_VALUE);
}

static CUdeviceptr window;

static void touch_device_memory(void)
{
	*(volatile int *)(uintptr_t)window = 1;
}

static void vmm_memory_travels_as_a_descriptor(void **state)
{
	CUmemGenericAllocationHandle handle, imported;
	CUmemAllocationProp prop;
	CUdeviceptr other;
	int fd, value = 42, status;

	(void)state;
	assert_int_equal(EMU(cuMemAddressReserve)(&window, 4 * CHUNK, 0, 0x300010000000ull, 0), 0);
	assert_int_equal(window, 0x300010000000ull);
	assert_int_equal(EMU(cuMemAddressReserve)(&other, CHUNK, 0, 0x300010000000ull, 0), 0);
	assert_int_not_equal(other, window);
	assert_int_equal(EMU(cuMemCreate)(&handle, 100, &device_memory, 0),
			 CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuMemCreate)(&handle, CHUNK, &device_memory, 0), 0);
	assert_int_equal(EMU(cuMemMap)(window, CHUNK, 0, handle, 0), 0);
	assert_int_equal(EMU(cuMemMap)(window, CHUNK, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuMemcpyHtoD)(window, &value, 4), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuMemSetAccess)(window, CHUNK, &read_write, 1), 0);
	assert_int_equal(EMU(cuMemcpyHtoD)(window, &value, 4), 0);
	status = emulator_in_child(touch_device_memory);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
	assert_int_equal(EMU(cuMemExportToShareableHandle)(
				 &fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
			 0);
	assert_int_equal(EMU(cuMemRelease)(handle), 0);
	assert_int_equal(
		EMU(cuMemRetainAllocationHandle)(&imported, (void *)(uintptr_t)(window + 8)), 0);
	assert_int_equal(imported, handle);
	assert_int_equal(EMU(cuMemGetAllocationPropertiesFromHandle)(&prop, imported), 0);
	assert_int_equal(prop.location.type, CU_MEM_LOCATION_TYPE_DEVICE);
	assert_int_equal(EMU(cuMemRelease)(imported), 0);
	assert_int_equal(EMU(cuMemRetainAllocationHandle)(&imported, &value),
			 CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuMemUnmap)(window, CHUNK), 0);
	assert_int_equal(EMU(cuMemcpyDtoH)(&value, window, 4), CUDA_ERROR_INVALID_VALUE);
	value = 0;
	assert_int_equal(
		EMU(cuMemImportFromShareableHandle)(&imported, (void *)(intptr_t)fd,
						    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
		0);
	close(fd);
	assert_int_equal(EMU(cuMemMap)(other, CHUNK, 0, imported, 0), 0);
	assert_int_equal(EMU(cuMemSetAccess)(other, CHUNK, &read_write, 1), 0);
	assert_int_equal(EMU(cuMemcpyDtoH)(&value, other, 4), 0);
	assert_int_equal(value, 42);
	assert_int_equal(EMU(cuMemAddressFree)(other, CHUNK), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuMemUnmap)(other, CHUNK), 0);
	assert_int_equal(EMU(cuMemAddressFree)(other, CHUNK), 0);
	assert_int_equal(EMU(cuMemAddressFree)(window, 4 * CHUNK), 0);
	assert_int_equal(EMU(cuMemRelease)(imported), 0);
}

static void memory_is_counted(void **state)
{
	CUmemGenericAllocationHandle handle, second;
	size_t free_before, free_bytes, total;

	(void)state;
	assert_int_equal(EMU(cuMemGetInfo)(&free_before, &total), 0);
	assert_int_equal(free_before, total);
	assert_int_equal(EMU(cuMemCreate)(&handle, total - CHUNK, &device_memory, 0), 0);
	assert_int_equal(EMU(cuMemCreate)(&second, 2 * CHUNK, &device_memory, 0),
			 CUDA_ERROR_OUT_OF_MEMORY);
	assert_int_equal(EMU(cuMemCreate)(&second, CHUNK, &device_memory, 0), 0);
	assert_int_equal(EMU(cuMemGetInfo)(&free_bytes, &total), 0);
	assert_int_equal(free_bytes, 0);
	assert_int_equal(EMU(cuMemRelease)(handle), 0);
	assert_int_equal(EMU(cuMemRelease)(second), 0);
	assert_int_equal(EMU(cuMemGetInfo)(&free_bytes, &total), 0);
	assert_int_equal(free_bytes, free_before);
}

/* Take pieces until the device is full and free every second one; the pieces that are left and
 * their number. */
static unsigned alternate(size_t size, CUdeviceptr *p, unsigned max, unsigned *ret_freed)
{
	unsigned n = 0;

	while (n < max && !EMU(cuMemAlloc)(&p[n], size))
		n++;
	for (unsigned i = 0; i < n; i += 2)
		assert_int_equal(EMU(cuMemFree)(p[i]), 0);
	*ret_freed = (n + 1) / 2;
	return n;
}

static void free_all(CUdeviceptr *p, unsigned n)
{
	for (unsigned i = 1; i < n; i += 2)
		assert_int_equal(EMU(cuMemFree)(p[i]), 0);
}

static void small_pieces_scatter_memory(void **state)
{
	static const size_t sizes[] = { CHUNK / 16, CHUNK / 4, CHUNK / 2 };
	size_t before, free_bytes, total;
	CUdeviceptr p[1024], one;
	unsigned n, freed;

	(void)state;
	assert_int_equal(EMU(cuMemGetInfo)(&before, &total), 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		n = alternate(sizes[i], p, 1024, &freed);
		assert_int_equal(n, total / sizes[i]);
		/* No frame is free, so neither is there room for anything large nor for what is
		 * mapped. */
		assert_int_equal(EMU(cuMemGetInfo)(&free_bytes, &total), 0);
		assert_int_equal(free_bytes, 0);
		assert_int_equal(EMU(cuMemAlloc)(&one, freed * sizes[i] / 2),
				 CUDA_ERROR_OUT_OF_MEMORY);
		/* The holes are for pieces of their size, and give the frames back when both halves
		 * are free. */
		for (unsigned k = 0; k < freed; k++)
			assert_int_equal(EMU(cuMemAlloc)(&p[k * 2], sizes[i]), 0);
		for (unsigned k = 0; k < n; k += 2)
			assert_int_equal(EMU(cuMemFree)(p[k]), 0);
		free_all(p, n);
		assert_int_equal(EMU(cuMemGetInfo)(&free_bytes, &total), 0);
		assert_int_equal(free_bytes, before);
	}
}

static void large_pieces_scatter_nothing(void **state)
{
	CUdeviceptr p[64], one;
	size_t free_bytes, total;
	unsigned n, freed;

	(void)state;
	for (size_t size = CHUNK; size <= 3 * CHUNK; size += CHUNK) {
		n = alternate(size, p, 64, &freed);
		assert_int_equal(EMU(cuMemAlloc)(&one, freed * size), 0);
		assert_int_equal(EMU(cuMemFree)(one), 0);
		free_all(p, n);
	}
	/* What is no whole number of frames takes the rest of its last one. */
	assert_int_equal(EMU(cuMemAlloc)(&one, CHUNK + 1), 0);
	assert_int_equal(EMU(cuMemGetInfo)(&free_bytes, &total), 0);
	assert_int_equal(total - free_bytes, 2 * CHUNK);
	assert_int_equal(EMU(cuMemFree)(one), 0);
}

static void host_memory_is_registered(void **state)
{
	static char block[8192];
	CUdeviceptr p;
	unsigned type;
	void *pinned;

	(void)state;
	assert_int_equal(EMU(cuMemHostRegister)(block, sizeof(block), 0), 0);
	assert_int_equal(EMU(cuMemHostRegister)(block + 4096, 1, 0),
			 CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
	assert_int_equal(EMU(cuMemHostGetDevicePointer)(&p, block + 5, 0), 0);
	assert_int_equal(p, (uintptr_t)block + 5);
	assert_int_equal(EMU(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p), 0);
	assert_int_equal(type, CU_MEMORYTYPE_HOST);
	assert_int_equal(EMU(cuMemsetD8)(p, 9, 4), 0);
	assert_int_equal(block[8], 9);
	assert_int_equal(EMU(cuMemHostUnregister)(block), 0);
	assert_int_equal(EMU(cuMemHostUnregister)(block), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
	assert_int_equal(EMU(cuMemAllocHost)(&pinned, 100), 0);
	memset(pinned, 1, 100);
	assert_int_equal(EMU(cuMemFreeHost)(pinned), 0);
	assert_int_equal(EMU(cuMemFreeHost)(pinned), CUDA_ERROR_INVALID_VALUE);
}

static void called(void *data)
{
	*(int *)data = 1;
}

static void streams_and_events(void **state)
{
	CUevent start, end;
	CUstream stream;
	float ms = -1;
	int ran = 0;

	(void)state;
	assert_int_equal(EMU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING), 0);
	assert_int_equal(EMU(cuEventCreate)(&start, 0), 0);
	assert_int_equal(EMU(cuEventCreate)(&end, 0), 0);
	assert_int_equal(EMU(cuEventElapsedTime)(&ms, start, end), CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(EMU(cuEventRecord)(start, stream), 0);
	assert_int_equal(EMU(cuLaunchHostFunc)(stream, called, &ran), 0);
	assert_int_equal(EMU(cuEventRecord)(end, stream), 0);
	assert_int_equal(EMU(cuEventSynchronize)(end), 0);
	assert_int_equal(ran, 1);
	assert_int_equal(EMU(cuEventElapsedTime)(&ms, start, end), 0);
	assert_true(ms >= 0 && ms < 60000);
	assert_int_equal(EMU(cuStreamWaitEvent)(stream, end, 0), 0);
	assert_int_equal(EMU(cuStreamQuery)(stream), 0);
	assert_int_equal(EMU(cuEventDestroy)(start), 0);
	assert_int_equal(EMU(cuEventDestroy)(end), 0);
	assert_int_equal(EMU(cuStreamDestroy)(stream), 0);
	assert_int_equal(EMU(cuStreamDestroy)(NULL), CUDA_ERROR_INVALID_HANDLE);
}

/* Each is destroyed twice, and asked for something after that. */
static void what_was_destroyed_is_an_error(void **state)
{
	static const char ptx[] = ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry "
				  "nothing()\n{\nret;\n}\n";
	const CUDA_ARRAY_DESCRIPTOR shape = { .Width = 4,
					      .Format = CU_AD_FORMAT_FLOAT,
					      .NumChannels = 1 };
	const CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				       .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE,
						     .id = 0 } };
	CUDA_ARRAY_DESCRIPTOR read;
	CUgraphExec exec;
	CUmemoryPool pool;
	CUfunction f;
	CUstream stream;
	CUevent event;
	CUmodule module;
	CUarray array;
	CUgraph graph;
	size_t n;

	(void)state;
	assert_int_equal(EMU(cuStreamCreate)(&stream, 0), 0);
	assert_int_equal(EMU(cuStreamDestroy)(stream), 0);
	assert_int_equal(EMU(cuStreamDestroy)(stream), CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(EMU(cuStreamQuery)(stream), CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(EMU(cuEventCreate)(&event, 0), 0);
	assert_int_equal(EMU(cuEventDestroy)(event), 0);
	assert_int_equal(EMU(cuEventDestroy)(event), CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(EMU(cuEventRecord)(event, NULL), CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(EMU(cuModuleLoadData)(&module, ptx), 0);
	assert_int_equal(EMU(cuModuleGetFunction)(&f, module, "nothing"), 0);
	assert_int_equal(EMU(cuModuleUnload)(module), 0);
	assert_int_equal(EMU(cuModuleUnload)(module), CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(EMU(cuLaunchKernel)(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
			 CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(EMU(cuArrayCreate)(&array, &shape), 0);
	assert_int_equal(EMU(cuArrayDestroy)(array), 0);
	assert_int_equal(EMU(cuArrayDestroy)(array), CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(EMU(cuArrayGetDescriptor)(&read, array), CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(EMU(cuMemPoolCreate)(&pool, &props), 0);
	assert_int_equal(EMU(cuMemPoolDestroy)(pool), 0);
	assert_int_not_equal(EMU(cuMemPoolDestroy)(pool), 0);
	assert_int_equal(EMU(cuGraphCreate)(&graph, 0), 0);
	assert_int_equal(EMU(cuGraphInstantiate)(&exec, graph, 0), 0);
	assert_int_equal(EMU(cuGraphDestroy)(graph), 0);
	assert_int_equal(EMU(cuGraphDestroy)(graph), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuGraphGetNodes)(graph, NULL, &n), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuGraphExecDestroy)(exec), 0);
	assert_int_equal(EMU(cuGraphExecDestroy)(exec), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuGraphLaunch)(exec, NULL), CUDA_ERROR_INVALID_VALUE);
}

static void errors_have_names(void **state)
{
	const char *text;

	(void)state;
	assert_int_equal(EMU(cuGetErrorName)(CUDA_ERROR_ILLEGAL_ADDRESS, &text), 0);
	assert_string_equal(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
	assert_int_equal(EMU(cuGetErrorString)(CUDA_ERROR_OUT_OF_MEMORY, &text), 0);
	assert_string_equal(text, "out of memory");
	assert_int_equal(EMU(cuGetErrorName)(12345, &text), CUDA_ERROR_INVALID_VALUE);
}

static void binaries_are_refused(void **state)
{
	CUmodule m;

	(void)state;
	assert_int_equal(EMU(cuModuleLoadData)(&m, "\177ELF"), CUDA_ERROR_NO_BINARY_FOR_GPU);
	assert_int_equal(EMU(cuModuleLoad)(&m, "/nonexistent"), CUDA_ERROR_FILE_NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_works_before_init),
		cmocka_unit_test(device_describes_itself),
		cmocka_unit_test(contexts_nest),
		cmocka_unit_test(memory_is_counted),
		cmocka_unit_test(small_pieces_scatter_memory),
		cmocka_unit_test(large_pieces_scatter_nothing),
		cmocka_unit_test(every_row_can_be_looked_up),
		cmocka_unit_test(copies_leave_out_what_was_never_written),
		cmocka_unit_test(copies_and_fills),
		cmocka_unit_test(vmm_memory_travels_as_a_descriptor),
		cmocka_unit_test(host_memory_is_registered),
		cmocka_unit_test(streams_and_events),
		cmocka_unit_test(what_was_destroyed_is_an_error),
		cmocka_unit_test(errors_have_names),
		cmocka_unit_test(binaries_are_refused),
	};

	setenv("CGPU_EMULATED_MEMORY", "64M", 1);
	emulator_open();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
