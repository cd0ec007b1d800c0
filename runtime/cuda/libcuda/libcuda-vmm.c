/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Physical memory of cuMemCreate() that libraries have made. It is there, and counted, as long as
 * there is a handle, a mapping or an exported descriptor of it. Of a descriptor that was given out
 * we keep a copy: memory whose handles and mappings are gone is counted until the copy is the last
 * one in this process, which is looked at when a cell ends.
 *
 * Memory that others have made is not taken in. Addresses of the session are not theirs to change.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/log.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/libcuda/libcuda-real.h"
#include "runtime/cuda/libcuda/libcuda.h"
#include "runtime/cuda/memory/library-memory-request.h"
#include "runtime/cuda/memory/vmm-pool.h"

#ifndef F_DUPFD_QUERY
#define F_DUPFD_QUERY 1027 /* Linux 6.10 */
#endif

struct object {
	struct object *next;
	unsigned handles, mappings;
	int device;
	int fd; /* a copy of what was exported, -1: nothing */
};

/* A handle, or the address of a mapping, of an object; a handle has one link for each time that it
 * was given out. */
struct link {
	struct link *next;
	struct object *object;
	uint64_t key;
	bool mapping;
};

static struct {
	pthread_mutex_t lock;
	struct object *objects;
	struct link *links;
} physical = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct link **find(uint64_t key, bool mapping)
{
	struct link **at = &physical.links;

	while (*at && ((*at)->key != key || (*at)->mapping != mapping))
		at = &(*at)->next;
	return at;
}

/* Are these descriptors of one file? -1: this Linux cannot say. */
static int is_same(int a, int b)
{
	struct stat x, y;
	int same = fcntl(a, F_DUPFD_QUERY, b);

	if (same >= 0)
		return same;
	if (fstat(a, &x) || fstat(b, &y))
		return 0;
	if (x.st_dev != y.st_dev || x.st_ino != y.st_ino)
		return 0;
	/* Each export of a driver is the same device node. */
	return S_ISCHR(x.st_mode) ? -1 : 1;
}

static bool is_open_elsewhere(int fd)
{
	cleanup_dir DIR *d = opendir("/proc/self/fd");
	struct dirent *e;

	while (d && (e = readdir(d))) {
		int other = atoi(e->d_name);

		if (*e->d_name != '.' && other != fd && other != dirfd(d) && is_same(other, fd))
			return true;
	}
	return !d;
}

/* With the lock. */
static void drop_if_gone(struct object *o)
{
	struct object **at = &physical.objects;

	if (o->handles || o->mappings || (o->fd >= 0 && is_open_elsewhere(o->fd)))
		return;
	while (*at != o)
		at = &(*at)->next;
	*at = o->next;
	if (o->fd >= 0)
		close(o->fd);
	library_memory_drop(LIBRARY_OBJECT, (uintptr_t)o);
	free(o);
}

void libcuda_settle(void)
{
	pthread_mutex_lock(&physical.lock);
	for (struct object *o = physical.objects, *next; o; o = next) {
		next = o->next;
		drop_if_gone(o);
	}
	pthread_mutex_unlock(&physical.lock);
}

/* With the lock: one more link to an object. False: no memory, and the object stays counted for
 * good. */
static bool add_link(struct object *o, uint64_t key, bool mapping)
{
	struct link *l = malloc(sizeof(*l));

	if (mapping)
		o->mappings++;
	else
		o->handles++;
	if (!l)
		return false;
	*l = (struct link){ physical.links, o, key, mapping };
	physical.links = l;
	return true;
}

/* With the lock. */
static void remove_link(struct link **at)
{
	struct link *l = *at;
	struct object *o = l->object;

	*at = l->next;
	if (l->mapping)
		o->mappings--;
	else
		o->handles--;
	free(l);
	drop_if_gone(o);
}

static CUresult create(CUmemGenericAllocationHandle *ret, size_t size,
		       const CUmemAllocationProp *prop, unsigned long long flags)
{
	bool counts = prop && prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
		      prop->location.id >= 0 && prop->location.id < device.count;
	struct library_memory row = { .kind = LIBRARY_OBJECT,
				      .bytes = size,
				      .call = "cuMemCreate" };
	struct object *o = calloc(1, sizeof(*o));
	CUresult result = CUDA_SUCCESS;

	if (!o)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*o = (struct object){ .device = counts ? prop->location.id : 0, .fd = -1 };
	if (counts)
		result = library_memory_reserve(row.call, o->device, size);
	if (result) {
		free(o);
		return result;
	}
	result = LIBCUDA_REAL(LIBCUDA_cuMemCreate, cuMemCreate)(ret, size, prop, flags);
	if (result) {
		if (counts)
			library_memory_settle(o->device, size, NULL);
		free(o);
		return result;
	}
	pthread_mutex_lock(&physical.lock);
	o->next = physical.objects;
	physical.objects = o;
	add_link(o, *ret, false);
	pthread_mutex_unlock(&physical.lock);
	row.key = (uintptr_t)o;
	if (counts)
		library_memory_settle(o->device, size, &row);
	return CUDA_SUCCESS;
}

static CUresult release(CUmemGenericAllocationHandle handle)
{
	CUresult result = LIBCUDA_REAL(LIBCUDA_cuMemRelease, cuMemRelease)(handle);
	struct link **at;

	pthread_mutex_lock(&physical.lock);
	at = find(handle, false);
	if (!result && *at)
		remove_link(at);
	pthread_mutex_unlock(&physical.lock);
	return result;
}

