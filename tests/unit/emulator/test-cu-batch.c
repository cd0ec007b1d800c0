/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of the emulated driver: copies of ranges and of boxes, prefetches and discards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/emulator.h"

static CUdeviceptr memory; /* of eight ints */
static CUstream stream;

static int setup(void **state)
{
	(void)state;
	return EMU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) ||
	       EMU(cuMemAlloc)(&memory, 32) || EMU(cuMemsetD32)(memory, 0, 8);
}

static int teardown(void **state)
{
	(void)state;
	return EMU(cuMemFree)(memory) || EMU(cuStreamDestroy)(stream);
}

static void ranges_are_copied(void **state)
{
	int host[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, back[8] = { 0 };
	CUdeviceptr to[] = { memory, memory + 16 },
		    from[] = { (uintptr_t)(host + 4), (uintptr_t)host };
	size_t sizes[] = { 16, 16 }, starts[] = { 0, 1 };
	CUmemcpyAttributes how[] = { { .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM },
				     { .srcAccessOrder =
					       CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL } };

	(void)state;
	assert_int_equal(EMU(cuMemcpyBatchAsync)(to, from, sizes, 2, how, starts, 2, stream), 0);
	memset(host, 0, sizeof(host)); /* was read by the second one's wish */
	assert_int_equal(EMU(cuMemcpyDtoH)(back, memory, sizeof(back)), 0);
	assert_int_equal(back[0], 5);
	assert_int_equal(back[7], 4);
	assert_int_equal(EMU(cuMemcpyBatchAsync)(to, from, sizes, 2, how, starts, 2, NULL),
			 CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuMemcpyBatchAsync)(to, from, sizes, 1, how, starts, 2, stream),
			 CUDA_ERROR_INVALID_VALUE);
	starts[0] = 1;
	assert_int_equal(EMU(cuMemcpyBatchAsync)(to, from, sizes, 2, how, starts, 1, stream),
			 CUDA_ERROR_INVALID_VALUE);
	starts[0] = 0;
	how[0].srcAccessOrder = 0;
	assert_int_equal(EMU(cuMemcpyBatchAsync)(to, from, sizes, 2, how, starts, 1, stream),
			 CUDA_ERROR_INVALID_VALUE);
}

/* A box of 2 x 2 from rows of four into an array, and close together out of it. */
static void boxes_are_copied(void **state)
{
	CUDA_ARRAY3D_DESCRIPTOR shape = {
		.Width = 4, .Height = 2, .Format = CU_AD_FORMAT_SIGNED_INT32, .NumChannels = 1
	};
	int host[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, back[4] = { 0 };
	CUDA_MEMCPY3D_BATCH_OP op = { .extent = { 2, 2, 1 },
				      .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM };
	CUDA_ARRAY_MEMORY_REQUIREMENTS needs;
	CUarray array;

	(void)state;
	assert_int_equal(EMU(cuArray3DCreate)(&array, &shape), 0);
	op.src.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
	op.src.op.ptr.ptr = (uintptr_t)(host + 1);
	op.src.op.ptr.rowLength = 4;
	op.dst.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
	op.dst.op.array.array = array;
	op.dst.op.array.offset.x = 2;
	assert_int_equal(EMU(cuMemcpy3DBatchAsync)(1, &op, 0, stream), 0);
	op.src = op.dst;
	op.dst = (CUmemcpy3DOperand){ .type = CU_MEMCPY_OPERAND_TYPE_POINTER,
				      .op.ptr.ptr = (uintptr_t)back };
	assert_int_equal(EMU(cuMemcpy3DBatchAsync)(1, &op, 0, stream), 0);
	assert_int_equal(EMU(cuStreamSynchronize)(stream), 0);
	assert_int_equal(back[0], 2);
	assert_int_equal(back[1], 3);
	assert_int_equal(back[2], 6);
	assert_int_equal(back[3], 7);
	op.dst.op.ptr.rowLength = 1;
	assert_int_equal(EMU(cuMemcpy3DBatchAsync)(1, &op, 0, stream), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuMemcpy3DBatchAsync)(1, &op, 1, stream), CUDA_ERROR_INVALID_VALUE);
	/* It is neither mapped later nor sparse. */
	assert_int_equal(EMU(cuArrayGetMemoryRequirements)(&needs, array, 0),
			 CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuArrayGetSparseProperties)(&(CUDA_ARRAY_SPARSE_PROPERTIES){ 0 },
							 (CUarray)host),
			 CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(EMU(cuArrayDestroy)(array), 0);
}

