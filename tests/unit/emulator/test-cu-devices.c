/* SPDX-License-Identifier: Apache-2.0 */
/* Several emulated devices through the driver API: what each has of its own, and what one sees of
 * another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/emulator.h"

#define DEVICES 3

/* count adds one to the counter of its module; take copies a number from one address to another. */
static const char source[] =
	".version 9.0\n.target sm_75\n.address_size 64\n.global .align 4 .u32 counter = 7;\n"
	".visible .entry count()\n{\n.reg .b32 %r<3>;\nld.global.u32 %r1, [counter];\nadd.u32 %r2, "
	"%r1, 1;\n"
	"st.global.u32 [counter], %r2;\nret;\n}\n"
	".visible .entry take(.param .u64 to, .param .u64 from)\n{\n.reg .b32 %r<2>;\n.reg .b64 "
	"%rd<3>;\n"
	"ld.param.u64 %rd1, [to];\nld.param.u64 %rd2, [from];\nld.global.u32 %r1, "
	"[%rd2];\nst.global.u32 [%rd1], %r1;\n"
	"ret;\n}\n";

static CUcontext context[DEVICES];

static void use(int i)
{
	assert_int_equal(EMU(cuCtxSetCurrent)(context[i]), 0);
}

static void devices_are_told_apart(void **state)
{
	char id[DEVICES][32];
	CUuuid uuid[DEVICES];
	int n, peer, bus;
	CUdevice d;

	(void)state;
	assert_int_equal(EMU(cuDeviceGetCount)(&n), 0);
	assert_int_equal(n, DEVICES);
	assert_int_equal(EMU(cuDeviceGet)(&d, DEVICES), CUDA_ERROR_INVALID_DEVICE);
	for (int i = 0; i < DEVICES; i++) {
		assert_int_equal(EMU(cuDeviceGetPCIBusId)(id[i], sizeof(id[i]), i), 0);
		assert_int_equal(EMU(cuDeviceGetUuid)(&uuid[i], i), 0);
		assert_int_equal(EMU(cuDeviceGetByPCIBusId)(&d, id[i]), 0);
		assert_int_equal(d, i);
		assert_int_equal(EMU(cuDeviceGetAttribute)(&bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, i),
				 0);
		assert_int_equal(bus, i);
		use(i);
		assert_int_equal(EMU(cuCtxGetDevice)(&d), 0);
		assert_int_equal(d, i);
	}
	assert_memory_not_equal(&uuid[0], &uuid[1], sizeof(uuid[0]));
	assert_string_not_equal(id[0], id[1]);
	assert_int_equal(EMU(cuDeviceCanAccessPeer)(&peer, 0, 1), 0);
	assert_int_equal(peer, 1);
	assert_int_equal(EMU(cuDeviceCanAccessPeer)(&peer, 1, 1), 0);
	assert_int_equal(peer, 0);
	assert_int_equal(EMU(cuDeviceCanAccessPeer)(&peer, 0, DEVICES), CUDA_ERROR_INVALID_DEVICE);
	assert_int_equal(
		EMU(cuDeviceGetP2PAttribute)(&peer, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 2),
		0);
	assert_int_equal(peer, 1);
	assert_int_equal(
		EMU(cuDeviceGetP2PAttribute)(&peer, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 2, 2),
		CUDA_ERROR_INVALID_DEVICE);
}

static void each_device_has_its_own_memory(void **state)
{
	size_t free_before, free_after, total;
	CUdeviceptr p, q;
	int owner;

	(void)state;
	use(2);
	assert_int_equal(EMU(cuMemGetInfo)(&free_before, &total), 0);
	assert_int_equal(total, 64 << 20);
	use(1);
	assert_int_equal(EMU(cuMemAlloc)(&p, 48 << 20), 0);
	assert_int_equal(EMU(cuMemAlloc)(&q, 48 << 20), CUDA_ERROR_OUT_OF_MEMORY);
	assert_int_equal(EMU(cuPointerGetAttribute)(&owner, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p),
			 0);
	assert_int_equal(owner, 1);
	use(2);
	assert_int_equal(EMU(cuMemGetInfo)(&free_after, &total), 0);
	assert_int_equal(free_after, free_before);
	assert_int_equal(EMU(cuMemAlloc)(&q, 48 << 20), 0);
	/* Whose it is, memory itself knows. */
	assert_int_equal(EMU(cuMemFree)(p), 0);
	assert_int_equal(EMU(cuMemFree)(q), 0);
}

