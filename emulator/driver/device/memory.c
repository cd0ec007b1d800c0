/* SPDX-License-Identifier: Apache-2.0 */
/* Physical memory, reservations and mappings. Annotated buffers are in memory-buffers.c. */
#define _GNU_SOURCE
#include "emulator/driver/device/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory/address-map.h"
#include "emulator/driver/device/context.h"
#include "emulator/driver/device/inject.h"
#include "emulator/driver/device/memory-table.h"
#include "emulator/memory/shadow.h"

_Static_assert(DEVICE_BASE >> 44 == 3 && (DEVICE_BASE + DEVICE_SIZE - 1) >> 44 == 3,
	       "memory_is_device() fits the map");

#define PAGE 4096ull
#define GUARD GPU_GRANULARITY
#define HOST_NAME "cgpu-host"

struct memory_table memory_table = { .lock = PTHREAD_RWLOCK_INITIALIZER };

static void write_lock(void)
{
	pthread_rwlock_wrlock(&memory_table.lock);
}

static void unlock(void)
{
	pthread_rwlock_unlock(&memory_table.lock);
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static void *alias(uint64_t address)
{
	return (void *)(uintptr_t)(address + DEVICE_ALIAS_OFFSET);
}

CUresult memory_init(void)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
	void *window = (void *)(uintptr_t)DEVICE_BASE;

	if (mmap(window, DEVICE_SIZE, PROT_NONE, flags, -1, 0) == MAP_FAILED ||
	    mmap(alias(DEVICE_BASE), DEVICE_SIZE, PROT_NONE, flags, -1, 0) == MAP_FAILED)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memory_table.reservations.item = sizeof(struct range);
	memory_table.mappings.item = sizeof(struct mapping);
	memory_table.buffers.item = sizeof(struct machine_buffer);
	memory_make_views();
	return CUDA_SUCCESS;
}

/* With the lock: what neither this process nor, as a test may say, others have. */
static uint64_t room(int device)
{
	uint64_t taken = memory_table.device[device].frames.taken + inject_held();

	return taken < gpu.memory ? gpu.memory - taken : 0;
}

/* The memory of a device that the allocation is of. */
static struct memory_device *device_of(const struct allocation *a)
{
	return &memory_table.device[a->device];
}

/* With the lock: false when the device has no room for it. */
static bool charge(struct allocation *a)
{
	if (a->device < 0)
		return true;
	if (!frames_take(&device_of(a)->frames, a->size, room(a->device), &a->place))
		return false;
	a->charged = a->size;
	device_of(a)->used += a->size;
	return true;
}

static void discharge(const struct allocation *a)
{
	if (a->device < 0)
		return;
	device_of(a)->used -= a->charged;
	frames_give(&device_of(a)->frames, &a->place);
}

CUresult memory_create(int device, uint64_t size, struct allocation **ret)
{
	struct allocation *a = malloc(sizeof(*a));
	CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
	char name[32];

	if (!a)
		return result;
	*a = (struct allocation){ .fd = -1, .device = device, .size = size, .references = 1 };
	/* The name is how memory_import() knows whose it is. */
	snprintf(name, sizeof(name), device < 0 ? HOST_NAME : EMULATOR_MEMORY_NAME "%d", device);
	write_lock();
	if (charge(a)) {
		a->fd = memfd_create(name, MFD_CLOEXEC);
		if (a->fd >= 0 && !ftruncate(a->fd, (off_t)size))
			result = CUDA_SUCCESS;
		else
			discharge(a);
	}
	unlock();
	if (result) {
		if (a->fd >= 0)
			close(a->fd);
		free(a);
		return result;
	}
	*ret = a;
	return CUDA_SUCCESS;
}

/* Memory that another process has made is of the device that has its number here. */
static int maker_of(int fd)
{
	char path[32], target[64];
	const char *name;
	ssize_t len;
	int device = 0;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	len = readlink(path, target, sizeof(target) - 1);
	if (len <= 0)
		return 0;
	target[len] = '\0';
	if (strstr(target, HOST_NAME))
		return MEMORY_HOST;
	name = strstr(target, EMULATOR_MEMORY_NAME);
	if (name)
		device = (int)strtol(name + strlen(EMULATOR_MEMORY_NAME), NULL, 10);
	return gpu_has(device) ? device : 0;
}

