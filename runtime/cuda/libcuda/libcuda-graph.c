/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory nodes of graphs, and device code. A graph's memory is counted from the node on, until the
 * graph and all that was instantiated from it are gone. What a module takes is not known before it
 * is loaded: it is measured, and if that was too much, the module is unloaded again.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/libcuda/libcuda-real.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/memory/library-memory-request.h"

/* ---- graphs ---- */

struct exec {
	struct exec *next;
	CUgraphExec handle;
	uint64_t graph; /* key of its row */
};

static struct {
	pthread_mutex_t lock;
	struct exec *execs;   /* that were instantiated and not destroyed */
	uint64_t n_destroyed; /* graphs whose rows have got another key */
} graphs = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Room for a node's memory and `add`, which makes the node. */
#define COUNTED_NODE(graph, device_, bytes_, add)                                                  \
	({                                                                                         \
		struct library_memory row_ = { .kind = LIBRARY_GRAPH,                              \
					       .key = (uintptr_t)(graph),                          \
					       .call = "cuGraphAddMemAllocNode" },                 \
				      old_;                                                        \
		uint64_t cost_ = libcuda_cost(bytes_);                                             \
		CUresult node_ = library_memory_reserve(row_.call, device_, cost_);                \
                                                                                                   \
		if (!node_) {                                                                      \
			node_ = (add);                                                             \
			row_.bytes = cost_ + (library_memory_find(LIBRARY_GRAPH, row_.key, &old_)  \
						      ? old_.bytes                                 \
						      : 0);                                        \
			library_memory_take(device_, cost_, node_, &row_);                         \
		}                                                                                  \
		node_;                                                                             \
	})

static int device_of(const CUmemPoolProps *p)
{
	return p->location.id >= 0 && p->location.id < device.count ? p->location.id : 0;
}

static CUresult add_memory(CUgraphNode *ret, CUgraph g, const CUgraphNode *deps, size_t n,
			   CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	return COUNTED_NODE(g, device_of(&p->poolProps), p->bytesize,
			    LIBCUDA_REAL(LIBCUDA_cuGraphAddMemAllocNode,
					 cuGraphAddMemAllocNode)(ret, g, deps, n, p));
}

static bool is_memory(const CUgraphNodeParams *p)
{
	return p && p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC;
}

typedef CUresult add_node_fn(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
			     CUgraphNodeParams *);

static CUresult add_node_v1(CUgraphNode *ret, CUgraph g, const CUgraphNode *deps, size_t n,
			    CUgraphNodeParams *p)
{
	add_node_fn *real = libcuda.real[LIBCUDA_cuGraphAddNode];

	if (!is_memory(p))
		return real(ret, g, deps, n, p);
	return COUNTED_NODE(g, device_of(&p->alloc.poolProps), p->alloc.bytesize,
			    real(ret, g, deps, n, p));
}

/* The third version has the parameters of the second. */
static CUresult add_node_by(enum libcuda_number number, CUgraphNode *ret, CUgraph g,
			    const CUgraphNode *deps, const CUgraphEdgeData *edges, size_t n,
			    CUgraphNodeParams *p)
{
	__typeof__(cuGraphAddNode) *real = libcuda.real[number];

	if (!is_memory(p))
		return real(ret, g, deps, edges, n, p);
	return COUNTED_NODE(g, device_of(&p->alloc.poolProps), p->alloc.bytesize,
			    real(ret, g, deps, edges, n, p));
}

static CUresult add_node_v2(CUgraphNode *ret, CUgraph g, const CUgraphNode *deps,
			    const CUgraphEdgeData *edges, size_t n, CUgraphNodeParams *p)
{
	return add_node_by(LIBCUDA_cuGraphAddNode_v2, ret, g, deps, edges, n, p);
}

static CUresult add_node_v3(CUgraphNode *ret, CUgraph g, const CUgraphNode *deps,
			    const CUgraphEdgeData *edges, size_t n, CUgraphNodeParams *p)
{
	return add_node_by(LIBCUDA_cuGraphAddNode_v3, ret, g, deps, edges, n, p);
}

CUresult libcuda_captured(int device_number, size_t size, CUstream s, bool per_thread,
			  libcuda_async_fn *call, CUdeviceptr *ret)
{
	CUresult (*info)(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *,
			 const CUgraphNode **, size_t *) =
		libcuda.real[per_thread ? LIBCUDA_cuStreamGetCaptureInfo_v2_ptsz
					: LIBCUDA_cuStreamGetCaptureInfo_v2];
	CUstreamCaptureStatus status;
	CUgraph graph = NULL;
	CUresult result = info(s, &status, NULL, &graph, NULL, NULL);

	if (result)
		return result;
	return COUNTED_NODE(graph, device_number, size, call(ret, size, NULL, s, per_thread));
}

static void note_exec(CUgraphExec handle, CUgraph g)
{
	struct exec *e = malloc(sizeof(*e));
	struct library_memory row;

	/* Without its own row the graph's stays as long as the process. */
	if (!e || !library_memory_find(LIBRARY_GRAPH, (uintptr_t)g, &row)) {
		free(e);
		return;
	}
	*e = (struct exec){ NULL, handle, (uintptr_t)g };
	pthread_mutex_lock(&graphs.lock);
	e->next = graphs.execs;
	graphs.execs = e;
	pthread_mutex_unlock(&graphs.lock);
}