static CUresult map(CUdeviceptr address, size_t size, size_t offset,
		    CUmemGenericAllocationHandle handle, unsigned long long flags)
{
	CUresult result;
	struct link **at;

	if (vmm_pool_owns(address))
		return CUDA_ERROR_INVALID_VALUE;
	result = LIBCUDA_REAL(LIBCUDA_cuMemMap, cuMemMap)(address, size, offset, handle, flags);
	if (result)
		return result;
	pthread_mutex_lock(&physical.lock);
	at = find(handle, false);
	if (*at)
		add_link((*at)->object, address, true);
	pthread_mutex_unlock(&physical.lock);
	return CUDA_SUCCESS;
}

/* Whole mappings only, but several of them at a time. */
static CUresult unmap(CUdeviceptr address, size_t size)
{
	CUresult result;

	if (vmm_pool_owns(address))
		return CUDA_ERROR_INVALID_VALUE;
	result = LIBCUDA_REAL(LIBCUDA_cuMemUnmap, cuMemUnmap)(address, size);
	if (result)
		return result;
	pthread_mutex_lock(&physical.lock);
	for (struct link **at = &physical.links; *at;) {
		if ((*at)->mapping && (*at)->key - address < size)
			remove_link(at);
		else
			at = &(*at)->next;
	}
	pthread_mutex_unlock(&physical.lock);
	return CUDA_SUCCESS;
}

static CUresult retain(CUmemGenericAllocationHandle *ret, void *address)
{
	CUresult result;
	struct link **at;

	if (vmm_pool_owns((uintptr_t)address))
		return CUDA_ERROR_INVALID_VALUE;
	result = LIBCUDA_REAL(LIBCUDA_cuMemRetainAllocationHandle,
			      cuMemRetainAllocationHandle)(ret, address);
	if (result)
		return result;
	pthread_mutex_lock(&physical.lock);
	/* The row of the same handle, or of the mapping that starts there. */
	at = find(*ret, false);
	if (!*at)
		at = find((uintptr_t)address, true);
	if (*at)
		add_link((*at)->object, *ret, false);
	pthread_mutex_unlock(&physical.lock);
	return CUDA_SUCCESS;
}

static CUresult export(void *ret, CUmemGenericAllocationHandle handle,
		       CUmemAllocationHandleType type, unsigned long long flags)
{
	CUresult result = LIBCUDA_REAL(LIBCUDA_cuMemExportToShareableHandle,
				       cuMemExportToShareableHandle)(ret, handle, type, flags);
	struct link **at;

	if (result || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return result;
	pthread_mutex_lock(&physical.lock);
	at = find(handle, false);
	if (*at && (*at)->object->fd < 0)
		(*at)->object->fd = fcntl(*(int *)ret, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&physical.lock);
	return CUDA_SUCCESS;
}

/* Memory that was exported here may come back. */
static CUresult import(CUmemGenericAllocationHandle *ret, void *os_handle,
		       CUmemAllocationHandleType type)
{
	struct object *o;
	CUresult result;

	pthread_mutex_lock(&physical.lock);
	o = type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ? physical.objects : NULL;
	while (o && (o->fd < 0 || is_same((int)(intptr_t)os_handle, o->fd) != 1))
		o = o->next;
	if (o)
		o->handles++;
	pthread_mutex_unlock(&physical.lock);
	if (!o) {
		log_warning("cuMemImportFromShareableHandle is refused: memory that this session "
			    "has not made cannot be counted against its cap");
		return CUDA_ERROR_NOT_SUPPORTED;
	}
	result = LIBCUDA_REAL(LIBCUDA_cuMemImportFromShareableHandle,
			      cuMemImportFromShareableHandle)(ret, os_handle, type);
	pthread_mutex_lock(&physical.lock);
	if (!result)
		add_link(o, *ret, false);
	o->handles--;
	if (result)
		drop_if_gone(o);
	pthread_mutex_unlock(&physical.lock);
	return result;
}

static CUresult set_access(CUdeviceptr address, size_t size, const CUmemAccessDesc *desc, size_t n)
{
	if (vmm_pool_owns(address))
		return CUDA_ERROR_INVALID_VALUE;
	return LIBCUDA_REAL(LIBCUDA_cuMemSetAccess, cuMemSetAccess)(address, size, desc, n);
}

static CUresult address_free(CUdeviceptr address, size_t size)
{
	if (vmm_pool_owns(address))
		return CUDA_ERROR_INVALID_VALUE;
	return LIBCUDA_REAL(LIBCUDA_cuMemAddressFree, cuMemAddressFree)(address, size);
}

const struct libcuda_guard libcuda_vmm_guards[] = {
	LIBCUDA_GUARD(cuMemCreate, create),
	LIBCUDA_GUARD(cuMemRelease, release),
	LIBCUDA_GUARD(cuMemMap, map),
	LIBCUDA_GUARD(cuMemUnmap, unmap),
	LIBCUDA_GUARD(cuMemRetainAllocationHandle, retain),
	LIBCUDA_GUARD(cuMemExportToShareableHandle, export),
	LIBCUDA_GUARD(cuMemImportFromShareableHandle, import),
	LIBCUDA_GUARD(cuMemSetAccess, set_access),
	LIBCUDA_GUARD(cuMemAddressFree, address_free),
	{ 0, NULL },
};