CUresult memory_import(int fd, struct allocation **ret)
{
	struct allocation *a = malloc(sizeof(*a));
	struct stat st;

	if (!a)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (fstat(fd, &st) || st.st_size <= 0) {
		free(a);
		return CUDA_ERROR_INVALID_VALUE;
	}
	*a = (struct allocation){
		.fd = fd, .device = maker_of(fd), .size = (uint64_t)st.st_size, .references = 1
	};
	/* Counting more than there is could refuse what the maker was given. */
	write_lock();
	charge(a);
	unlock();
	*ret = a;
	return CUDA_SUCCESS;
}

static void release_locked(struct allocation *a)
{
	if (!a || --a->references)
		return;
	discharge(a);
	close(a->fd);
	free(a);
}

void memory_release(struct allocation *a)
{
	write_lock();
	release_locked(a);
	unlock();
}

struct allocation *memory_retain(uint64_t address)
{
	struct allocation *a = NULL;
	const struct mapping *m;

	write_lock();
	m = range_find(&memory_table.mappings, address);
	if (m && m->kind == MAPPING_VMM)
		a = m->allocation;
	if (a)
		a->references++;
	unlock();
	return a;
}

void memory_usage(int device, uint64_t *ret_free, uint64_t *ret_total)
{
	write_lock();
	*ret_total = gpu.memory;
	*ret_free = room(device);
	unlock();
}

uint64_t memory_used(int device)
{
	uint64_t bytes;

	write_lock();
	bytes = memory_table.device[device].used;
	unlock();
	return bytes;
}

/* The highest free place below the top of the window that is big enough; 0: none. */
static uint64_t find_free(uint64_t size, uint64_t align)
{
	uint64_t top = DEVICE_BASE + DEVICE_SIZE;

	for (size_t i = memory_table.reservations.n;; i--) {
		const struct range *below = i ? range_at(&memory_table.reservations, i - 1) : NULL;
		uint64_t bottom = below ? below->address + below->size : DEVICE_BASE;

		if (top - bottom >= size) {
			uint64_t at = (top - size) / align * align;

			if (at >= bottom)
				return at;
		}
		if (!below)
			return 0;
		top = below->address;
	}
}

static CUresult reserve_locked(uint64_t hint, uint64_t size, uint64_t align, uint64_t *ret)
{
	struct range *r;
	uint64_t at = hint;

	if (!hint || hint % align || !address_in_device(hint) ||
	    !address_in_device(hint + size - 1) ||
	    range_overlaps(&memory_table.reservations, hint, size))
		at = find_free(size, align);
	if (!at)
		return CUDA_ERROR_OUT_OF_MEMORY;
	r = range_insert(&memory_table.reservations, at);
	if (!r)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*r = (struct range){ at, size };
	*ret = at;
	return CUDA_SUCCESS;
}

CUresult memory_reserve(uint64_t hint, uint64_t size, uint64_t align, uint64_t *ret)
{
	CUresult result;

	write_lock();
	result = reserve_locked(hint, size, align ? align : GPU_GRANULARITY, ret);
	unlock();
	return result;
}

CUresult memory_unreserve(uint64_t address, uint64_t size)
{
	CUresult result = CUDA_ERROR_INVALID_VALUE;
	struct range *r;

	write_lock();
	r = range_find(&memory_table.reservations, address);
	if (r && r->address == address && r->size == size &&
	    !range_overlaps(&memory_table.mappings, address, size)) {
		range_remove(&memory_table.reservations, r);
		result = CUDA_SUCCESS;
	}
	unlock();
	return result;
}

