/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver as libraries reach it: each way to take device memory, over the cap and below it. The
 * calls are those of a library: it opens libcuda.so.1, or is given addresses by cuGetProcAddress().
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/libcuda/libcuda-real.h"
#include "runtime/cuda/libcuda/libcuda.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/memory/library-memory.h"
#include "tests/unit/runtime/device-host.h"

#include "common/launch-glue.h"
#include <cuda_runtime_api.h>

#define MIB (1024ull * 1024)
#define CAP (64 * MIB)
#define FITS (16 * MIB)
#define TOO_MUCH (80 * MIB)

static void *library;

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
/* <cuda.h> maps names to the symbols of their newest versions. */
#define DRV(name) ((__typeof__(name) *)dlsym(library, TEXT(name)))

static const CUmemAllocationProp physical = {
	.type = CU_MEM_ALLOCATION_TYPE_PINNED,
	.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
	.location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 },
};

static uint64_t held(void)
{
	uint64_t bytes;

	device_lock();
	bytes = library_memory_bytes(-1);
	device_unlock();
	return bytes;
}

/* Bytes that the driver has given out. */
static uint64_t taken(void)
{
	size_t free_bytes, total;

	WORKER_NEED(!device_enter());
	WORKER_NEED(!device.driver->cuMemGetInfo(&free_bytes, &total));
	return total - free_bytes;
}

static void open_driver(void)
{
	library = dlopen("libcuda.so.1", RTLD_NOW);
	WORKER_NEED(library && library == dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL));
	device_set_limit(CAP);
	device_host_begin(1);
	WORKER_NEED(!device_enter());
}

/* ---- one way to take memory each: the result, and how it is given back ---- */

typedef CUresult take_fn(uint64_t size, void **ret);
typedef void give_fn(void *p);

static CUresult take_plain(uint64_t size, void **ret)
{
	return DRV(cuMemAlloc)((CUdeviceptr *)ret, size);
}

static void give_plain(void *p)
{
	WORKER_NEED(!DRV(cuMemFree)((CUdeviceptr)(uintptr_t)p));
}

static CUresult take_pitched(uint64_t size, void **ret)
{
	size_t pitch;

	return DRV(cuMemAllocPitch)((CUdeviceptr *)ret, &pitch, 4096, size / 4096, 4);
}

static CUresult take_managed(uint64_t size, void **ret)
{
	return DRV(cuMemAllocManaged)((CUdeviceptr *)ret, size, CU_MEM_ATTACH_GLOBAL);
}

static CUresult take_async(uint64_t size, void **ret)
{
	return DRV(cuMemAllocAsync)((CUdeviceptr *)ret, size, NULL);
}

static CUresult take_async_per_thread(uint64_t size, void **ret)
{
	return ((__typeof__(cuMemAllocAsync) *)dlsym(library, "cuMemAllocAsync_ptsz"))(
		(CUdeviceptr *)ret, size, NULL);
}

static void give_async(void *p)
{
	WORKER_NEED(!DRV(cuMemFreeAsync)((CUdeviceptr)(uintptr_t)p, NULL));
	WORKER_NEED(!DRV(cuStreamSynchronize)(NULL));
}

static CUresult take_from_pool(uint64_t size, void **ret)
{
	static CUmemoryPool pool;
	const CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				       .location = physical.location };

	if (!pool)
		WORKER_NEED(!DRV(cuMemPoolCreate)(&pool, &props));
	return DRV(cuMemAllocFromPoolAsync)((CUdeviceptr *)ret, size, pool, NULL);
}

static CUresult take_object(uint64_t size, void **ret)
{
	return DRV(cuMemCreate)((CUmemGenericAllocationHandle *)ret, size, &physical, 0);
}

static void give_object(void *p)
{
	WORKER_NEED(!DRV(cuMemRelease)((uintptr_t)p));
}

