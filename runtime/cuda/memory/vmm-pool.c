/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two tables: the session's chunks (address, size, id), which roll back, and this process's handles
 * by chunk id, which do not. Addresses are searched next-fit, so that a freed buffer's addresses
 * rest a while before they mean something else.
 */
#include "runtime/cuda/memory/vmm-pool.h"

#include <string.h>
#include <unistd.h>

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/memory/address-map.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/cuda/driver/device-node.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/driver/device-window.h"
#include "runtime/cuda/memory/chunk-message.h"
#include "runtime/cuda/memory/host-chunk.h"
#include "runtime/cuda/memory/library-memory.h"
#include "runtime/cuda/session/session.h"

#define GAP DEVICE_WINDOW_GRANULE

struct chunk_handle {
	uint64_t id;
	uint64_t address; /* where it is mapped */
	uint64_t size;
	CUmemGenericAllocationHandle handle;
	int device;
	bool scratch;
	bool leaving;           /* unmapped at the commit */
	bool waiting;           /* a scratch chunk that holds nothing */
	struct host_chunk host; /* bytes not NULL: it is memory of the host, and has no handle */
};

/* The chunks as this process has them. */
static struct vmm_pool {
	struct chunk_handle *handles;
	size_t n_handles, cap_handles;
	uint64_t last_id; /* the low bits of it */
	/* Bytes that were granted stay so until the cell is committed, also when they were given
	 * back in between. */
	uint64_t granted[DEVICES_MAX];
	const char *refused; /* why the last request was; "": it was not */
} vmm_pool = { .refused = "" };

CUresult vmm_pool_init(void)
{
	struct error err = ERROR_INIT;

	/* The driver wanted a context before. */
	if (device_window_open(device.driver, device.host->window, &err) || !device_window_size()) {
		log_error("%s", err.text);
		return CUDA_ERROR_MAP_FAILED;
	}
	return CUDA_SUCCESS;
}

static struct chunk_handle *find_handle(uint64_t id)
{
	for (size_t i = 0; i < vmm_pool.n_handles; i++)
		if (vmm_pool.handles[i].id == id)
			return &vmm_pool.handles[i];
	return NULL;
}

static struct chunk_handle *add_handle(const struct chunk_handle *h)
{
	if (!ARRAY_ROOM(vmm_pool.handles, vmm_pool.n_handles, &vmm_pool.cap_handles))
		return NULL;
	vmm_pool.handles[vmm_pool.n_handles] = *h;
	return &vmm_pool.handles[vmm_pool.n_handles++];
}

static void release_handle(struct chunk_handle *h)
{
	if (h->host.bytes) {
		device.driver->cuMemHostUnregister(h->host.bytes);
		host_chunk_release(&h->host);
	} else {
		device.driver->cuMemUnmap(h->address, h->size);
		device.driver->cuMemRelease(h->handle);
	}
	*h = vmm_pool.handles[--vmm_pool.n_handles];
}