/* With the lock. */
static bool is_instantiated(uint64_t graph)
{
	for (const struct exec *e = graphs.execs; e; e = e->next)
		if (e->graph == graph)
			return true;
	return false;
}

static CUresult destroy_graph(CUgraph g)
{
	uint64_t key = (uintptr_t)g, other;
	CUresult result = LIBCUDA_REAL(LIBCUDA_cuGraphDestroy, cuGraphDestroy)(g);

	if (result)
		return result;
	pthread_mutex_lock(&graphs.lock);
	if (is_instantiated(key)) {
		/* The handle may be given to another graph. */
		other = UINT64_MAX - graphs.n_destroyed++;
		library_memory_rename(LIBRARY_GRAPH, key, other);
		for (struct exec *e = graphs.execs; e; e = e->next)
			if (e->graph == key)
				e->graph = other;
	} else {
		library_memory_drop(LIBRARY_GRAPH, key);
	}
	pthread_mutex_unlock(&graphs.lock);
	return CUDA_SUCCESS;
}

static CUresult destroy_exec(CUgraphExec handle)
{
	CUresult result = LIBCUDA_REAL(LIBCUDA_cuGraphExecDestroy, cuGraphExecDestroy)(handle);
	struct exec **at = &graphs.execs, *e;

	if (result)
		return result;
	pthread_mutex_lock(&graphs.lock);
	while (*at && (*at)->handle != handle)
		at = &(*at)->next;
	e = *at;
	if (e) {
		*at = e->next;
		/* Keys of graphs that are there are addresses. */
		if (e->graph > UINT64_MAX - graphs.n_destroyed && !is_instantiated(e->graph))
			library_memory_drop(LIBRARY_GRAPH, e->graph);
		free(e);
	}
	pthread_mutex_unlock(&graphs.lock);
	return CUDA_SUCCESS;
}

#define NOTED(call)                                                                                \
	({                                                                                         \
		CUresult result_ = (call);                                                         \
                                                                                                   \
		if (!result_)                                                                      \
			note_exec(*ret, g);                                                        \
		result_;                                                                           \
	})

typedef CUresult instantiate_fn(CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t);

static CUresult instantiate_v1(CUgraphExec *ret, CUgraph g, CUgraphNode *bad, char *text,
			       size_t size)
{
	return NOTED(((instantiate_fn *)libcuda.real[LIBCUDA_cuGraphInstantiate])(ret, g, bad, text,
										  size));
}

static CUresult instantiate_v2(CUgraphExec *ret, CUgraph g, CUgraphNode *bad, char *text,
			       size_t size)
{
	return NOTED(((instantiate_fn *)libcuda.real[LIBCUDA_cuGraphInstantiate_v2])(ret, g, bad,
										     text, size));
}

static CUresult instantiate(CUgraphExec *ret, CUgraph g, unsigned long long flags)
{
	return NOTED(LIBCUDA_REAL(LIBCUDA_cuGraphInstantiateWithFlags, cuGraphInstantiate)(ret, g,
											   flags));
}

static CUresult instantiate_with(CUgraphExec *ret, CUgraph g, CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
	return NOTED(LIBCUDA_REAL(LIBCUDA_cuGraphInstantiateWithParams,
				  cuGraphInstantiateWithParams)(ret, g, p));
}

static CUresult instantiate_with_per_thread(CUgraphExec *ret, CUgraph g,
					    CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
	return NOTED(LIBCUDA_REAL(LIBCUDA_cuGraphInstantiateWithParams_ptsz,
				  cuGraphInstantiateWithParams)(ret, g, p));
}

/* ---- device code ---- */

/* On a GPU in units of its own; the emulated device knows it to the byte. */
static uint64_t taken_now(int device_number)
{
	size_t free_bytes = 0, total = 0;

	if (device.driver->extension)
		return device.driver->extension->used(device_number);
	device.driver->cuMemGetInfo(&free_bytes, &total);
	return total - free_bytes;
}

/* The module that was loaded is counted, or unloaded again. */
static CUresult settle_module(const char *call, void *handle, int device_number, uint64_t before,
			      CUresult (*unload)(void *))
{
	struct library_memory row = { .kind = LIBRARY_MODULE,
				      .key = (uintptr_t)handle,
				      .call = call };
	uint64_t after = taken_now(device_number);
	CUresult result;

	row.bytes = after > before ? after - before : 0;
	result = library_memory_reserve_taken(call, device_number, row.bytes);
	if (result)
		unload(handle);
	else
		library_memory_settle(device_number, row.bytes, &row);
	return result;
}