static CUresult take_array(uint64_t size, void **ret)
{
	const CUDA_ARRAY_DESCRIPTOR d = {
		.Width = 1024, .Height = size / 4096, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1
	};

	return DRV(cuArrayCreate)((CUarray *)ret, &d);
}

static void give_array(void *p)
{
	WORKER_NEED(!DRV(cuArrayDestroy)(p));
}

static CUresult take_array_3d(uint64_t size, void **ret)
{
	const CUDA_ARRAY3D_DESCRIPTOR d = { .Width = 64,
					    .Height = 64,
					    .Depth = size / 16384,
					    .Format = CU_AD_FORMAT_FLOAT,
					    .NumChannels = 1 };

	return DRV(cuArray3DCreate)((CUarray *)ret, &d);
}

static CUresult take_mipmap(uint64_t size, void **ret)
{
	const CUDA_ARRAY3D_DESCRIPTOR d = {
		.Width = 1024, .Height = size / 4096, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1
	};

	return DRV(cuMipmappedArrayCreate)((CUmipmappedArray *)ret, &d, 3);
}

static void give_mipmap(void *p)
{
	WORKER_NEED(!DRV(cuMipmappedArrayDestroy)(p));
}

static char *module_text(uint64_t size)
{
	static char text[256];

	snprintf(text, sizeof(text),
		 ".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .b8 big[%llu];\n",
		 (unsigned long long)size);
	return text;
}

static CUresult take_module(uint64_t size, void **ret)
{
	return DRV(cuModuleLoadData)((CUmodule *)ret, module_text(size));
}

static CUresult take_module_with(uint64_t size, void **ret)
{
	return DRV(cuModuleLoadDataEx)((CUmodule *)ret, module_text(size), 0, NULL, NULL);
}

static void give_module(void *p)
{
	WORKER_NEED(!DRV(cuModuleUnload)(p));
}

static CUresult take_library(uint64_t size, void **ret)
{
	return DRV(cuLibraryLoadData)((CUlibrary *)ret, module_text(size), NULL, NULL, 0, NULL,
				      NULL, 0);
}

static void give_library(void *p)
{
	WORKER_NEED(!DRV(cuLibraryUnload)(p));
}

static CUresult take_graph(uint64_t size, void **ret)
{
	CUDA_MEM_ALLOC_NODE_PARAMS p = { .poolProps = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
							.location = physical.location },
					 .bytesize = size };
	CUgraphNode node;
	CUresult result;

	WORKER_NEED(!DRV(cuGraphCreate)((CUgraph *)ret, 0));
	result = DRV(cuGraphAddMemAllocNode)(&node, *ret, NULL, 0, &p);
	if (result)
		WORKER_NEED(!DRV(cuGraphDestroy)(*ret));
	return result;
}

static CUresult take_graph_node(uint64_t size, void **ret)
{
	CUgraphNodeParams p = { .type = CU_GRAPH_NODE_TYPE_MEM_ALLOC };
	CUgraphNode node;
	CUresult result;

	p.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	p.alloc.poolProps.location = physical.location;
	p.alloc.bytesize = size;
	WORKER_NEED(!DRV(cuGraphCreate)((CUgraph *)ret, 0));
	result = DRV(cuGraphAddNode)(&node, *ret, NULL, NULL, 0, &p);
	if (result)
		WORKER_NEED(!DRV(cuGraphDestroy)(*ret));
	return result;
}