/* The kernel must hold the memory before anything is written there: then it outlives us. */
static CUresult hand_over(const struct chunk_handle *h, uint64_t address)
{
	struct error err = ERROR_INIT;
	int fd = -1, sent;
	CUresult result;

	result = device.driver->cuMemExportToShareableHandle(
		&fd, h->handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
	if (result)
		return result;
	device_node_tell();
	sent = chunk_message_made(h->id, h->size, address, fd, &err);
	close(fd);
	if (!sent)
		return CUDA_SUCCESS;
	log_error("device memory: %s", err.text);
	return CUDA_ERROR_OPERATING_SYSTEM;
}

static struct session_chunk *chunk_at(uint32_t i)
{
	return session_at(&device.session->chunks, struct session_chunk, i);
}

static struct session_chunk *chunk_of(uint64_t address)
{
	for (uint32_t i = 0; i < device.session->chunks.n; i++)
		if (address - chunk_at(i)->address < chunk_at(i)->size)
			return chunk_at(i);
	return NULL;
}

/* The devices that reach a chunk, a bit each: its own, and the peers of that or those that its pool
 * names. */
static uint32_t reached_by(const struct chunk_handle *h)
{
	const struct session_chunk *c = h->scratch ? NULL : chunk_of(h->address);
	uint32_t bits = 1u << h->device;

	if (c && c->owner)
		return bits | c->owner->access;
	for (int i = 0; i < device.count && !h->scratch; i++)
		if (device.session->peers[i] >> h->device & 1)
			bits |= 1u << i;
	return bits;
}

static CUresult set_access(const struct chunk_handle *h, uint32_t bits, CUmemAccess_flags flags)
{
	CUmemAccessDesc desc[DEVICES_MAX];
	size_t n = 0;

	for (int i = 0; i < device.count; i++)
		if (bits >> i & 1)
			desc[n++] =
				(CUmemAccessDesc){ { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = i },
						   flags };
	return n ? device.driver->cuMemSetAccess(h->address, h->size, desc, n) : CUDA_SUCCESS;
}

CUresult vmm_pool_reach_changed(void)
{
	CUresult result = CUDA_SUCCESS;

	for (size_t i = 0; i < vmm_pool.n_handles && !result; i++) {
		uint32_t bits = reached_by(&vmm_pool.handles[i]);

		if (vmm_pool.handles[i].scratch || vmm_pool.handles[i].leaving)
			continue;
		result = set_access(&vmm_pool.handles[i], bits, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
		if (!result)
			result = set_access(&vmm_pool.handles[i], ~bits,
					    CU_MEM_ACCESS_FLAGS_PROT_NONE);
	}
	return result;
}

static CUresult map(struct chunk_handle *h)
{
	CUresult result = device.driver->cuMemMap(h->address, h->size, 0, h->handle, 0);
	struct emulator_annotation nothing = { .address = h->address };

	if (result)
		return result;
	result = set_access(h, reached_by(h), CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	if (result) {
		device.driver->cuMemUnmap(h->address, h->size);
		return result;
	}
	/* Device code reaches annotated buffers only, nothing of a scratch chunk and no red zone.
	 */
	if (device.driver->extension)
		device.driver->extension->annotate(&nothing);
	return CUDA_SUCCESS;
}

const char *vmm_pool_refusal(void)
{
	return vmm_pool.refused;
}

bool vmm_pool_owns(uint64_t address)
{
	return address - DEVICE_BASE < device_window_size();
}

static void settle_granted(void)
{
	for (int i = 0; i < device.count; i++)
		vmm_pool.granted[i] = vmm_pool_taken(i) + library_memory_bytes(i);
}

static bool is_granted(int ordinal, uint64_t size, uint64_t *ret_more)
{
	uint64_t all = vmm_pool_taken(ordinal) + library_memory_bytes(ordinal) + size;

	*ret_more = all > vmm_pool.granted[ordinal]
			    ? round_up_to(all - vmm_pool.granted[ordinal], DEVICE_WINDOW_GRANULE)
			    : 0;
	return !*ret_more;
}

CUresult vmm_pool_ask(int ordinal, uint64_t size)
{
	uint64_t more;
	size_t total;
	CUresult result;
	int yes;

	vmm_pool.refused = "";
	if (!device.host->ask || is_granted(ordinal, size, &more))
		return CUDA_SUCCESS;
	/* Nobody is asked for more as long as there is something that is not needed. */
	vmm_pool_forget();
	if (is_granted(ordinal, size, &more))
		return CUDA_SUCCESS;
	result = device.driver->cuDeviceTotalMem(&total, ordinal);
	if (result)
		return result;
	yes = device.host->ask(ordinal, total, more, &vmm_pool.refused);
	if (yes <= 0)
		return yes ? CUDA_ERROR_TIMEOUT : CUDA_ERROR_OUT_OF_MEMORY;
	vmm_pool.granted[ordinal] += more;
	return CUDA_SUCCESS;
}

static CUresult ask_and_create(int ordinal, uint64_t size, CUmemGenericAllocationHandle *ret)
{
	CUresult result = vmm_pool_ask(ordinal, size);

	if (result)
		return result;
	result = device_window_create(device.driver, ordinal, size, ret);
	if (result == CUDA_ERROR_OUT_OF_MEMORY)
		vmm_pool_forget();
	if (result == CUDA_ERROR_OUT_OF_MEMORY && device.host->make_room &&
	    device.host->make_room(size))
		result = device_window_create(device.driver, ordinal, size, ret);
	return result;
}

/*
 * Physical memory, mapped, known to the kernel. told: the address that the kernel maps it at in
 * later workers, 0: it holds pre-images. id: the chunk whose memory it becomes; 0: a new one, and
 * then its number.
 */
static CUresult make(int ordinal, uint64_t size, uint64_t address, uint64_t told, uint64_t *id)
{
	struct chunk_handle h = {
		.address = address, .size = size, .device = ordinal, .scratch = !told
	};
	CUresult result = ask_and_create(ordinal, size, &h.handle);

	if (result)
		return result;
	h.id = *id ? *id : CHUNK_ID(device.epoch, ordinal, ++vmm_pool.last_id);
	result = map(&h);
	if (result) {
		device.driver->cuMemRelease(h.handle);
		return result;
	}
	result = add_handle(&h) ? hand_over(&h, told) : CUDA_ERROR_OUT_OF_MEMORY;
	if (result && find_handle(h.id)) {
		release_handle(find_handle(h.id));
	} else if (result) {
		device.driver->cuMemUnmap(h.address, h.size);
		device.driver->cuMemRelease(h.handle);
	}
	*id = h.id;
	return result;
}

/* One that is mapped in [at, at + size). What the session has let go is so until the commit. */
static const struct chunk_handle *handle_in(uint64_t at, uint64_t size)
{
	for (size_t i = 0; i < vmm_pool.n_handles; i++)
		if (vmm_pool.handles[i].address < at + size &&
		    at < vmm_pool.handles[i].address + vmm_pool.handles[i].size)
			return &vmm_pool.handles[i];
	return NULL;
}

/* A free range behind chunk i (or at the window's start for -1), not below `from`; 0: none there.
 */
static uint64_t place_behind(int64_t i, uint64_t from, uint64_t size)
{
	const struct session_array *a = &device.session->chunks;
	uint64_t start = DEVICE_BASE + GAP, end = device_window_scratch();

	if (i >= 0)
		start = chunk_at((uint32_t)i)->address + chunk_at((uint32_t)i)->size + GAP;
	if (i + 1 < (int64_t)a->n)
		end = chunk_at((uint32_t)(i + 1))->address;
	if (start < from)
		start = from;
	for (; start + size + GAP <= end; start += DEVICE_WINDOW_GRANULE)
		if (!handle_in(start, size + GAP))
			return start;
	return 0;
}

static uint64_t find_place(uint64_t size, uint32_t *ret_index)
{
	struct device_session *s = device.session;

	for (int wrapped = 0; wrapped < 2; wrapped++) {
		uint64_t from = wrapped ? 0 : s->next_place;

		for (int64_t i = -1; i < (int64_t)s->chunks.n; i++) {
			uint64_t at = place_behind(i, from, size);

			if (!at)
				continue;
			*ret_index = (uint32_t)(i + 1);
			return at;
		}
	}
	return 0;
}

/* A chunk that this cell has made and emptied again. Nobody needs its content. */
static bool is_spare(const struct session_chunk *c)
{
	return c->empty && !c->pool && c->born == device.session->serial;
}

uint64_t vmm_pool_spare(int ordinal)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < device.session->chunks.n; i++)
		if (is_spare(chunk_at(i)) && chunk_at(i)->device == ordinal)
			bytes += chunk_at(i)->size;
	for (size_t i = 0; i < vmm_pool.n_handles; i++)
		if (vmm_pool.handles[i].waiting && vmm_pool.handles[i].device == ordinal &&
		    !vmm_pool.handles[i].host.bytes)
			bytes += vmm_pool.handles[i].size;
	return bytes;
}

uint64_t vmm_pool_taken(int ordinal)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < vmm_pool.n_handles; i++)
		if (vmm_pool.handles[i].device == ordinal && !vmm_pool.handles[i].host.bytes)
			bytes += vmm_pool.handles[i].size;
	return bytes;
}