static CUresult map_locked(struct mapping m, int prot)
{
	struct mapping *slot;

	if (range_overlaps(&memory_table.mappings, m.address, m.size))
		return CUDA_ERROR_INVALID_VALUE;
	slot = range_insert(&memory_table.mappings, m.address);
	if (!slot)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (m.allocation && mmap(m.bytes, m.size, prot, MAP_SHARED | MAP_FIXED, m.allocation->fd,
				 0) == MAP_FAILED) {
		range_remove(&memory_table.mappings, slot);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (m.allocation)
		m.allocation->references++;
	*slot = m;
	memory_table.generation++;
	return CUDA_SUCCESS;
}

CUresult memory_map(uint64_t address, uint64_t size, struct allocation *a)
{
	struct mapping m = { .address = address,
			     .size = size,
			     .bytes = alias(address),
			     .allocation = a,
			     .kind = MAPPING_VMM,
			     .device = a->device,
			     .access = PROT_NONE };
	CUresult result = CUDA_ERROR_INVALID_VALUE;
	const struct range *r;

	write_lock();
	r = range_find(&memory_table.reservations, address);
	if (r && size && size == a->size && address + size <= r->address + r->size)
		result = map_locked(m, PROT_NONE);
	unlock();
	return result;
}

static void unmap_locked(struct mapping *m)
{
	memory_forget_buffers(m->address, m->size);
	memory_retire_shadow(&m->shadow);
	if (m->allocation)
		mmap(m->bytes, m->size, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	release_locked(m->allocation);
	range_remove(&memory_table.mappings, m);
	memory_table.generation++;
}

/* Mappings in [address, address + size) that fill it without a gap; 0 when they do not. *ret_first
 * is the index. */
static size_t covering(uint64_t address, uint64_t size, size_t *ret_first)
{
	uint64_t at = address;
	size_t n = 0;

	*ret_first = range_index(&memory_table.mappings, address);
	while (at < address + size && *ret_first + n < memory_table.mappings.n) {
		const struct mapping *m = range_at(&memory_table.mappings, *ret_first + n);

		if (m->address != at)
			return 0;
		at += m->size;
		n++;
	}
	return at == address + size ? n : 0;
}

static uint32_t with_bit(uint32_t bits, int bit, bool on)
{
	return on ? bits | 1u << bit : bits & ~(1u << bit);
}

CUresult memory_set_access(uint64_t address, uint64_t size, int device, int prot)
{
	CUresult result = CUDA_ERROR_INVALID_VALUE;
	size_t first, n;

	write_lock();
	n = covering(address, size, &first);
	for (size_t i = 0; i < n; i++) {
		struct mapping *m = range_at(&memory_table.mappings, first + i);

		m->readers = with_bit(m->readers, device, prot & PROT_READ);
		m->writers = with_bit(m->writers, device, prot & PROT_WRITE);
		m->access = (m->readers ? PROT_READ : 0) | (m->writers ? PROT_WRITE : 0);
		result = mprotect(m->bytes, m->size, m->access) ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
	}
	memory_table.generation++;
	unlock();
	return result;
}

bool memory_peer(int device, int other, bool on)
{
	uint32_t *peers = &memory_table.device[device].peers;
	bool before;

	write_lock();
	before = *peers >> other & 1;
	*peers = with_bit(*peers, other, on);
	memory_table.generation++;
	unlock();
	return before;
}

int memory_reach(const struct mapping *m, int device)
{
	if (m->kind == MAPPING_VMM)
		return (m->readers >> device & 1 ? PROT_READ : 0) |
		       (m->writers >> device & 1 ? PROT_WRITE : 0);
	if (!m->allocation || m->device == device ||
	    (memory_table.device[device].peers >> m->device & 1))
		return m->access;
	return PROT_NONE;
}

CUresult memory_unmap(uint64_t address, uint64_t size)
{
	CUresult result = CUDA_ERROR_INVALID_VALUE;
	size_t first, n;

	write_lock();
	n = covering(address, size, &first);
	for (size_t i = 0; i < n; i++) {
		unmap_locked(range_at(&memory_table.mappings, first));
		result = CUDA_SUCCESS;
	}
	unlock();
	return result;
}

static CUresult alloc_device(struct mapping *m)
{
	CUresult result = memory_create(m->device, round_up(m->size, PAGE), &m->allocation);
	struct range *r;

	if (result)
		return result;
	write_lock();
	/* The guard keeps neighbours apart, so an overrun never lands in another buffer. */
	result = reserve_locked(0, round_up(m->size, GPU_GRANULARITY) + GUARD, GPU_GRANULARITY,
				&m->address);
	if (!result) {
		m->bytes = alias(m->address);
		result = map_locked(*m, PROT_READ | PROT_WRITE);
		r = range_find(&memory_table.reservations, m->address);
		if (result && r)
			range_remove(&memory_table.reservations, r);
	}
	release_locked(m->allocation);
	unlock();
	return result;
}

static CUresult alloc_host(struct mapping *m)
{
	CUresult result;

	m->bytes = mmap(NULL, round_up(m->size, PAGE), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m->bytes == MAP_FAILED)
		return CUDA_ERROR_OUT_OF_MEMORY;
	m->address = (uintptr_t)m->bytes;
	write_lock();
	result = map_locked(*m, PROT_READ | PROT_WRITE);
	unlock();
	if (result)
		munmap(m->bytes, round_up(m->size, PAGE));
	return result;
}

CUresult memory_alloc(int device, uint64_t size, enum mapping_kind kind, const char *name,
		      uint64_t *ret)
{
	struct mapping m = {
		.size = size, .kind = kind, .device = device, .access = PROT_READ | PROT_WRITE
	};
	CUresult result;

	strncpy(m.name, name, sizeof(m.name) - 1);
	result = kind == MAPPING_PINNED ? alloc_host(&m) : alloc_device(&m);
	if (!result)
		*ret = m.address;
	return result;
}

void memory_unwritten(uint64_t address)
{
	struct mapping *m;

	write_lock();
	m = range_find(&memory_table.mappings, address);
	if (m && !m->shadow)
		m->shadow = shadow_new(m->size);
	unlock();
}

CUresult memory_free(uint64_t address, enum mapping_kind kind)
{
	struct mapping *m, copy;
	struct range *r;

	write_lock();
	m = range_find(&memory_table.mappings, address);
	if (!m || m->address != address || m->kind != kind) {
		unlock();
		return CUDA_ERROR_INVALID_VALUE;
	}
	copy = *m;
	unmap_locked(m);
	r = range_find(&memory_table.reservations, address);
	if (r && r->address == address)
		range_remove(&memory_table.reservations, r);
	memory_remember_freed(&copy);
	unlock();
	if (kind == MAPPING_PINNED)
		munmap(copy.bytes, round_up(copy.size, PAGE));
	return CUDA_SUCCESS;
}

CUresult memory_register_host(void *p, uint64_t size, unsigned flags)
{
	struct mapping m = { .address = (uintptr_t)p,
			     .size = size,
			     .bytes = p,
			     .kind = MAPPING_HOST,
			     .flags = flags,
			     .device = context_device(),
			     .access = PROT_READ | PROT_WRITE };
	CUresult result;

	write_lock();
	if (range_overlaps(&memory_table.mappings, m.address, size))
		result = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	else
		result = map_locked(m, PROT_READ | PROT_WRITE);
	unlock();
	return result;
}

CUresult memory_unregister_host(void *p)
{
	CUresult result = CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
	struct mapping *m;

	write_lock();
	m = range_find(&memory_table.mappings, (uintptr_t)p);
	if (m && m->bytes == p && m->kind == MAPPING_HOST) {
		unmap_locked(m);
		result = CUDA_SUCCESS;
	}
	unlock();
	return result;
}

bool memory_find_mapping(uint64_t address, struct mapping *ret)
{
	const struct mapping *m;

	pthread_rwlock_rdlock(&memory_table.lock);
	m = range_find(&memory_table.mappings, address);
	if (m)
		*ret = *m;
	unlock();
	return m;
}

void memory_mark(uint64_t address, bool device_heap, bool managed)
{
	struct mapping *m;

	write_lock();
	m = range_find(&memory_table.mappings, address);
	if (m) {
		m->device_heap = device_heap;
		m->managed = managed;
	}
	unlock();
}

void memory_set_pool(uint64_t address, CUmemoryPool pool)
{
	struct mapping *m;

	write_lock();
	m = range_find(&memory_table.mappings, address);
	if (m)
		m->pool = pool;
	unlock();
}

void *memory_bytes(uint64_t address, uint64_t size, bool write)
{
	uint64_t at = address, end = address + size;
	const struct mapping *m;
	void *bytes = NULL;
	bool may;

	if (end < address)
		return NULL;
	pthread_rwlock_rdlock(&memory_table.lock);
	m = range_find(&memory_table.mappings, address);
	if (m)
		bytes = (char *)m->bytes + (address - m->address);
	while (m && (m->access & (write ? PROT_WRITE : PROT_READ))) {
		at = m->address + m->size;
		if (at >= end)
			break;
		m = range_find(&memory_table.mappings, at);
	}
	may = at >= end && m && (m->access & (write ? PROT_WRITE : PROT_READ));
	unlock();
	return may ? bytes : NULL;
}