static void a_module_has_variables_on_its_device(void **state)
{
	unsigned value[DEVICES];
	CUmodule m[DEVICES];
	CUfunction f;
	CUdeviceptr p;

	(void)state;
	for (int i = 0; i < DEVICES; i++) {
		use(i);
		assert_int_equal(EMU(cuModuleLoadData)(&m[i], source), 0);
		assert_int_equal(EMU(cuModuleGetFunction)(&f, m[i], "count"), 0);
		for (int n = 0; n <= i; n++)
			assert_int_equal(
				EMU(cuLaunchKernel)(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 0);
	}
	/* Still the last context, so not for the first module. */
	assert_int_equal(EMU(cuModuleGetFunction)(&f, m[0], "count"), 0);
	assert_int_equal(EMU(cuLaunchKernel)(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
			 CUDA_ERROR_INVALID_HANDLE);
	for (int i = 0; i < DEVICES; i++) {
		use(i);
		assert_int_equal(EMU(cuModuleGetGlobal)(&p, NULL, m[i], "counter"), 0);
		assert_int_equal(EMU(cuMemcpyDtoH)(&value[i], p, 4), 0);
		assert_int_equal(value[i], 8 + i);
		assert_int_equal(EMU(cuModuleUnload)(m[i]), 0);
	}
}

static void a_library_is_loaded_where_it_is_used(void **state)
{
	CUlibrary library;
	CUkernel count;
	unsigned value;
	CUdeviceptr p;

	(void)state;
	use(1);
	assert_int_equal(EMU(cuLibraryLoadData)(&library, source, NULL, NULL, 0, NULL, NULL, 0), 0);
	assert_int_equal(EMU(cuLibraryGetKernel)(&count, library, "count"), 0);
	for (int i = 0; i < DEVICES; i++) {
		use(i);
		assert_int_equal(EMU(cuLaunchKernel)((CUfunction)count, 1, 1, 1, 1, 1, 1, 0, NULL,
						     NULL, NULL),
				 0);
		assert_int_equal(EMU(cuLibraryGetGlobal)(&p, NULL, library, "counter"), 0);
		assert_int_equal(EMU(cuMemcpyDtoH)(&value, p, 4), 0);
		assert_int_equal(value, 8);
	}
	assert_int_equal(EMU(cuLibraryUnload)(library), 0);
}

static void streams_and_events_belong_to_a_device(void **state)
{
	CUstream s;
	CUevent here, there;
	CUcontext c;
	CUmodule m;
	CUfunction f;
	float ms;

	(void)state;
	use(1);
	assert_int_equal(EMU(cuStreamCreate)(&s, 0), 0);
	assert_int_equal(EMU(cuEventCreate)(&there, 0), 0);
	assert_int_equal(EMU(cuEventRecord)(there, s), 0);
	use(0);
	assert_int_equal(EMU(cuStreamGetCtx)(s, &c), 0);
	assert_ptr_equal(c, context[1]);
	assert_int_equal(EMU(cuEventCreate)(&here, 0), 0);
	assert_int_equal(EMU(cuEventRecord)(here, s), CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(EMU(cuEventRecord)(here, NULL), 0);
	assert_int_equal(EMU(cuStreamWaitEvent)(NULL, there, 0), 0);
	assert_int_equal(EMU(cuStreamWaitEvent)(s, here, 0), 0);
	assert_int_equal(EMU(cuEventSynchronize)(there), 0);
	assert_int_equal(EMU(cuStreamSynchronize)(s), 0);
	assert_int_equal(EMU(cuEventElapsedTime)(&ms, here, there), CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(EMU(cuModuleLoadData)(&m, source), 0);
	assert_int_equal(EMU(cuModuleGetFunction)(&f, m, "count"), 0);
	assert_int_equal(EMU(cuLaunchKernel)(f, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL),
			 CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(EMU(cuModuleUnload)(m), 0);
	assert_int_equal(EMU(cuEventDestroy)(here), 0);
	assert_int_equal(EMU(cuEventDestroy)(there), 0);
	assert_int_equal(EMU(cuStreamDestroy)(s), 0);
}

/* Device 0 takes what lies on device 1. */
static CUresult take(unsigned *ret)
{
	const unsigned number = 4711;
	CUdeviceptr from, to;
	void *params[] = { &to, &from };
	CUfunction f;
	CUresult result;
	CUmodule m;

	use(1);
	assert_int_equal(EMU(cuMemAlloc)(&from, 64), 0);
	assert_int_equal(EMU(cuMemcpyHtoD)(from, &number, 4), 0);
	use(0);
	assert_int_equal(EMU(cuMemAlloc)(&to, 64), 0);
	assert_int_equal(EMU(cuModuleLoadData)(&m, source), 0);
	assert_int_equal(EMU(cuModuleGetFunction)(&f, m, "take"), 0);
	assert_int_equal(EMU(cuLaunchKernel)(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL), 0);
	result = EMU(cuCtxSynchronize)();
	if (result)
		return result;
	assert_int_equal(EMU(cuMemcpyDtoH)(ret, to, 4), 0);
	assert_int_equal(EMU(cuModuleUnload)(m), 0);
	assert_int_equal(EMU(cuMemFree)(to), 0);
	assert_int_equal(EMU(cuMemFree)(from), 0);
	return result;
}

static void memory_of_a_peer_is_reached_when_it_is_open(void **state)
{
	unsigned value;

	(void)state;
	use(0);
	assert_int_equal(EMU(cuCtxDisablePeerAccess)(context[1]),
			 CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
	assert_int_equal(EMU(cuCtxEnablePeerAccess)(context[0], 0), CUDA_ERROR_INVALID_DEVICE);
	assert_int_equal(EMU(cuCtxEnablePeerAccess)(context[1], 0), 0);
	assert_int_equal(EMU(cuCtxEnablePeerAccess)(context[1], 0),
			 CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
	assert_int_equal(take(&value), 0);
	assert_int_equal(value, 4711);
	assert_int_equal(EMU(cuCtxDisablePeerAccess)(context[1]), 0);
}

static void reach_without_asking(void)
{
	struct emulator_fault fault;
	unsigned value;

	if (take(&value) != CUDA_ERROR_ILLEGAL_ADDRESS || extension->last_fault(&fault) != 1)
		_exit(1);
	if (!strstr(fault.text, "belongs to another device\n") ||
	    !strstr(fault.text, "which is memory of device 1: this is device 0, for which it is "
				"open after cudaDeviceEnablePeerAccess(1, 0)"))
		_exit(2);
}

static void memory_of_a_peer_is_a_fault_otherwise(void **state)
{
	(void)state;
	assert_int_equal(emulator_in_child(reach_without_asking), 0);
}

static void mapped_memory_is_opened_piece_by_piece(void **state)
{
	CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
				     .requestedHandleTypes =
					     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
				     .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 2 } };
	CUmemAccessDesc access[] = {
		{ { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 2 },
		  CU_MEM_ACCESS_FLAGS_PROT_READWRITE },
		{ { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 }, CU_MEM_ACCESS_FLAGS_PROT_READ },
	};
	const CUmemLocation other = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 1 };
	CUmemGenericAllocationHandle h, again;
	unsigned long long flags;
	size_t before, after;
	CUdeviceptr p;
	int fd, owner;

	(void)state;
	use(0);
	assert_int_equal(EMU(cuMemAddressReserve)(&p, 4 << 20, 0, 0, 0), 0);
	assert_int_equal(EMU(cuMemCreate)(&h, 2 << 20, &prop, 0), 0);
	assert_int_equal(EMU(cuMemMap)(p, 2 << 20, 0, h, 0), 0);
	assert_int_equal(EMU(cuMemSetAccess)(p, 2 << 20, access, 2), 0);
	assert_int_equal(EMU(cuMemGetAccess)(&flags, &access[0].location, p), 0);
	assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	assert_int_equal(EMU(cuMemGetAccess)(&flags, &access[1].location, p), 0);
	assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READ);
	assert_int_equal(EMU(cuMemGetAccess)(&flags, &other, p), 0);
	assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
	/* What comes by a descriptor is the maker's device's. */
	assert_int_equal(EMU(cuMemExportToShareableHandle)(
				 &fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
			 0);
	use(2);
	assert_int_equal(EMU(cuMemGetInfo)(&before, NULL), 0);
	assert_int_equal(
		EMU(cuMemImportFromShareableHandle)(&again, (void *)(intptr_t)fd,
						    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
		0);
	assert_int_equal(EMU(cuMemGetInfo)(&after, NULL), 0);
	assert_int_equal(before - after, 2 << 20);
	close(fd);
	assert_int_equal(EMU(cuMemMap)(p + (2 << 20), 2 << 20, 0, again, 0), 0);
	assert_int_equal(EMU(cuPointerGetAttribute)(&owner, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
						    p + (2 << 20)),
			 0);
	assert_int_equal(owner, 2);
	assert_int_equal(EMU(cuMemUnmap)(p, 4 << 20), 0);
	assert_int_equal(EMU(cuMemRelease)(h), 0);
	assert_int_equal(EMU(cuMemRelease)(again), 0);
	assert_int_equal(EMU(cuMemAddressFree)(p, 4 << 20), 0);
}

static void copies_go_from_device_to_device(void **state)
{
	const unsigned number = 99;
	CUDA_MEMCPY3D_PEER c = { .srcMemoryType = CU_MEMORYTYPE_DEVICE,
				 .dstMemoryType = CU_MEMORYTYPE_DEVICE,
				 .srcPitch = 16,
				 .dstPitch = 32,
				 .srcHeight = 2,
				 .dstHeight = 2,
				 .WidthInBytes = 4,
				 .Height = 2,
				 .Depth = 1 };
	CUdeviceptr a, b;
	unsigned value = 0;

	(void)state;
	use(1);
	assert_int_equal(EMU(cuMemAlloc)(&a, 64), 0);
	assert_int_equal(EMU(cuMemsetD8)(a, 0, 64), 0);
	use(2);
	assert_int_equal(EMU(cuMemAlloc)(&b, 64), 0);
	assert_int_equal(EMU(cuMemsetD8)(b, 0, 64), 0);
	assert_int_equal(EMU(cuMemcpyHtoD)(b + 16, &number, 4), 0);
	use(0);
	assert_int_equal(EMU(cuMemcpyPeer)(a, context[1], b + 16, context[2], 4), 0);
	assert_int_equal(EMU(cuMemcpyDtoH)(&value, a, 4), 0);
	assert_int_equal(value, number);
	c.srcDevice = b;
	c.srcContext = context[2];
	c.dstDevice = a;
	c.dstContext = context[1];
	assert_int_equal(EMU(cuMemcpy3DPeer)(&c), 0);
	assert_int_equal(EMU(cuMemcpyDtoH)(&value, a + 32, 4), 0);
	assert_int_equal(value, number);
	assert_int_equal(EMU(cuMemcpyPeerAsync)(a, NULL, b, context[2], 4, NULL),
			 CUDA_ERROR_INVALID_CONTEXT);
	assert_int_equal(EMU(cuMemFree)(a), 0);
	assert_int_equal(EMU(cuMemFree)(b), 0);
}

static void add_fill(CUgraph g, CUdeviceptr p, unsigned value)
{
	CUDA_MEMSET_NODE_PARAMS fill = {
		.dst = p, .value = value, .elementSize = 4, .width = 1, .height = 1
	};
	CUgraphNode node;

	assert_int_equal(EMU(cuGraphAddMemsetNode)(&node, g, NULL, 0, &fill, NULL), 0);
}

/* A kernel counts on each device; a copy from the one to the other comes behind both. */
static void nodes_of_a_graph_run_on_their_devices(void **state)
{
	CUDA_KERNEL_NODE_PARAMS count = { .gridDimX = 1,
					  .gridDimY = 1,
					  .gridDimZ = 1,
					  .blockDimX = 1,
					  .blockDimY = 1,
					  .blockDimZ = 1 };
	CUDA_MEMCPY3D copy = { .srcMemoryType = CU_MEMORYTYPE_DEVICE,
			       .dstMemoryType = CU_MEMORYTYPE_HOST,
			       .WidthInBytes = 4,
			       .Height = 1,
			       .Depth = 1 };
	CUdeviceptr counter[2], extra;
	CUgraphNode node[2], back;
	CUstream stream[2];
	CUgraphExec exec;
	CUmodule m[2];
	CUgraph g;
	size_t size;
	int seen = 0;

	(void)state;
	assert_int_equal(EMU(cuGraphCreate)(&g, 0), 0);
	for (int i = 0; i < 2; i++) {
		use(i + 1);
		assert_int_equal(EMU(cuStreamCreate)(&stream[i], CU_STREAM_NON_BLOCKING), 0);
		assert_int_equal(EMU(cuModuleLoadData)(&m[i], source), 0);
		assert_int_equal(EMU(cuModuleGetFunction)(&count.func, m[i], "count"), 0);
		assert_int_equal(EMU(cuModuleGetGlobal)(&counter[i], &size, m[i], "counter"), 0);
		assert_int_equal(EMU(cuGraphAddKernelNode)(&node[i], g, node, (size_t)i, &count),
				 0);
	}
	assert_int_equal(EMU(cuMemAlloc)(&extra, 4), 0);
	add_fill(g, extra, 3);
	copy.srcDevice = counter[1];
	copy.dstHost = &seen;
	assert_int_equal(EMU(cuGraphAddMemcpyNode)(&back, g, &node[1], 1, &copy, NULL), 0);
	assert_int_equal(EMU(cuGraphInstantiate)(&exec, g, 0), 0);
	/* In a stream of either device, and of one that has no node. */
	for (int i = 0; i < 2; i++) {
		use(i + 1);
		assert_int_equal(EMU(cuGraphLaunch)(exec, stream[i]), 0);
		assert_int_equal(EMU(cuStreamSynchronize)(stream[i]), 0);
		assert_int_equal(seen, 8 + i);
	}
	use(0);
	assert_int_equal(EMU(cuGraphLaunch)(exec, NULL), 0);
	assert_int_equal(EMU(cuStreamSynchronize)(NULL), 0);
	assert_int_equal(seen, 10);
	assert_int_equal(EMU(cuMemcpyDtoH)(&seen, counter[0], 4), 0);
	assert_int_equal(seen, 10);
	assert_int_equal(EMU(cuMemcpyDtoH)(&seen, extra, 4), 0);
	assert_int_equal(seen, 3);
	assert_int_equal(EMU(cuGraphExecDestroy)(exec), 0);
	assert_int_equal(EMU(cuGraphDestroy)(g), 0);
	assert_int_equal(EMU(cuMemFree)(extra), 0);
	for (int i = 0; i < 2; i++) {
		use(i + 1);
		assert_int_equal(EMU(cuModuleUnload)(m[i]), 0);
		assert_int_equal(EMU(cuStreamDestroy)(stream[i]), 0);
	}
}

static void limits_are_of_one_device(void **state)
{
	size_t value, other;

	(void)state;
	use(0);
	assert_int_equal(EMU(cuCtxGetLimit)(&other, CU_LIMIT_STACK_SIZE), 0);
	use(1);
	assert_int_equal(EMU(cuCtxSetLimit)(CU_LIMIT_STACK_SIZE, 4096), 0);
	assert_int_equal(EMU(cuCtxSetLimit)(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 1 << 20), 0);
	assert_int_equal(EMU(cuCtxGetLimit)(&value, CU_LIMIT_PERSISTING_L2_CACHE_SIZE), 0);
	assert_int_equal(value, 1 << 20);
	assert_int_equal(EMU(cuCtxSetLimit)(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 1 << 30),
			 CUDA_ERROR_INVALID_VALUE);
	use(0);
	assert_int_equal(EMU(cuCtxGetLimit)(&value, CU_LIMIT_STACK_SIZE), 0);
	assert_int_equal(value, other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_are_told_apart),
		cmocka_unit_test(each_device_has_its_own_memory),
		cmocka_unit_test(a_module_has_variables_on_its_device),
		cmocka_unit_test(a_library_is_loaded_where_it_is_used),
		cmocka_unit_test(streams_and_events_belong_to_a_device),
		cmocka_unit_test(memory_of_a_peer_is_a_fault_otherwise),
		cmocka_unit_test(memory_of_a_peer_is_reached_when_it_is_open),
		cmocka_unit_test(mapped_memory_is_opened_piece_by_piece),
		cmocka_unit_test(copies_go_from_device_to_device),
		cmocka_unit_test(nodes_of_a_graph_run_on_their_devices),
		cmocka_unit_test(limits_are_of_one_device),
	};

	setenv("CGPU_EMULATED_DEVICES", "3", 1);
	setenv("CGPU_EMULATED_MEMORY", "64M", 1);
	emulator_start();
	for (int i = 0; i < DEVICES; i++)
		if (EMU(cuDevicePrimaryCtxRetain)(&context[i], i))
			return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