static CUresult take_captured(uint64_t size, void **ret)
{
	CUdeviceptr p;
	CUstream s;
	CUresult result;

	WORKER_NEED(!DRV(cuStreamCreate)(&s, CU_STREAM_NON_BLOCKING));
	WORKER_NEED(!DRV(cuStreamBeginCapture)(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	result = DRV(cuMemAllocAsync)(&p, size, s);
	WORKER_NEED(!DRV(cuStreamEndCapture)(s, (CUgraph *)ret));
	WORKER_NEED(!DRV(cuStreamDestroy)(s));
	if (result)
		WORKER_NEED(!DRV(cuGraphDestroy)(*ret));
	return result;
}

static void give_graph(void *p)
{
	CUgraphExec exec;

	/* It stays as long as what was instantiated from it. */
	WORKER_NEED(!DRV(cuGraphInstantiate)(&exec, p, 0));
	WORKER_NEED(!DRV(cuGraphDestroy)(p));
	WORKER_NEED(held() == FITS);
	WORKER_NEED(!DRV(cuGraphExecDestroy)(exec));
}

static CUresult take_heap(uint64_t size, void **ret)
{
	size_t before;

	WORKER_NEED(!DRV(cuCtxGetLimit)(&before, CU_LIMIT_MALLOC_HEAP_SIZE));
	*ret = (void *)before;
	return DRV(cuCtxSetLimit)(CU_LIMIT_MALLOC_HEAP_SIZE, before + size);
}

static void give_heap(void *p)
{
	WORKER_NEED(!DRV(cuCtxSetLimit)(CU_LIMIT_MALLOC_HEAP_SIZE, (size_t)p));
}

static CUresult take_by_address(uint64_t size, void **ret)
{
	__typeof__(cuMemAlloc) *alloc = NULL;

	WORKER_NEED(!DRV(cuGetProcAddress)("cuMemAlloc", (void **)&alloc, 13000, 0, NULL));
	return alloc((CUdeviceptr *)ret, size);
}

static CUresult take_by_old_address(uint64_t size, void **ret)
{
	CUresult (*find)(const char *, void **, int, cuuint64_t) =
		dlsym(library, "cuGetProcAddress");
	CUresult (*again)(const char *, void **, int, cuuint64_t) = NULL;
	__typeof__(cuMemAllocAsync) *alloc = NULL;

	WORKER_NEED(!find("cuGetProcAddress", (void **)&again, 11030, 0));
	WORKER_NEED(!again("cuMemAllocAsync", (void **)&alloc, 11030,
			   CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM));
	return alloc((CUdeviceptr *)ret, size, NULL);
}

static const struct way {
	const char *name;
	take_fn *take;
	give_fn *give;
	bool not_at_once; /* what it takes is not what the driver counts then, or is more than asked
			     for */
} ways[] = {
	{ "cuMemAlloc", take_plain, give_plain, false },
	{ "cuMemAllocPitch", take_pitched, give_plain, false },
	{ "cuMemAllocManaged", take_managed, give_plain, true },
	{ "cuMemAllocAsync", take_async, give_async, false },
	{ "cuMemAllocAsync_ptsz", take_async_per_thread, give_async, false },
	{ "cuMemAllocFromPoolAsync", take_from_pool, give_async, false },
	{ "cuMemCreate", take_object, give_object, false },
	{ "cuArrayCreate", take_array, give_array, false },
	{ "cuArray3DCreate", take_array_3d, give_array, false },
	{ "cuMipmappedArrayCreate", take_mipmap, give_mipmap, true },
	{ "cuModuleLoadData", take_module, give_module, false },
	{ "cuModuleLoadDataEx", take_module_with, give_module, false },
	{ "cuLibraryLoadData", take_library, give_library, false },
	{ "cuGraphAddMemAllocNode", take_graph, give_graph, false },
	{ "cuGraphAddNode", take_graph_node, give_graph, false },
	{ "cuMemAllocAsync while captured", take_captured, give_graph, false },
	{ "cuCtxSetLimit", take_heap, give_heap, true },
	{ "cuMemAlloc by its address", take_by_address, give_plain, false },
	{ "cuMemAllocAsync by an old address", take_by_old_address, give_async, false },
};

#define NEED(way, condition)                                                                       \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s: ", (way)->name);                                      \
			device_host_fail(__FILE__, __LINE__, #condition);                          \
		}                                                                                  \
	} while (0)

static void try_way(const struct way *w)
{
	uint64_t before = taken(), base = held();
	CUresult result;
	void *p = NULL;

	NEED(w, !base);
	result = w->take(TOO_MUCH, &p);
	NEED(w, result == CUDA_ERROR_OUT_OF_MEMORY);
	NEED(w, held() == 0 && taken() == before);
	NEED(w,
	     strstr(ledger_refusal(), "the limit of device memory for this session is 64.0 MiB"));
	result = w->take(FITS, &p);
	NEED(w, !result && held() >= FITS);
	NEED(w, w->not_at_once || (held() == FITS && taken() - before == FITS));
	/* The runtime API of cells sees it, too. */
	NEED(w, cudaMalloc(&(void *){ NULL }, CAP - FITS + 1) == cudaErrorMemoryAllocation);
	NEED(w, strstr(ledger_refusal(), "libraries"));
	NEED(w, cudaGetLastError() == cudaErrorMemoryAllocation);
	w->give(p);
	NEED(w, held() == 0 && taken() == before);
}

static void take_all_ways(void *data)
{
	(void)data;
	open_driver();
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		try_way(&ways[i]);
	device_host_commit();
}

static void each_way_to_take_memory_counts(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(take_all_ways, NULL), 0);
}