#define MEASURED(name, ret, unload, call)                                                          \
	({                                                                                         \
		CUresult loaded_;                                                                  \
		uint64_t before_;                                                                  \
		int device_;                                                                       \
                                                                                                   \
		if (libcuda_device(&device_))                                                      \
			device_ = 0; /* without a context nothing is loaded yet */                 \
		pthread_mutex_lock(&libcuda.load_lock);                                            \
		before_ = taken_now(device_);                                                      \
		loaded_ = (call);                                                                  \
		if (!loaded_)                                                                      \
			loaded_ = settle_module(name, *(ret), device_, before_,                    \
						(CUresult(*)(void *))libcuda.real[unload]);        \
		pthread_mutex_unlock(&libcuda.load_lock);                                          \
		loaded_;                                                                           \
	})

static CUresult load_file(CUmodule *ret, const char *path)
{
	return MEASURED("cuModuleLoad", ret, LIBCUDA_cuModuleUnload,
			LIBCUDA_REAL(LIBCUDA_cuModuleLoad, cuModuleLoad)(ret, path));
}

static CUresult load_data(CUmodule *ret, const void *image)
{
	return MEASURED("cuModuleLoadData", ret, LIBCUDA_cuModuleUnload,
			LIBCUDA_REAL(LIBCUDA_cuModuleLoadData, cuModuleLoadData)(ret, image));
}

static CUresult load_data_with(CUmodule *ret, const void *image, unsigned n, CUjit_option *options,
			       void **values)
{
	return MEASURED("cuModuleLoadDataEx", ret, LIBCUDA_cuModuleUnload,
			LIBCUDA_REAL(LIBCUDA_cuModuleLoadDataEx,
				     cuModuleLoadDataEx)(ret, image, n, options, values));
}

static CUresult load_fat_binary(CUmodule *ret, const void *image)
{
	return MEASURED(
		"cuModuleLoadFatBinary", ret, LIBCUDA_cuModuleUnload,
		LIBCUDA_REAL(LIBCUDA_cuModuleLoadFatBinary, cuModuleLoadFatBinary)(ret, image));
}

static CUresult load_library(CUlibrary *ret, const void *code, CUjit_option *options, void **values,
			     unsigned n, CUlibraryOption *library_options, void **library_values,
			     unsigned n_library)
{
	return MEASURED(
		"cuLibraryLoadData", ret, LIBCUDA_cuLibraryUnload,
		LIBCUDA_REAL(LIBCUDA_cuLibraryLoadData, cuLibraryLoadData)(
			ret, code, options, values, n, library_options, library_values, n_library));
}

static CUresult load_library_file(CUlibrary *ret, const char *path, CUjit_option *options,
				  void **values, unsigned n, CUlibraryOption *library_options,
				  void **library_values, unsigned n_library)
{
	return MEASURED(
		"cuLibraryLoadFromFile", ret, LIBCUDA_cuLibraryUnload,
		LIBCUDA_REAL(LIBCUDA_cuLibraryLoadFromFile, cuLibraryLoadFromFile)(
			ret, path, options, values, n, library_options, library_values, n_library));
}

static CUresult unload_module(CUmodule m)
{
	return library_memory_given_back(LIBCUDA_REAL(LIBCUDA_cuModuleUnload, cuModuleUnload)(m),
					 LIBRARY_MODULE, (uintptr_t)m);
}

static CUresult unload_library(CUlibrary l)
{
	return library_memory_given_back(LIBCUDA_REAL(LIBCUDA_cuLibraryUnload, cuLibraryUnload)(l),
					 LIBRARY_MODULE, (uintptr_t)l);
}

const struct libcuda_guard libcuda_graph_guards[] = {
	LIBCUDA_GUARD(cuGraphAddMemAllocNode, add_memory),
	LIBCUDA_GUARD(cuGraphAddNode, add_node_v1),
	LIBCUDA_GUARD(cuGraphAddNode_v2, add_node_v2),
	LIBCUDA_GUARD(cuGraphAddNode_v3, add_node_v3),
	LIBCUDA_GUARD(cuGraphDestroy, destroy_graph),
	LIBCUDA_GUARD(cuGraphExecDestroy, destroy_exec),
	LIBCUDA_GUARD(cuGraphInstantiate, instantiate_v1),
	LIBCUDA_GUARD(cuGraphInstantiate_v2, instantiate_v2),
	LIBCUDA_GUARD(cuGraphInstantiateWithFlags, instantiate),
	LIBCUDA_GUARD(cuGraphInstantiateWithParams, instantiate_with),
	LIBCUDA_GUARD(cuGraphInstantiateWithParams_ptsz, instantiate_with_per_thread),
	LIBCUDA_GUARD(cuModuleLoad, load_file),
	LIBCUDA_GUARD(cuModuleLoadData, load_data),
	LIBCUDA_GUARD(cuModuleLoadDataEx, load_data_with),
	LIBCUDA_GUARD(cuModuleLoadFatBinary, load_fat_binary),
	LIBCUDA_GUARD(cuModuleUnload, unload_module),
	LIBCUDA_GUARD(cuLibraryLoadData, load_library),
	LIBCUDA_GUARD(cuLibraryLoadFromFile, load_library_file),
	LIBCUDA_GUARD(cuLibraryUnload, unload_library),
	{ 0, NULL },
};