static void managed_memory_is_prefetched_and_discarded(void **state)
{
	CUmemLocation here = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 };
	size_t size = 64, start = 0;
	CUdeviceptr p;

	(void)state;
	assert_int_equal(EMU(cuMemAllocManaged)(&p, 64, CU_MEM_ATTACH_GLOBAL), 0);
	assert_int_equal(EMU(cuMemPrefetchBatchAsync)(&p, &size, 1, &here, &start, 1, 0, stream),
			 0);
	assert_int_equal(EMU(cuMemDiscardBatchAsync)(&p, &size, 1, 0, stream), 0);
	assert_int_equal(EMU(cuMemDiscardBatchAsync)(&memory, &size, 1, 0, stream),
			 CUDA_ERROR_INVALID_VALUE);
	here.id = 9;
	assert_int_equal(
		EMU(cuMemDiscardAndPrefetchBatchAsync)(&p, &size, 1, &here, &start, 1, 0, stream),
		CUDA_ERROR_INVALID_DEVICE);
	assert_int_equal(EMU(cuMemFree)(p), 0);
}

static void memory_of_graphs_is_counted(void **state)
{
	CUDA_MEM_ALLOC_NODE_PARAMS params = {
		.poolProps = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
			       .location.type = CU_MEM_LOCATION_TYPE_DEVICE },
		.bytesize = 1 << 20
	};
	cuuint64_t used = 1, zero = 0;
	CUgraphNode node;
	CUgraph g;

	(void)state;
	assert_int_equal(EMU(cuGraphCreate)(&g, 0), 0);
	assert_int_equal(EMU(cuGraphAddMemAllocNode)(&node, g, NULL, 0, &params), 0);
	assert_int_equal(
		EMU(cuDeviceGetGraphMemAttribute)(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used), 0);
	assert_int_equal(used, 1 << 20);
	assert_int_equal(EMU(cuGraphDestroy)(g), 0);
	assert_int_equal(
		EMU(cuDeviceGetGraphMemAttribute)(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used), 0);
	assert_int_equal(used, 0);
	assert_int_equal(
		EMU(cuDeviceGetGraphMemAttribute)(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &used),
		0);
	assert_int_equal(used, 1 << 20);
	assert_int_equal(
		EMU(cuDeviceSetGraphMemAttribute)(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &used),
		CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(
		EMU(cuDeviceSetGraphMemAttribute)(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &zero),
		0);
	assert_int_equal(
		EMU(cuDeviceGetGraphMemAttribute)(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &used), 0);
	assert_int_equal(used, 0);
	assert_int_equal(EMU(cuDeviceGraphMemTrim)(0), 0);
	assert_int_equal(EMU(cuDeviceGraphMemTrim)(5), CUDA_ERROR_INVALID_DEVICE);
}

static void what_is_asked_of_the_device_is_answered(void **state)
{
	CUatomicOperation operations[] = { CU_ATOMIC_OPERATION_INTEGER_ADD,
					   CU_ATOMIC_OPERATION_FLOAT_MIN };
	unsigned bits[2];
	size_t width;
	int yes = 1;

	(void)state;
	assert_int_equal(EMU(cuDeviceGetHostAtomicCapabilities)(bits, operations, 2, 0), 0);
	assert_true(bits[0] & CU_ATOMIC_CAPABILITY_SCALAR_64);
	assert_int_equal(bits[1], 0);
	assert_int_equal(EMU(cuDeviceGetHostAtomicCapabilities)(bits, operations, 0, 0),
			 CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuDeviceGetP2PAtomicCapabilities)(bits, operations, 2, 0, 0),
			 CUDA_ERROR_INVALID_DEVICE);
	assert_int_equal(EMU(cuDeviceGetTexture1DLinearMaxWidth)(&width, CU_AD_FORMAT_FLOAT, 4, 0),
			 0);
	assert_int_equal(width, 268435456);
	assert_int_equal(EMU(cuDeviceGetTexture1DLinearMaxWidth)(&width, CU_AD_FORMAT_FLOAT, 3, 0),
			 CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuPointerSetAttribute)(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory),
			 0);
	assert_int_equal(EMU(cuPointerSetAttribute)(&yes, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory),
			 CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuCtxSetFlags)(CU_CTX_SCHED_YIELD), 0);
	assert_int_equal(EMU(cuCtxGetFlags)(bits), 0);
	assert_int_equal(bits[0], CU_CTX_SCHED_YIELD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(ranges_are_copied),
		TEST(boxes_are_copied),
		TEST(managed_memory_is_prefetched_and_discarded),
		TEST(memory_of_graphs_is_counted),
		TEST(what_is_asked_of_the_device_is_answered),
	};

	setenv("CGPU_EMULATED_MEMORY", "64M", 1);
	emulator_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