/* ---- physical memory ---- */

static CUmemAccessDesc access_desc = { { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 },
				       CU_MEM_ACCESS_FLAGS_PROT_READWRITE };

static void keep_by_mapping(void *data)
{
	CUmemGenericAllocationHandle h, again;
	CUdeviceptr at;

	(void)data;
	open_driver();
	WORKER_NEED(!DRV(cuMemAddressReserve)(&at, FITS, 0, 0, 0));
	WORKER_NEED(!DRV(cuMemCreate)(&h, FITS, &physical, 0));
	WORKER_NEED(!DRV(cuMemMap)(at, FITS, 0, h, 0));
	WORKER_NEED(!DRV(cuMemSetAccess)(at, FITS, &access_desc, 1));
	/* The handle goes, the mapping keeps the memory. */
	WORKER_NEED(!DRV(cuMemRelease)(h));
	WORKER_NEED(held() == FITS && taken() == FITS);
	WORKER_NEED(!DRV(cuMemRetainAllocationHandle)(&again, (void *)(uintptr_t)at));
	WORKER_NEED(!DRV(cuMemUnmap)(at, FITS));
	WORKER_NEED(held() == FITS && taken() == FITS);
	WORKER_NEED(!DRV(cuMemRelease)(again));
	WORKER_NEED(held() == 0 && taken() == 0);
	/* In a loop this would be a way to all of the device. */
	for (int i = 0; i < 4; i++) {
		WORKER_NEED(!DRV(cuMemAddressReserve)(&at, FITS, 0, 0, 0));
		WORKER_NEED(!DRV(cuMemCreate)(&h, FITS, &physical, 0));
		WORKER_NEED(!DRV(cuMemMap)(at, FITS, 0, h, 0));
		WORKER_NEED(!DRV(cuMemRelease)(h));
	}
	WORKER_NEED(DRV(cuMemCreate)(&h, FITS, &physical, 0) == CUDA_ERROR_OUT_OF_MEMORY);
	WORKER_NEED(held() == CAP && taken() == CAP);
	device_host_commit();
}

static void a_released_handle_counts_while_it_is_mapped(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(keep_by_mapping, NULL), 0);
}