/* One that fits without much waste. */
static struct session_chunk *take_spare(int ordinal, const struct session_pool *owner,
					uint64_t size)
{
	for (uint32_t i = 0; i < device.session->chunks.n; i++) {
		struct session_chunk *c = chunk_at(i);

		if (!is_spare(c) || c->device != ordinal || c->owner != owner || c->size < size ||
		    c->size - size > size / 4)
			continue;
		c->empty = false;
		return c;
	}
	return NULL;
}

void vmm_pool_trim(void)
{
	struct session_array *a = &device.session->chunks;

	for (uint32_t i = 0; i < a->n;) {
		struct session_chunk *c = chunk_at(i);
		struct chunk_handle *h = find_handle(c->id);

		if (!is_spare(c)) {
			i++;
			continue;
		}
		chunk_message_dropped(c->id);
		if (h)
			release_handle(h);
		session_remove(a, sizeof(*c), i);
	}
}

static CUresult add_chunk(int ordinal, struct session_pool *owner, uint64_t size, bool pool,
			  struct session_chunk **ret)
{
	struct device_session *s = device.session;
	struct session_chunk *c = pool ? NULL : take_spare(ordinal, owner, size);
	uint32_t index = 0;
	uint64_t id = 0, at;
	CUresult result;

	if (c) {
		*ret = c;
		return CUDA_SUCCESS;
	}
	vmm_pool_trim();
	at = find_place(size, &index);
	if (!at) {
		vmm_pool.refused = "The driver gives no more addresses for it, free memory or not: "
				   "`%doctor` says how many it has given.";
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	c = session_insert(&s->chunks, sizeof(*c), index);
	if (!c)
		return CUDA_ERROR_OUT_OF_MEMORY;
	/* The devices that reach it are looked up when it is mapped. */
	*c = (struct session_chunk){ .address = at,
				     .size = size,
				     .born = s->serial,
				     .owner = owner,
				     .device = (uint8_t)ordinal,
				     .pool = pool };
	result = make(ordinal, size, at, at, &id);
	if (result) {
		session_remove(&s->chunks, sizeof(*c), index);
		return result;
	}
	c->id = id;
	s->next_place = at + size;
	*ret = c;
	return CUDA_SUCCESS;
}

/* Index of the first buffer at or behind the address, dead ones included. */
static uint32_t buffer_index(uint64_t address)
{
	const struct session_array *a = &device.session->buffers;
	uint32_t low = 0, high = a->n;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (session_at(a, struct session_buffer, middle)->address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* First fit in a pool chunk from its `next` on; 0: full. */
static uint64_t place_in(struct session_chunk *c, uint64_t size)
{
	const struct session_array *a = &device.session->buffers;
	uint64_t at = c->address + c->next, end = c->address + c->size;

	for (uint32_t i = buffer_index(at); i < a->n; i++) {
		const struct session_buffer *b = session_at(a, struct session_buffer, i);

		if (b->address >= end || at + size + VMM_POOL_RED_ZONE <= b->address)
			break;
		at = round_up_to(b->address + b->size, VMM_POOL_ALIGN) + VMM_POOL_RED_ZONE;
	}
	if (at + size + VMM_POOL_RED_ZONE > end)
		return 0;
	return at;
}

CUresult vmm_pool_alloc(int ordinal, struct session_pool *owner, uint64_t size,
			uint64_t *ret_address)
{
	struct device_session *s = device.session;
	struct session_chunk *c = NULL;
	CUresult result;

	if (size > device_window_session_size())
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (size > VMM_POOL_SMALL) {
		result = add_chunk(ordinal, owner, round_up_to(size, DEVICE_WINDOW_GRANULE), false,
				   &c);
		if (!result)
			*ret_address = c->address;
		return result;
	}
	for (uint32_t i = 0; i < s->chunks.n; i++) {
		c = chunk_at(i);
		*ret_address = c->pool && c->device == ordinal && c->owner == owner
				       ? place_in(c, size)
				       : 0;
		if (*ret_address)
			goto found;
	}
	result = add_chunk(ordinal, owner, DEVICE_WINDOW_GRANULE, true, &c);
	if (result)
		return result;
	c->next = VMM_POOL_RED_ZONE;
	*ret_address = c->address + c->next;
found:
	/* Only what ends at the frontier moves it: a hole that was too small for this one may fit
	 * another. */
	if (*ret_address == c->address + c->next)
		c->next = round_up_to(*ret_address + size, VMM_POOL_ALIGN) + VMM_POOL_RED_ZONE -
			  c->address;
	return CUDA_SUCCESS;
}

void vmm_pool_free(uint64_t address)
{
	struct session_chunk *c = chunk_of(address);

	if (!c)
		return;
	if (!c->pool)
		c->empty = true;
	else if (address - c->address < c->next)
		c->next = address - c->address;
}

uint64_t vmm_pool_reserved(const struct session_pool *owner)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < device.session->chunks.n; i++)
		if (chunk_at(i)->owner == owner &&
		    (owner->release_threshold || !chunk_at(i)->empty))
			bytes += chunk_at(i)->size;
	return bytes;
}

void vmm_pool_disown(const struct session_pool *owner)
{
	for (uint32_t i = 0; i < device.session->chunks.n; i++)
		if (chunk_at(i)->owner == owner)
			chunk_at(i)->owner = NULL;
}

/* The table has the memory from here on. Not registered, it is copied to no less, only slower. */
static CUresult add_host(struct host_chunk *host, int ordinal)
{
	struct chunk_handle h = { .id = host->id,
				  .address = (uintptr_t)host->bytes,
				  .size = host->size,
				  .device = ordinal,
				  .scratch = true,
				  .host = *host };

	if (!add_handle(&h)) {
		host_chunk_release(host);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	device.driver->cuMemHostRegister(host->bytes, host->size, 0);
	return CUDA_SUCCESS;
}

static CUresult scratch_on_host(int ordinal, uint64_t size, uint64_t *ret_id, uint64_t *ret_address)
{
	struct error err = ERROR_INIT;
	struct host_chunk host;

	/* To register it takes all of its pages: what is too much is to be known before. */
	if (device.host->has_host_room && !device.host->has_host_room(size))
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (host_chunk_init(&host, ordinal, size, &err)) {
		log_error("device memory: %s", err.text);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*ret_id = host.id;
	*ret_address = (uintptr_t)host.bytes;
	return add_host(&host, ordinal);
}

/* Free addresses for a scratch chunk, and a gap behind it; 0: there are none. */
static uint64_t scratch_place(uint64_t size)
{
	uint64_t at = device_window_scratch(), end = DEVICE_BASE + device_window_size();
	const struct chunk_handle *h;

	while (at + size + GAP <= end) {
		h = handle_in(at, size + GAP);
		if (!h)
			return at;
		at = h->address + h->size + GAP;
	}
	return 0;
}

static CUresult scratch_on_device(int ordinal, uint64_t size, uint64_t *ret_id,
				  uint64_t *ret_address)
{
	*ret_id = 0;
	*ret_address = scratch_place(size);
	return *ret_address ? make(ordinal, size, *ret_address, 0, ret_id)
			    : CUDA_ERROR_OUT_OF_MEMORY;
}

/* One that waits and is not much larger. */
static struct chunk_handle *take_waiting(int ordinal, uint64_t size, bool on_host)
{
	for (size_t i = 0; i < vmm_pool.n_handles; i++) {
		struct chunk_handle *h = &vmm_pool.handles[i];

		if (!h->waiting || h->device != ordinal || (h->host.bytes != NULL) != on_host ||
		    h->size < size || h->size - size > size / 4)
			continue;
		h->waiting = false;
		return h;
	}
	return NULL;
}

CUresult vmm_pool_scratch(int ordinal, uint64_t size, bool on_host, uint64_t *ret_id,
			  uint64_t *ret_address)
{
	CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
	const struct chunk_handle *h;

	size = round_up_to(size, DEVICE_WINDOW_GRANULE);
	h = take_waiting(ordinal, size, on_host);
	if (h) {
		*ret_id = h->id;
		*ret_address = h->address;
		return CUDA_SUCCESS;
	}
	/* Chunks that did not fit this request hardly fit the next. */
	vmm_pool_forget();
	if (!on_host)
		result = scratch_on_device(ordinal, size, ret_id, ret_address);
	return result == CUDA_ERROR_OUT_OF_MEMORY
		       ? scratch_on_host(ordinal, size, ret_id, ret_address)
		       : result;
}

/*
 * The kernel knows that chunks without an address end with the commit. It is not told which: one
 * that a thread has asked for between the end of the last cell and its commit went with that.
 */
void vmm_pool_drop_scratch(void)
{
	for (size_t i = 0; i < vmm_pool.n_handles; i++)
		vmm_pool.handles[i].leaving |=
			vmm_pool.handles[i].scratch && !vmm_pool.handles[i].waiting;
}

void vmm_pool_keep(uint64_t id)
{
	struct chunk_handle *h = find_handle(id);

	if (!h) {
		chunk_message_dropped(id);
		return;
	}
	h->leaving = false;
	h->waiting = true;
}

void vmm_pool_forget(void)
{
	for (size_t i = 0; i < vmm_pool.n_handles;) {
		struct chunk_handle *h = &vmm_pool.handles[i];

		if (!h->waiting) {
			i++;
			continue;
		}
		chunk_message_dropped(h->id);
		release_handle(h);
	}
}

uint64_t vmm_pool_scratch_address(uint64_t id)
{
	const struct chunk_handle *h = find_handle(id);

	return h ? h->address : 0;
}

/* The device of a chunk, if it is still there. */
static int device_of(uint64_t id)
{
	return CHUNK_DEVICE(id) < (uint32_t)device.count ? (int)CHUNK_DEVICE(id) : 0;
}

static struct chunk_handle handle_of(uint64_t id, uint64_t size, uint64_t address)
{
	struct chunk_handle h = {
		.id = id,
		.address = address,
		.size = size,
		.device = device_of(id),
		.scratch = !address,
	};

	if (!address)
		h.address = scratch_place(size);
	return h;
}

/* A chunk that was created or imported takes its place. */
static CUresult map_and_add(struct chunk_handle *h)
{
	CUresult result = map(h);

	if (!result && !add_handle(h)) {
		device.driver->cuMemUnmap(h->address, h->size);
		result = CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (result)
		device.driver->cuMemRelease(h->handle);
	return result;
}

static CUresult attach_host(uint64_t id, uint64_t size, int fd)
{
	struct error err = ERROR_INIT;
	struct host_chunk host;

	if (!host_chunk_open(&host, id, size, fd, &err))
		return add_host(&host, device_of(id));
	log_error("device memory: %s", err.text);
	return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult vmm_pool_attach(uint64_t id, uint64_t size, uint64_t address, int fd)
{
	struct chunk_handle h;
	CUresult result;

	if (CHUNK_IS_ON_HOST(id))
		return attach_host(id, size, fd);
	h = handle_of(id, size, address);
	result = device.driver->cuMemImportFromShareableHandle(
		&h.handle, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
	close(fd);
	return result ? result : map_and_add(&h);
}

bool vmm_pool_is_mapped(uint64_t address)
{
	for (size_t i = 0; i < vmm_pool.n_handles; i++)
		if (address - vmm_pool.handles[i].address < vmm_pool.handles[i].size)
			return true;
	return false;
}

CUresult vmm_pool_attach_anew(uint64_t id, uint64_t size, uint64_t address,
			      int (*fill)(void *data, uint64_t address), void *data)
{
	struct chunk_handle h = handle_of(id, size, address);
	CUresult result = device_window_create(device.driver, h.device, size, &h.handle);

	if (!result)
		result = map_and_add(&h);
	if (!result && fill(data, h.address))
		return CUDA_ERROR_OPERATING_SYSTEM;
	return result ? result : hand_over(&h, address);
}

void vmm_pool_detach(uint64_t id)
{
	struct chunk_handle *h = find_handle(id);

	if (h && h->scratch)
		release_handle(h);
}

void vmm_pool_attach_end(void (*lost)(void *data, uint64_t address, uint64_t size), void *data)
{
	/* Scratch chunks of the last worker have done their work; the kernel drops them by itself.
	 */
	for (size_t i = 0; i < vmm_pool.n_handles;) {
		if (vmm_pool.handles[i].scratch)
			release_handle(&vmm_pool.handles[i]);
		else
			i++;
	}
	settle_granted();
	for (uint32_t i = 0; i < device.session->chunks.n; i++) {
		struct session_chunk *c = chunk_at(i);

		if (find_handle(c->id))
			continue;
		lost(data, c->address, c->size);
		if (c->device >= device.count)
			c->device = 0;
		/* The numbers of a snapshot are those of another session. */
		if (device.refill)
			c->id = 0;
		make(c->device, c->size, c->address, c->address, &c->id);
	}
}

static bool is_empty(const struct session_chunk *c)
{
	const struct session_array *a = &device.session->buffers;
	uint32_t i = buffer_index(c->address);

	return i == a->n ||
	       session_at(a, struct session_buffer, i)->address >= c->address + c->size;
}

void vmm_pool_settle(void)
{
	struct session_array *a = &device.session->chunks;

	for (uint32_t i = 0; i < a->n;) {
		struct session_chunk *c = chunk_at(i);
		struct chunk_handle *h = find_handle(c->id);

		if (!is_empty(c)) {
			i++;
			continue;
		}
		chunk_message_dropped(c->id);
		if (h)
			h->leaving = true;
		session_remove(a, sizeof(*c), i);
	}
}

void vmm_pool_committed(void)
{
	for (size_t i = 0; i < vmm_pool.n_handles;) {
		if (vmm_pool.handles[i].leaving)
			release_handle(&vmm_pool.handles[i]);
		else
			i++;
	}
	settle_granted();
}