static void keep_by_export(void *data)
{
	CUmemGenericAllocationHandle h, again;
	int fd, copy;

	(void)data;
	open_driver();
	WORKER_NEED(!DRV(cuMemCreate)(&h, FITS, &physical, 0));
	WORKER_NEED(!DRV(cuMemExportToShareableHandle)(
		&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	copy = dup(fd);
	WORKER_NEED(!DRV(cuMemRelease)(h));
	WORKER_NEED(held() == FITS);
	close(fd);
	/* It comes back by another descriptor of the same export, and is not counted twice. */
	WORKER_NEED(!DRV(cuMemImportFromShareableHandle)(&again, (void *)(intptr_t)copy,
							 CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	WORKER_NEED(held() == FITS);
	close(copy);
	WORKER_NEED(!DRV(cuMemRelease)(again));
	WORKER_NEED(held() == 0);
	/* The last descriptor is closed behind our back: that is seen at the end of the cell. */
	WORKER_NEED(!DRV(cuMemCreate)(&h, FITS, &physical, 0));
	WORKER_NEED(!DRV(cuMemExportToShareableHandle)(
		&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	WORKER_NEED(!DRV(cuMemRelease)(h));
	WORKER_NEED(held() == FITS);
	close(fd);
	device_host_commit();
	WORKER_NEED(held() == 0);
}

static void an_export_counts_while_it_is_open(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(keep_by_export, NULL), 0);
}

/* ---- what is refused ---- */

static void try_refused(void *data)
{
	static const char *const names[] = {
		"cuMemAlloc",
		"cuArrayCreate",
		"cuIpcOpenMemHandle_v2",
		"cuImportExternalMemory",
		"cuMemPoolImportPointer",
		"cuMulticastCreate",
		"cuGraphicsMapResources",
		"cuDevicePrimaryCtxReset_v2",
	};
	CUmemGenericAllocationHandle h;
	int fds[2];
	void *p;

	(void)data;
	open_driver();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int (*call)(void *, void *, void *, void *) = dlsym(library, names[i]);

		if (call(NULL, NULL, NULL, NULL) != CUDA_ERROR_NOT_SUPPORTED)
			device_host_fail(__FILE__, __LINE__, names[i]);
	}
	/* Memory that nobody here has exported. */
	WORKER_NEED(!pipe(fds));
	WORKER_NEED(DRV(cuMemImportFromShareableHandle)(&h, (void *)(intptr_t)fds[0],
							CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) ==
		    CUDA_ERROR_NOT_SUPPORTED);
	/* What the session has is not a library's to change; freeing it is cudaFree(). */
	WORKER_NEED(!cudaMalloc(&p, FITS));
	WORKER_NEED(DRV(cuMemUnmap)((CUdeviceptr)(uintptr_t)p, FITS) == CUDA_ERROR_INVALID_VALUE);
	WORKER_NEED(DRV(cuMemSetAccess)((CUdeviceptr)(uintptr_t)p, FITS, &access_desc, 1) ==
		    CUDA_ERROR_INVALID_VALUE);
	WORKER_NEED(DRV(cuMemAddressFree)((CUdeviceptr)(uintptr_t)p, FITS) ==
		    CUDA_ERROR_INVALID_VALUE);
	WORKER_NEED(DRV(cuDevicePrimaryCtxRelease)(0) == CUDA_ERROR_INVALID_CONTEXT);
	WORKER_NEED(!DRV(cuMemFree)((CUdeviceptr)(uintptr_t)p));
	WORKER_NEED(ledger_used() == 0);
	device_host_commit();
}

static void what_cannot_be_counted_is_refused(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(try_refused, NULL), 0);
}

static void try_child(void *data)
{
	int status;
	pid_t pid;

	(void)data;
	open_driver();
	pid = fork();
	if (!pid) {
		CUdeviceptr p;

		_exit(DRV(cuMemAlloc)(&p, FITS) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
	}
	WORKER_NEED(waitpid(pid, &status, 0) == pid && !status);
	device_host_commit();
}

static void a_forked_child_has_no_driver(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(try_child, NULL), 0);
}

/* ---- beside the session ---- */

static void make_session_buffer(void *data)
{
	(void)data;
	device_host_begin(1);
	WORKER_NEED(!cudaMalloc(data, MIB));
	WORKER_NEED(!cudaMemset(*(void **)data, 1, MIB));
	device_host_commit();
}

static void overwrite(void *data)
{
	CUdeviceptr p = (uintptr_t)*(void **)data;

	open_driver();
	WORKER_NEED(!DRV(cuMemsetD8)(p, 2, MIB));
	device_host_die();
}

static void look(void *data)
{
	unsigned char byte = 0;

	device_host_begin(3);
	WORKER_NEED(!cudaMemcpy(&byte, *(char **)data + MIB / 2, 1, cudaMemcpyDeviceToHost));
	WORKER_NEED(byte == 1);
	device_host_commit();
}

static void what_a_library_writes_is_rolled_back(void **state)
{
	void *p = (void *)0x300000200100; /* the first small buffer of a session */

	(void)state;
	assert_int_equal(device_host_worker(make_session_buffer, &p), 0);
	p = (void *)keeper.chunks[0].address;
	assert_int_equal(device_host_worker(overwrite, &p), 0);
	assert_int_equal(device_host_worker(look, &p), 0);
}

static void look_at_room(void *data)
{
	size_t free_bytes, total;
	CUdeviceptr p;

	(void)data;
	open_driver();
	WORKER_NEED(!DRV(cuMemAlloc)(&p, FITS));
	WORKER_NEED(!DRV(cuMemGetInfo)(&free_bytes, &total));
	WORKER_NEED(free_bytes == CAP - FITS && total == CAP);
	WORKER_NEED(!cudaMemGetInfo(&free_bytes, &total));
	WORKER_NEED(free_bytes == CAP - FITS && total == CAP);
	WORKER_NEED(!DRV(cuDeviceTotalMem)(&total, 0) && total == CAP);
	/* The context of the caller stays what it was, whatever the session does in between. */
	device_host_commit();
}

static void programs_see_the_cap(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(look_at_room, NULL), 0);
}

/* By the driver's own table, as a program might that looks for a way past the cap. */
static void take_unseen(void *data)
{
	CUdeviceptr p;

	(void)data;
	open_driver();
	WORKER_NEED(!((__typeof__(cuMemAlloc) *)libcuda.real[LIBCUDA_cuMemAlloc_v2])(&p, 2 * FITS));
	WORKER_NEED(held() == 0);
	device_host_commit();
	WORKER_NEED(strstr(device_host_warnings(),
			   " of device memory were taken by a way that is not counted"));
	/* All but what the heap of device code may have. */
	WORKER_NEED(held() >= 2 * FITS - 9 * MIB && held() <= 2 * FITS);
	device_host_begin(2);
	WORKER_NEED(cudaMalloc(&(void *){ NULL }, CAP - FITS) == cudaErrorMemoryAllocation);
	WORKER_NEED(strstr(ledger_refusal(), "not known"));
	WORKER_NEED(cudaGetLastError() == cudaErrorMemoryAllocation);
	WORKER_NEED(!device_enter());
	WORKER_NEED(!((__typeof__(cuMemFree) *)libcuda.real[LIBCUDA_cuMemFree_v2])(p));
	device_host_commit();
	WORKER_NEED(held() == 0 && !*device_host_warnings());
}

static void what_was_taken_unseen_is_told(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(take_unseen, NULL), 0);
}

/* ---- streams and events of both APIs ---- */

struct session_handles {
	cudaStream_t stream;
	cudaEvent_t event;
};

static void make_handles(void *data)
{
	struct session_handles *h = data;

	open_driver();
	WORKER_NEED(!cudaStreamCreate(&h->stream) && !cudaEventCreate(&h->event));
	device_host_commit();
}

/* In another worker than that which has made them; the argument is at another place in each of
 * these. */
static void use_in_driver_api(void *data)
{
	const struct session_handles *h = data;
	CUstream s = (CUstream)h->stream;
	CUevent e = (CUevent)h->event;
	CUlaunchAttribute attribute = { .id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT };
	CUlaunchConfig config = { .hStream = s, .attrs = &attribute, .numAttrs = 1 };
	long argument = (long)&config;
	float ms = -1;
	CUdeviceptr p;

	open_driver();
	WORKER_NEED(!DRV(cuMemAlloc)(&p, 64));
	WORKER_NEED(!DRV(cuEventRecord)(e, s) && !DRV(cuStreamWaitEvent)(s, e, 0));
	WORKER_NEED(!DRV(cuMemsetD2D8Async)(p, 8, 1, 8, 8, s) && !DRV(cuStreamSynchronize)(s));
	WORKER_NEED(!DRV(cuEventElapsedTime)(&ms, e, e) && ms == 0);
	attribute.value.launchCompletionEvent.event = e;
	WORKER_NEED(!libcuda_config_argument(&argument) && argument != (long)&config);
	WORKER_NEED(!device.driver->cuStreamQuery(((CUlaunchConfig *)argument)->hStream));
	WORKER_NEED(!device.driver->cuEventQuery(
		((CUlaunchConfig *)argument)->attrs[0].value.launchCompletionEvent.event));
	WORKER_NEED(config.hStream == s && attribute.value.launchCompletionEvent.event == e);
	WORKER_NEED(!DRV(cuStreamQuery)(NULL) && !DRV(cuStreamQuery)(CU_STREAM_LEGACY));
	WORKER_NEED(!DRV(cuStreamQuery)(CU_STREAM_PER_THREAD));
	/* The session's graphs capture it; the driver would do the work at once. */
	WORKER_NEED(!cudaStreamBeginCapture(h->stream, cudaStreamCaptureModeRelaxed));
	WORKER_NEED(DRV(cuMemsetD8Async)(p, 2, 64, s) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	WORKER_NEED(cudaStreamEndCapture(h->stream, &(cudaGraph_t){ NULL }) ==
		    cudaErrorStreamCaptureInvalidated);
	WORKER_NEED(!DRV(cuStreamDestroy)(s) && !DRV(cuEventDestroy)(e));
	WORKER_NEED(DRV(cuStreamQuery)(s) == CUDA_ERROR_INVALID_HANDLE &&
		    DRV(cuStreamDestroy)(s) == CUDA_ERROR_INVALID_HANDLE);
	WORKER_NEED(DRV(cuEventQuery)(e) == CUDA_ERROR_INVALID_HANDLE &&
		    DRV(cuEventDestroy)(e) == CUDA_ERROR_INVALID_HANDLE);
	WORKER_NEED(cudaStreamQuery(h->stream) == cudaErrorInvalidResourceHandle);
	WORKER_NEED(!DRV(cuMemFree)(p));
	cudaGetLastError();
	device_host_commit();
}

static void handles_of_the_session_are_good_for_the_driver(void **state)
{
	struct session_handles *h =
		mmap(NULL, sizeof(*h), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(h, MAP_FAILED);
	assert_int_equal(device_host_worker(make_handles, h), 0);
	assert_int_equal(device_host_worker(use_in_driver_api, h), 0);
	munmap(h, sizeof(*h));
}

static void use_in_runtime_api(void *data)
{
	unsigned flags = 0;
	CUstream s, other;
	CUevent e;
	int priority = 0;

	(void)data;
	open_driver();
	WORKER_NEED(!DRV(cuStreamCreateWithPriority)(&s, CU_STREAM_NON_BLOCKING, -1) &&
		    !DRV(cuStreamCreate)(&other, 0));
	WORKER_NEED(!DRV(cuEventCreate)(&e, 0));
	WORKER_NEED(!cudaStreamGetFlags((cudaStream_t)s, &flags) && flags == cudaStreamNonBlocking);
	WORKER_NEED(!cudaStreamGetPriority((cudaStream_t)s, &priority) && priority == -1);
	WORKER_NEED(!cudaEventRecord((cudaEvent_t)e, (cudaStream_t)s));
	WORKER_NEED(!cudaStreamWaitEvent((cudaStream_t)other, (cudaEvent_t)e, 0));
	WORKER_NEED(!cudaStreamSynchronize((cudaStream_t)other) &&
		    !cudaEventSynchronize((cudaEvent_t)e));
	/* Destroyed by either API, it is known to none. */
	WORKER_NEED(!cudaStreamDestroy((cudaStream_t)s) && !DRV(cuStreamDestroy)(other) &&
		    !cudaEventDestroy((cudaEvent_t)e));
	WORKER_NEED(cudaStreamQuery((cudaStream_t)s) == cudaErrorInvalidResourceHandle);
	WORKER_NEED(cudaStreamQuery((cudaStream_t)other) == cudaErrorInvalidResourceHandle);
	WORKER_NEED(cudaEventQuery((cudaEvent_t)e) == cudaErrorInvalidResourceHandle);
	WORKER_NEED(DRV(cuStreamQuery)(s) == CUDA_ERROR_INVALID_HANDLE);
	cudaGetLastError();
	device_host_commit();
}

static void handles_of_the_driver_are_good_for_the_session(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(use_in_runtime_api, NULL), 0);
}

/* Each function has the kind of treatment that its row says; none is forgotten in a table. */
static void every_counted_function_is_ours(void *data)
{
	static const struct {
		const char *name, *kind;
	} rows[] = {
#define LIBCUDA(name, kind, words, handles) { #name, #kind },
#include "runtime/cuda/libcuda/libcuda.def"
#undef LIBCUDA
	};
	const struct libcuda_shim *shim;

	(void)data;
	open_driver();
	shim = dlsym(library, LIBCUDA_SHIM_SYMBOL);
	for (unsigned i = 0; i < LIBCUDA_COUNT; i++) {
		bool passed = shim->targets[i] == libcuda.real[i];
		bool meant = !strcmp(rows[i].kind, "WRITES") || !strcmp(rows[i].kind, "ASKS") ||
			     !strcmp(rows[i].kind, "OTHER") || !strcmp(rows[i].kind, "FLOATS");

		/* Some that wait are asked again and again before, others are passed on. */
		if (!libcuda.real[i] || (passed != meant && strcmp(rows[i].kind, "WAITS")))
			device_host_fail(__FILE__, __LINE__, rows[i].name);
	}
	device_host_commit();
}

static void the_table_is_whole(void **state)
{
	(void)state;
	assert_int_equal(device_host_worker(every_counted_function_is_ours, NULL), 0);
}

static int fresh_session(void **state)
{
	(void)state;
	setenv("CGPU_EMULATED_MEMORY", "256M", 1);
	device_host_init();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_way_to_take_memory_counts, fresh_session),
		cmocka_unit_test_setup(a_released_handle_counts_while_it_is_mapped, fresh_session),
		cmocka_unit_test_setup(an_export_counts_while_it_is_open, fresh_session),
		cmocka_unit_test_setup(what_cannot_be_counted_is_refused, fresh_session),
		cmocka_unit_test_setup(a_forked_child_has_no_driver, fresh_session),
		cmocka_unit_test_setup(what_a_library_writes_is_rolled_back, fresh_session),
		cmocka_unit_test_setup(programs_see_the_cap, fresh_session),
		cmocka_unit_test_setup(what_was_taken_unseen_is_told, fresh_session),
		cmocka_unit_test_setup(handles_of_the_session_are_good_for_the_driver,
				       fresh_session),
		cmocka_unit_test_setup(handles_of_the_driver_are_good_for_the_session,
				       fresh_session),
		cmocka_unit_test_setup(the_table_is_whole, fresh_session),
	};

	struct error err = ERROR_INIT;

	/* Before the workers, as the zygote does it. */
	if (libcuda_load(".", &err))
		device_host_fail(__FILE__, __LINE__, err.text);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
